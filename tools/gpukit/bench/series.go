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

// way is one way to make an operation.
type way struct {
	name string
	// inside has the device's context current, as raw calls need it.
	inside bool
	// before prepares a run of n operations, outside of the clock.
	before func(n int) error
	do     func() error
	// after waits until the device has done the run, outside of the clock, and checks the result.
	after func(n int) error
	// sample, in the place of do, makes one operation and measures it itself.
	sample func() (time.Duration, error)
	note   string
}

// set are the ways of an operation.
type set struct {
	ways []way
	warm int // operations before the clock starts
	rate int // bytes that an operation moves, if a rate is of interest
}

// errOutlasted is the end of a run whose work ended before it.
var errOutlasted = errors.New("what was to be pending is done")

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
	began := time.Now()
	sum, err := w.loop(n)
	took := time.Since(began)
	runtime.ReadMemStats(&m1)
	if err != nil {
		return err
	}
	if w.sample != nil {
		took = sum
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
	s.wall = append(s.wall, float64(took)/float64(n))
	return nil
}

// loop makes n operations, and adds up the times of samples.
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

// figure summarizes the runs.
func (s *series) figure() report.Figure {
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
	return f
}

// quantile is the value that a share of all does not exceed.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
