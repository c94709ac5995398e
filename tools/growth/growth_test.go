package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// few measures as little as gives all curves.
func few() options {
	return options{events: 1000, streams: 4, waiters: 30, window: 10 * time.Millisecond, samples: 3,
		work: 1000, rounds: 2, runs: 1}
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "growth.json")
	var log strings.Builder
	require.NoError(t, run(file, "", few(), &log))
	r, err := growth.Read(file)
	require.NoError(t, err)
	assert.Positive(t, r.Clock)
	ways := map[string][]string{}
	for _, c := range r.Curves {
		ways[c.Panel] = append(ways[c.Panel], c.Way)
		assert.NotEmpty(t, c.Should, "%s, %s", c.Panel, c.Way)
		assert.Contains(t, log.String(), c.Panel+", "+c.Way+": n^")
		for _, p := range c.Points {
			want := 2 // rounds of a run
			if c.Panel == waking {
				want = 2 * 3 // samples
			}
			assert.Equal(t, want, p.Runs, "%s, %s, %d", c.Panel, c.Way, p.N)
		}
		first, last := c.Points[0].N, c.Points[len(c.Points)-1].N
		switch c.Figure {
		case "events":
			assert.Equal(t, 1000, last)
		case "streams":
			assert.Equal(t, []int{1, 4}, []int{first, last})
		case "waiters":
			assert.Equal(t, []int{1, 30}, []int{first, last})
		}
	}
	all := []string{onHost, onSim, alone}
	assert.Equal(t, map[string][]string{
		creating: all, recording: all, closing: all, memory: all,
		cpuShare: {onHost, onSim, alone}, queries: {onSim}, waking: {onHost, onSim},
		goroutines: {onHost, onSim, goAlone}, channels: {onHost, onSim, goAlone},
	}, ways)
}

func TestRunRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		out, only string
		change    func(o *options)
	}{
		"few events":   {change: func(o *options) { o.events = 1 }},
		"one stream":   {change: func(o *options) { o.streams = 1 }},
		"few waiters":  {change: func(o *options) { o.waiters = 1 }},
		"no window":    {change: func(o *options) { o.window = 0 }},
		"no samples":   {change: func(o *options) { o.samples = 0 }},
		"no rounds":    {change: func(o *options) { o.rounds = 0 }},
		"unknown part": {only: "devices", change: func(*options) {}},
		"a part to a file": {only: "events", out: filepath.Join(t.TempDir(), "x"),
			change: func(*options) {}},
	} {
		o := few()
		c.change(&o)
		var log strings.Builder
		require.Error(t, run(c.out, c.only, o, &log), name)
		assert.Empty(t, log.String(), name)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []int{1, 3, 10, 30, 100}, counts(100))
	assert.Equal(t, []int{1, 3, 10, 30, 40}, counts(40))
	assert.Equal(t, []int{1, 2, 4, 8}, doubling(8))
	assert.Equal(t, []int{1, 2, 4, 6}, doubling(6))
}

func TestPoints(t *testing.T) {
	t.Parallel()
	c := &curves{figure: "f", should: map[string]growth.Verdict{"p": growth.Flat}}
	for _, v := range []float64{3.00049, 1, 2} {
		c.add("p", "w", 10, 100, v)
	}
	c.add("p", "w", 20, 100, 7)
	c.add("p", "v", 10, 1, 8)
	late := c.of("q", "w", 10)
	late.latencies = true
	for i := range 1000 {
		late.values = append(late.values, float64(1000-i))
	}
	assert.Equal(t, []growth.Curve{
		{Figure: "f", Panel: "p", Way: "w", Should: growth.Flat, Points: []growth.Point{
			{N: 10, Value: 2, Low: 1, High: 3, Runs: 3, PerRun: 100},
			{N: 20, Value: 7, Low: 7, High: 7, Runs: 1, PerRun: 100},
		}},
		{Figure: "f", Panel: "p", Way: "v", Should: growth.Flat, Points: []growth.Point{
			{N: 10, Value: 8, Low: 8, High: 8, Runs: 1, PerRun: 1},
		}},
		{Figure: "f", Panel: "q", Way: "w", Points: []growth.Point{
			{N: 10, Value: 500.5, Low: 1, High: 990, Runs: 1000},
		}},
	}, c.finish())
}
