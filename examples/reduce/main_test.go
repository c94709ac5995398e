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

// sizes are less than a block, a block and one more, and more than a pass has threads.
var sizes = []int{1, threads + 1, 2*most*threads + 17}

func onTheHost(t *testing.T, s compute.Source) *compute.Module {
	d, err := event.Open("host")
	require.NoError(t, err)
	m, err := compute.Compile(t.Context(), d, s)
	require.NoError(t, err)
	return m
}

func TestOnTheHost(t *testing.T) {
	t.Parallel()
	for _, n := range sizes {
		var b strings.Builder
		require.NoError(t, run(&b, onTheHost(t, source), n))
		assert.Contains(t, b.String(), "Both are right.")
	}
}

func TestOnGPUs(t *testing.T) {
	for _, n := range sizes {
		simulated.Each(t, source, func(t *testing.T, m *compute.Module) {
			var b strings.Builder
			require.NoError(t, run(&b, m, n))
			assert.Contains(t, b.String(), "Both are right.")
		})
	}
}

func TestWrongSum(t *testing.T) {
	t.Parallel()
	wrong := source
	wrong.Host = map[string]compute.HostKernel{"reduce<float>": reduce[float32],
		"reduce<double>": func(b *compute.Block, n int32, x, sums []float64) {}}
	require.ErrorIs(t, run(&strings.Builder{}, onTheHost(t, wrong), 1000), errWrong)
}
