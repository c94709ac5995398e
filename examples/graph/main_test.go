package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/examples/internal/simulated"
)

func onTheHost(t *testing.T, s compute.Source) *compute.Module {
	d, err := event.Open("host")
	require.NoError(t, err)
	m, err := compute.Compile(t.Context(), d, s)
	require.NoError(t, err)
	return m
}

func TestOnTheHost(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, run(&b, onTheHost(t, source)))
	assert.Contains(t, b.String(), "one graph")
	assert.Contains(t, b.String(), "With 3 set in place of the factor 2")
}

func TestOnGPUs(t *testing.T) {
	simulated.Each(t, source, func(t *testing.T, m *compute.Module) {
		var b strings.Builder
		require.NoError(t, run(&b, m))
		if !m.Device().Capabilities().Has(event.CapCaptureLaunch) {
			assert.Contains(t, b.String(), "The pipeline without a graph computed what it should.")
			return
		}
		assert.Contains(t, b.String(), "one graph")
		assert.Contains(t, b.String(), "With 3 set in place of the factor 2")
	})
}

func TestWrongResult(t *testing.T) {
	t.Parallel()
	wrong := source
	wrong.Host = map[string]compute.HostKernel{"scale": scale,
		"shift": func(b *compute.Block, n int32, by float32, x []float32) {}}
	require.ErrorIs(t, run(&strings.Builder{}, onTheHost(t, wrong)), errWrong)
}
