package report

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the expected files anew")

// cell has CPU times that its other times can be told from.
func cell(cpu, allocs, calls float64) Cell {
	return Cell{
		Operations: 1000, Calls: calls,
		CPU:    Stat{cpu * 0.8, cpu},
		Thread: Stat{cpu * 0.7, cpu * 0.9},
		Wall:   Stat{cpu * 2, cpu * 3},
		Allocs: allocs, Bytes: allocs * 16,
	}
}

// fixed is a report of round numbers: two APIs, a way that is missing, an operation without a
// target, targets that are reached and missed.
func fixed() Report {
	return Report{
		Date: "2026-11-20",
		Machine: Machine{CPU: "A <fast> CPU", Cores: 2, Platform: "linux/amd64", Go: "go1.26.8",
			Compiler: "gcc 12.2.0"},
		Rounds:  41,
		RoundMS: 3,
		Rows: []Row{
			{API: "CUDA", Name: "record", Target: &Target{NS: 20, Over: Raw},
				Cells: map[string]Cell{
					C: cell(2, 0, 1), Cgo: cell(40, 0, 1), Quiet: cell(30, 0, 1),
					SyscallN: cell(80, 1, 1), RegisterFunc: cell(400, 4, 1),
					Raw: cell(30, 0, 1), Event: cell(50, 0, 1)}},
			{API: "CUDA", Name: "known & done", Target: &Target{NS: 5}, Cells: map[string]Cell{
				C: cell(1, 0, 1), Cgo: cell(25, 0, 1), Raw: cell(20, 0, 1),
				Event: cell(6, 0.25, 0)}},
			{API: "CUDA", Name: "launch", Cells: map[string]Cell{
				C: cell(2, 0, 1), Cgo: cell(50, 0, 1), Raw: cell(100, 3, 1)}},
			{API: "HIP", Name: "record", Target: &Target{NS: 20, Over: Raw}, Cells: map[string]Cell{
				Raw: cell(30, 0, 1), Event: cell(51, 0, 2)}},
			{Name: "loop", Cells: map[string]Cell{Loop: cell(1.5, 0, 0)}},
		},
		Memory: []Memory{{What: "cuda, created", Events: 100000, Heap: 232.4, Runtime: 304.6,
			Allocs: 5, Goroutines: 1}},
		Collections: []Collection{{Backend: "cuda", Events: 1000000, Wall: 139.25, CPU: 158,
			Pause: 0.1234, WithoutWall: 0.4, WithoutCPU: 0.5, Create: 818, Close: 417}},
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run go test -args -update if this is right")
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	page, err := fixed().Markdown()
	require.NoError(t, err)
	golden(t, "calls.md", page)
	for what, line := range map[string]string{ // worked out by hand, not by this program
		"medians":      "| record | 2.0 | 40.0 | 30.0 | 80.0 | 400 | 30.0 | 50.0 |",
		"absent ways":  "| known & done | 1.0 | 25.0 | – | – | – | 20.0 | 6.0 |",
		"ratios":       "| record | 20.0 | 0.75 | 2.00 | 10.0 | 15.0 | 0.75 | 25.0 | 1.25 | 1.67 |",
		"no ratios":    "| launch | 25.0 | – | – | – | 50.0 | 2.00 | – | – | – |",
		"HIP's ratio":  "| operation | event / raw |",
		"wall":         "| launch | 4.0 / 6.0 | 100 / 150 | – | – | – | 200 / 300 | – |",
		"allocations":  "| record | 0 | 0 | 0 | 1 (16 bytes) | 4 (64 bytes) | 0 | 0 |",
		"reached":      "| record | over raw | 20.0 | 20.0 | yes | 0.00 | 1.0 |",
		"missed":       "| known & done | in all | 6.0 | 5.0 | no | 0.25 | 0.0 |",
		"missed, HIP":  "| record | over raw | 21.0 | 20.0 | no | 0.00 | 2.0 |",
		"memory":       "| cuda, created | 100000 | 232 | 305 | 5.00 | 1 |",
		"collections":  "| cuda | 1000000 | 139 | 158 | 0.123 | 0.4 | 818 | 417 |",
		"loop":         "include the loop in Go and the call of a function value: 1.5 ns.",
		"noise":        "the median round took 25 % more CPU time than the quickest, as",
		"the machine":  "on linux/amd64, 2 cores of A <fast> CPU, with Go 1.26.8 and\ngcc 12.2.0",
		"rounds":       "41 rounds of about 3.0 ms each",
		"HIP's header": "| operation | raw | event |",
	} {
		assert.Contains(t, page, line, what)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	rows := fixed().Rows
	cost, ok := rows[0].Cost()
	assert.True(t, ok)
	assert.InDelta(t, 50-30, cost, 1e-9)
	cost, ok = rows[0].BestCost()
	assert.True(t, ok)
	assert.InDelta(t, 35-21, cost, 1e-9, "from the thread's least times")
	cost, ok = rows[1].Cost()
	assert.True(t, ok)
	assert.InDelta(t, 6, cost, 1e-9, "in all")
	_, ok = rows[2].Cost()
	assert.False(t, ok, "no target")
	aim, ok := rows[0].Aim()
	assert.True(t, ok)
	assert.InDelta(t, 30+20, aim, 1e-9)
	aim, ok = rows[1].Aim()
	assert.True(t, ok)
	assert.InDelta(t, 5, aim, 1e-9)
	_, ok = rows[2].Aim()
	assert.False(t, ok)
	delete(rows[0].Cells, Raw)
	_, ok = rows[0].Cost()
	assert.False(t, ok, "nothing to compare with")
	_, ok = rows[0].Aim()
	assert.False(t, ok, "nothing to compare with")
	delete(rows[1].Cells, Event)
	_, ok = rows[1].Cost()
	assert.False(t, ok)
}

func TestStatOf(t *testing.T) {
	t.Parallel()
	odd := []float64{3, 1.006, 2.004}
	assert.Equal(t, Stat{1.01, 2}, StatOf(odd))
	assert.Equal(t, []float64{3, 1.006, 2.004}, odd, "the rounds keep their order")
	assert.Equal(t, Stat{1, 2.5}, StatOf([]float64{4, 3, 2, 1}))
	assert.Equal(t, Stat{7, 7}, StatOf([]float64{7}))
}

// TestImplausible plants numbers that no run can have measured.
func TestImplausible(t *testing.T) {
	t.Parallel()
	set := func(change func(c *Cell)) func(*Report) {
		return func(r *Report) {
			c := r.Rows[0].Cells[Event]
			change(&c)
			r.Rows[0].Cells[Event] = c
		}
	}
	for name, plant := range map[string]func(*Report){
		"no rows":       func(r *Report) { r.Rows = nil },
		"no ways":       func(r *Report) { r.Rows[1].Cells = nil },
		"unknown way":   func(r *Report) { r.Rows[0].Cells["Cgo"] = cell(1, 0, 1) },
		"no time":       set(func(c *Cell) { c.CPU = Stat{} }),
		"negative":      set(func(c *Cell) { c.Thread.Min = -1 }),
		"not a number":  set(func(c *Cell) { c.Wall.Median = math.NaN() }),
		"infinite":      set(func(c *Cell) { c.Wall.Median = math.Inf(1) }),
		"least too big": set(func(c *Cell) { c.CPU.Min = c.CPU.Median + 1 }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fixed()
			plant(&r)
			_, err := r.Markdown()
			assert.ErrorIs(t, err, ErrImplausible)
			file := filepath.Join(t.TempDir(), "calls.json")
			if data, err := json.Marshal(r); err == nil { // not infinity and the like
				require.NoError(t, os.WriteFile(file, data, 0o644))
				_, err = Read(file)
				assert.ErrorIs(t, err, ErrImplausible)
			}
			folder := t.TempDir()
			assert.ErrorIs(t, r.Write(folder), ErrImplausible)
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Empty(t, files, "nothing is written")
		})
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "docs", "results")
	require.NoError(t, fixed().Write(folder))
	read, err := Read(filepath.Join(folder, "calls.json"))
	require.NoError(t, err)
	assert.Equal(t, fixed(), read, "the data holds all that was measured")
	markdown, err := fixed().Markdown()
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(folder, "calls.md"))
	require.NoError(t, err)
	assert.Equal(t, markdown, string(got))
}
