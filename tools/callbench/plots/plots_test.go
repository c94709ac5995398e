package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

const committed = "../../../docs/results"

// copied is a folder with files of docs/results.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		text := []byte(read(t, committed, name))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	return dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// TestCommittedPlots wants the plots in docs/results to be those of the data there.
func TestCommittedPlots(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits differ where the processor fuses multiplications and additions")
	}
	dir := copied(t, "calls.json", "wake.json")
	require.NoError(t, run(dir, io.Discard))
	pictures, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	require.NoError(t, err)
	assert.Len(t, pictures, 5)
	page := read(t, dir, "plots.md")
	for _, file := range append(pictures, "plots.md") {
		name := filepath.Base(file)
		text := read(t, dir, name)
		// Not assert.Equal, which would print two pictures.
		assert.True(t, read(t, committed, name) == text, "%s is not what make plots draws", name)
		if name != "plots.md" {
			assert.Contains(t, page, "]("+name+")")
			wellFormed(t, text)
		}
	}
	// The fonts of viewers differ in width, so a row's label must end before its marks.
	assert.Contains(t, read(t, dir, "calls.svg"), `text-anchor="end" >record</text>`)
	for line := range strings.Lines(page) {
		assert.True(t, strings.HasPrefix(line, "!") || utf8.RuneCountInString(line) <= 101, line)
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	assert.NotContains(t, text, "NaN")
	assert.NotContains(t, text, "Inf")
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		switch _, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			require.NoError(t, err)
		}
	}
}

func TestSomeData(t *testing.T) {
	t.Parallel()
	dir := copied(t, "calls.json")
	var out strings.Builder
	require.NoError(t, run(dir, &out))
	assert.Contains(t, out.String(), "wake.json, so nothing is drawn of it; make wake makes it")
	assert.FileExists(t, filepath.Join(dir, "calls.svg"))
	assert.NotContains(t, read(t, dir, "plots.md"), "Wake-up")
	assert.ErrorContains(t, run(t.TempDir(), io.Discard), "no data")
}

// TestImplausible writes nothing if some data is wrong.
func TestImplausible(t *testing.T) {
	t.Parallel()
	dir := copied(t, "calls.json")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "wake.json"), []byte("{}"), 0o644))
	require.ErrorIs(t, run(dir, io.Discard), report.ErrImplausible)
	assert.NoFileExists(t, filepath.Join(dir, "calls.svg"))
}

// TestCurve cuts a distribution off where fewer than one wait is left.
func TestCurve(t *testing.T) {
	t.Parallel()
	var all []float64
	for i := range 40 {
		all = append(all, float64(i))
	}
	late, share, marks := curve(report.WakeRow{Waits: 40, Late: report.Late(all)})
	assert.InDelta(t, 3, share[len(share)-1], 1e-9, "a fortieth is 2.5 %")
	assert.InDelta(t, 100, late[0], 1e-9, "no time is drawn as 100 ns")
	assert.Equal(t, []int{50}, marks, "there is no 99th percentile")
}

func TestAxis(t *testing.T) {
	t.Parallel()
	a := newAxis([]float64{30, 2000, 10_000}, 100, 400, nanoseconds)
	assert.InDelta(t, 100, a.at(10), 1e-9)
	assert.InDelta(t, 200, a.at(100), 1e-9)
	assert.InDelta(t, 400, a.at(10_000), 1e-9)
	var labels []string
	a.ticks(func(_ float64, label string) { labels = append(labels, label) })
	assert.Equal(t, []string{"10 ns", "100 ns", "1 µs", "10 µs"}, labels)
	one := newAxis([]float64{1, 1}, 0, 10, times)
	assert.InDelta(t, 0, one.at(1), 1e-9)
	assert.InDelta(t, 10, one.at(10), 1e-9)
}
