package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

var update = flag.Bool("update", false, "write testdata/sample.md again")

// TestPage compares a page with the one that was looked at.
func TestPage(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "sample.md")
	page := sample(t).Markdown("Sample", "Below.")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), page)
	fenced := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && !strings.HasPrefix(line, "|") {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), 100, line)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	green := func(r *report.Report) {
		r.Steps[3].Outcome, r.Steps[3].Tests = report.Passed, nil
		r.Steps[6].Outcome = report.Passed
	}
	for name, x := range map[string]struct {
		change func(*report.Report)
		green  bool
		words  string
	}{
		"failed": {func(*report.Report) {}, false,
			"Not green: conformance cuda:1 failed, peers C cuda:0 timed out"},
		"green": {green, true, "Green: all 7 steps that could run passed, on 2 GPUs and the host."},
		"not all tested": {func(r *report.Report) {
			green(r)
			r.Steps[3].Outcome = report.NotRun
		}, false, "did not run on cuda:1"},
		"stopped": {func(r *report.Report) {
			green(r)
			r.Stopped = "it was interrupted"
		}, false, "Not finished: it was interrupted"},
		"host only": {func(r *report.Report) {
			r.Devices, r.Steps, r.Facts, r.Figures = r.Devices[2:], r.Steps[:2], nil, nil
		}, false, "1 step passed, on the host alone: no GPU is usable here."},
		"simulated": {func(r *report.Report) {
			green(r)
			r.Devices[0].Simulated = true
		}, true, "on 2 simulated GPUs"},
	} {
		r := sample(t)
		x.change(r)
		v := r.Verdict()
		assert.Equal(t, x.green, v.Green, name)
		assert.Contains(t, v.Lines[0], x.words, name)
	}
	lines := sample(t).Verdict().Lines
	assert.Equal(t, "Driver facts: 1 confirmed, 1 differ (gpu-null-stream-asks-blocking), "+
		"2 not askable here.", lines[1])
	assert.Equal(t, "Cost on cuda:0, event against C: record 1.10×, query pending 1.10×, "+
		"elapsed 1.10×.", lines[2])
}

func TestCards(t *testing.T) {
	t.Parallel()
	r := sample(t)
	cards := r.Cards()
	require.Len(t, cards, 1)
	assert.Equal(t, []string{"cuda:0", "cuda:1"}, cards[0].Devices)
	assert.Equal(t, "nvidia-sample-100-cuda-12.8-driver-570.00.01", cards[0].Slug())

	r.Devices[1].Model = "GeForce <x>"
	cards = r.Cards()
	require.Len(t, cards, 2)
	assert.Equal(t, "nvidia-geforce-x-cuda-12.8-driver-570.00.01", cards[1].Slug())
	part := r.Of(cards[1])
	assert.Equal(t, []string{"cuda:1", "host"}, []string{part.Devices[0].Name, part.Devices[1].Name})
	assert.Empty(t, part.Facts, "those are of the other device")
	assert.Len(t, part.Figures, 1, "the host's")
	assert.NoError(t, part.Check())
}

func TestRatios(t *testing.T) {
	t.Parallel()
	rows := sample(t).Rows("cuda:0")
	require.Len(t, rows, 4)
	assert.Equal(t, []string{"C", "raw", "event", "compute", "cuda-core", "torch"}, report.Ways(rows))
	ratio, ok := rows[0].Ratio("torch")
	assert.True(t, ok)
	assert.InDelta(t, 3, ratio, 1e-9)
	ratio, ok = rows[3].Ratio("compute")
	assert.True(t, ok, "against raw, for lack of C")
	assert.InDelta(t, 1.15, ratio, 1e-9)
	_, ok = rows[3].Ratio("torch")
	assert.False(t, ok)
}
