package bench

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// series are the runs of one way.
type series struct {
	wall   []float64 // per operation, in nanoseconds
	allocs float64   // the least of all runs
}

// run is one more run of n operations. A run that outlasted what was to be pending is made again
// behind longer work.
func (s *series) run(r *rig, w *way, n, warm int) (err error) {
	for r.hold = shortestHold; r.hold <= longestHold; r.hold *= 2 {
		if w.inside {
			err = r.device.Do(func() error { return s.once(w, n, warm) })
		} else {
			err = s.once(w, n, warm)
		}
		if !errors.Is(err, errOutlasted) {
			return err
		}
	}
	return fmt.Errorf("%w after %v", err, longestHold)
}

// once makes a run and keeps its figures unless it failed.
func (s *series) once(w *way, n, warm int) error {
	if w.before != nil {
		if err := w.before(n + warm); err != nil {
			return err
		}
	}
	for range warm {
		if err := w.do(); err != nil {
			return err
		}
	}
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	t0 := time.Now()
	wall, err := w.loop(n)
	t1 := time.Now()
	runtime.ReadMemStats(&m1)
	if err != nil {
		return err
	}
	if w.sample == nil {
		wall = t1.Sub(t0)
	}
	if w.after != nil {
		if err := w.after(n + warm); err != nil {
			return err
		}
	}
	allocs := float64(m1.Mallocs-m0.Mallocs) / float64(n)
	if len(s.wall) == 0 || allocs < s.allocs {
		s.allocs = allocs
	}
	s.wall = append(s.wall, float64(wall)/float64(n))
	return nil
}

// loop makes n operations. The time is that of samples; others are timed from outside.
func (w *way) loop(n int) (sum time.Duration, err error) {
	if w.sample == nil {
		for range n {
			if err := w.do(); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
	for range n {
		d, err := w.sample()
		if err != nil {
			return 0, err
		}
		sum += d
	}
	return sum, nil
}

// figure sums the runs up. rate is how many bytes an operation moves.
func (s *series) figure(rate int) report.Figure {
	f := report.Figure{
		Median: quantile(s.wall, 0.5),
		Best:   slices.Min(s.wall),
		Runs:   len(s.wall),
		Allocs: math.Round(s.allocs*100) / 100,
	}
	const enough = 50 // runs to speak of a 99th percentile
	if len(s.wall) >= enough {
		f.P99 = quantile(s.wall, 0.99)
	}
	if rate > 0 && f.Median > 0 {
		f.Note = fmt.Sprintf("%.2f GB/s, both directions", float64(rate)/f.Median)
	}
	return f
}

// quantile is the value that a share of all does not exceed.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
