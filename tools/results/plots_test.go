package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
	"github.com/gpuevent/gpuevent/tools/results/growth"
)

const committed = "../../docs/results"

// copied is a folder with files of docs/results.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(committed, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	return dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

var data = []string{"calls.json", "batch.md", "growth.json", "wake.json"}

// TestCommittedPlots wants the plots in docs/results to be those of the data there.
func TestCommittedPlots(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits differ where the processor fuses multiplications and additions")
	}
	dir := copied(t, data...)
	var out strings.Builder
	require.NoError(t, run([]string{"plots", "-dir", dir}, &out))
	assert.Empty(t, out.String())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	pictures := 0
	for _, f := range files {
		// Not assert.Equal, which would print two pictures.
		same := strings.ReplaceAll(read(t, committed, f.Name()), "\r\n", "\n") == read(t, dir, f.Name())
		assert.True(t, same, "%s is not what make plots makes of the data", f.Name())
		if filepath.Ext(f.Name()) == ".svg" {
			pictures++
			assert.Contains(t, read(t, dir, "plots.md"), "]("+f.Name()+")")
		}
	}
	assert.Equal(t, 9, pictures)
	for line := range strings.Lines(read(t, dir, "plots.md")) {
		if !strings.HasPrefix(line, "|") {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), lineWidth+1, line)
		}
	}
}

func TestPlotsOfSomeData(t *testing.T) {
	t.Parallel()
	dir := copied(t, "calls.json")
	var out strings.Builder
	require.NoError(t, plots([]string{"-dir", dir}, &out))
	for name, made := range map[string]string{
		"growth.json": "make growth", "wake.json": "make wake", "batch.md": "make bench",
	} {
		assert.Contains(t, out.String(), name+", so nothing is drawn of it; "+made+" makes it")
	}
	assert.FileExists(t, filepath.Join(dir, "calls.svg"))
	assert.NotContains(t, read(t, dir, "plots.md"), "growth")
}

func TestPlotsRefuse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string
		want       error
	}{
		"calls":  {"calls.json", `{}`, report.ErrImplausible},
		"growth": {"growth.json", `{}`, growth.ErrNothing},
		"wake":   {"wake.json", `{}`, report.ErrImplausible},
		"table":  {"batch.md", "# No table\n", errTable},
		"short table": {"batch.md", "| calls | cgo |\n|--:|--:|\n| 1 | 2 |\n",
			errTable},
		"no number": {"batch.md", "| calls | cgo |\n|--:|--:|\n| 1 | 2 |\n| 2 | – |\n", errTable},
		"ragged":    {"batch.md", "| calls | cgo |\n|--:|--:|\n| 1 | 2 |\n| 2 |\n", errTable},
	} {
		dir := copied(t, "calls.json")
		require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o644))
		var out strings.Builder
		err := plots([]string{"-dir", dir}, &out)
		require.ErrorIs(t, err, c.want, name)
		assert.ErrorContains(t, err, c.file, name)
		assert.NoFileExists(t, filepath.Join(dir, "calls.svg"), "%s: nothing is written", name)
	}
	var out strings.Builder
	require.ErrorContains(t, plots([]string{"-dir", t.TempDir()}, &out), "no data")
	require.ErrorContains(t, plots([]string{"calls.json"}, &out), "no arguments")
}

func TestCommands(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, args := range [][]string{nil, {"nothing"}} {
		err := run(args, &out)
		require.ErrorContains(t, err, "plots")
	}
}

func TestReadTable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.md")
	require.NoError(t, os.WriteFile(file, []byte("Of 2026-11-20.\n\n"+
		"| calls | cgo | raw, each | raw / cgo |\n|--:|--:|--:|--:|\n"+
		"| 1 | 30 | 20.5 | 0.7 |\n| 10 | 31 | 2 | 0.1 |\n\n| another | table |\n"), 0o644))
	lines, date, err := readTable(file)
	require.NoError(t, err)
	assert.Equal(t, "2026-11-20", date)
	require.Len(t, lines, 2, "without the ratio")
	assert.Equal(t, "raw, each", lines[1].Name)
	assert.Equal(t, []float64{1, 10}, lines[1].X)
	assert.Equal(t, []float64{20.5, 2}, lines[1].Y)
}

func TestWrap(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörter ", 40)
	wrapped := wrap(long + "\n\n" + long)
	for line := range strings.Lines(wrapped) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), lineWidth+1)
	}
	assert.Equal(t, 80, strings.Count(wrapped, "wörter"))
	assert.Equal(t, 2, len(strings.Split(wrapped, "\n\n")))
}

// TestGuides wants a guide above the data of its panel, and two powers of ten on the axis.
func TestGuides(t *testing.T) {
	t.Parallel()
	for _, should := range []growth.Verdict{growth.Flat, growth.Linear} {
		r := growth.Report{Curves: []growth.Curve{{Figure: "events", Panel: "create", Way: "host",
			Should: should, Points: []growth.Point{
				{N: 1, Value: 10, Runs: 1}, {N: 10, Value: 12, Runs: 1}, {N: 100, Value: 11, Runs: 1}}}}}
		p, err := growthPicture(r, "events")
		require.NoError(t, err)
		assert.Contains(t, string(p.svg), ">"+string(should)+"<")
		assert.Contains(t, string(p.svg), ">host<")
	}
	_, err := growthPicture(growth.Report{}, "unknown")
	require.ErrorContains(t, err, "unknown")
}

// TestLateness cuts a distribution off where fewer than one wait is left.
func TestLateness(t *testing.T) {
	t.Parallel()
	var all []float64
	for i := range 40 {
		all = append(all, float64(i))
	}
	line := latenessLine(report.WakeRow{Waits: 40, Late: report.Late(all)}, 100)
	assert.InDelta(t, 3, line.Y[len(line.Y)-1], 1e-9, "a fortieth is 2.5 %")
	assert.InDelta(t, 100, line.X[0], 1e-9, "no time is drawn as 100 ns")
	assert.Equal(t, []int{50}, line.Marks, "there is no 99th percentile")
}
