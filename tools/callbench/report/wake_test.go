package report

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// latencies are 1 to n microseconds, the last first.
func latencies(n int) (all []float64) {
	for i := range n {
		all = append(all, float64(n-i))
	}
	return all
}

func TestLate(t *testing.T) {
	t.Parallel()
	late := Late(latencies(1000))
	require.Len(t, late, len(Percents()))
	for i, p := range Percents() {
		assert.InDelta(t, min(10*p+1, 1000), late[i], 1e-9, "%v %%", p)
	}
	for _, v := range Late([]float64{2.345}) {
		assert.InDelta(t, 2.3, v, 1e-9)
	}
}

func wakes() Wake {
	row := func(way, work string) WakeRow {
		return WakeRow{Way: way, Process: "idle", Work: work, Waits: 5, Core: 7.5,
			Late: Late(latencies(5))}
	}
	return Wake{Date: "2026-11-20", Machine: Machine{CPU: "A CPU", Cores: 2}, Seconds: 2,
		Rows: []WakeRow{row("cuda/Event.Wait", "50µs"), row("driver/spinning", "50µs")}}
}

func TestWakeIsReadAsWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "wake.json")
	require.NoError(t, wakes().Write(file))
	got, err := ReadWake(file)
	require.NoError(t, err)
	assert.Equal(t, wakes(), got)
}

func TestImplausibleWakes(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(w *Wake){
		"no rows":         func(w *Wake) { w.Rows = nil },
		"no way":          func(w *Wake) { w.Rows[0].Way = "" },
		"twice":           func(w *Wake) { w.Rows[1] = w.Rows[0] },
		"no waits":        func(w *Wake) { w.Rows[0].Waits = 0 },
		"negative share":  func(w *Wake) { w.Rows[0].Core = -1 },
		"share unknown":   func(w *Wake) { w.Rows[0].Core = math.NaN() },
		"percentiles":     func(w *Wake) { w.Rows[0].Late = w.Rows[0].Late[1:] },
		"too early":       func(w *Wake) { w.Rows[0].Late[0] = -1 },
		"falling":         func(w *Wake) { w.Rows[0].Late[9] = 100 },
		"not a number":    func(w *Wake) { w.Rows[0].Late[9] = math.NaN() },
		"infinitely late": func(w *Wake) { w.Rows[0].Late[102] = math.Inf(1) },
	} {
		w := wakes()
		plant(&w)
		file := filepath.Join(t.TempDir(), "wake.json")
		require.ErrorIs(t, w.Write(file), ErrImplausible, name)
		assert.NoFileExists(t, file, name)
	}
	file := filepath.Join(t.TempDir(), "wake.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"rows": [{}]}`), 0o644))
	_, err := ReadWake(file)
	require.ErrorIs(t, err, ErrImplausible)
	require.NoError(t, os.WriteFile(file, []byte(`{`), 0o644))
	_, err = ReadWake(file)
	require.ErrorContains(t, err, file)
	_, err = ReadWake(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}
