package report_test

import (
	"bytes"
	"encoding/json"
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

// sample is a report that was made by hand.
func sample(t testing.TB) *report.Report {
	data, err := os.ReadFile(filepath.Join("testdata", "sample.json"))
	require.NoError(t, err)
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	r := new(report.Report)
	require.NoError(t, decoder.Decode(r))
	return r
}

// TestJSON wants a report to be read as it was written.
func TestJSON(t *testing.T) {
	t.Parallel()
	want, got := sample(t), new(report.Report)
	data, err := want.JSON()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, got))
	assert.Equal(t, want, got)
}

var update = flag.Bool("update", false, "write testdata/sample.md again")

// TestPage compares a page with the one that was looked at.
func TestPage(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "sample.md")
	page := sample(t).Markdown()
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
		for i := range r.Steps {
			r.Steps[i].Outcome = report.Passed
		}
	}
	for name, x := range map[string]struct {
		change func(*report.Report)
		words  string
	}{
		"failed": {func(*report.Report) {}, "Not green: conformance cuda:1 failed, bench host timed out"},
		"green":  {green, "Green: all that could run, 7 steps passed, on 2 GPUs and the host."},
		"not all tested": {func(r *report.Report) {
			green(r)
			r.Steps[2].Outcome = report.NotRun
		}, "the conformance suite did not pass on cuda:1"},
		"stopped": {func(r *report.Report) {
			green(r)
			r.Stopped = "it was interrupted"
		}, "Not finished: it was interrupted"},
		"host only": {func(r *report.Report) {
			r.Devices, r.Steps, r.Facts, r.Figures = r.Devices[2:], r.Steps[:1], nil, nil
		}, "1 step passed, on the host alone: no GPU is usable here."},
		"simulated": {func(r *report.Report) {
			green(r)
			r.Devices[0].Simulated = true
		}, "on 2 simulated GPUs"},
	} {
		r := sample(t)
		x.change(r)
		assert.Contains(t, r.Verdict()[0], x.words, name)
	}
	r := sample(t)
	lines := r.Verdict()
	assert.Equal(t, "Driver facts: 1 confirmed, 1 differ (gpu-null-stream-asks-blocking), "+
		"2 not askable here.", lines[1])
	assert.Equal(t, "Cost of event beside raw calls on cuda:0, record 1.08×, query pending 1.08×, "+
		"elapsed 1.08×. The largest: launch 4 arguments on cuda:0, compute 1.15×.", lines[2])
	r.Figures = r.Figures[len(r.Figures)-1:]
	assert.Equal(t, "Cost: 1 figure, without raw calls beside them.", r.Verdict()[2])
}
