package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/examples/internal/simulated"
)

const few = chunks * 100

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
	require.NoError(t, run(&b, onTheHost(t, source), few))
	assert.Contains(t, b.String(), "on three streams")
	assert.Contains(t, b.String(), "its processors do all the work")
}

func TestOnGPUs(t *testing.T) {
	simulated.Each(t, source, func(t *testing.T, m *compute.Module) {
		var b strings.Builder
		require.NoError(t, run(&b, m, few))
		assert.Contains(t, b.String(), "on three streams")
		assert.NotContains(t, b.String(), "its processors do all the work")
	})
}

func TestWrongResult(t *testing.T) {
	t.Parallel()
	m := onTheHost(t, compute.Source{Host: map[string]compute.HostKernel{
		"work": func(b *compute.Block, n, rounds int32, x []float32) {}}})
	require.ErrorIs(t, run(&strings.Builder{}, m, few), errWrong)
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	sample := func(q1, median, q3 time.Duration) event.Sample {
		return event.Sample{Q1: q1, Median: median, Q3: q3}
	}
	for want, together := range map[string]event.Sample{
		"2.00 times as fast":      sample(45, 50, 55),
		"No gain: ":               sample(180, 200, 220),
		"No gain that can be see": sample(85, 95, 105),
	} {
		assert.Contains(t, verdict(d, sample(90, 100, 110), together), want)
	}
}
