package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
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

// set are the ways of an operation, and what has to be freed afterwards.
type set struct {
	ways  []way
	warm  int // operations before the clock starts
	rate  int // bytes that an operation moves, if a rate is of interest
	close func() error
}

// errLeftOut is the cause where a device can't do an operation.
var errLeftOut = errors.New("not possible")

func leftOut(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errLeftOut, fmt.Errorf(format, args...))
}

// errOutlasted is the end of a run whose work ended before it.
var errOutlasted = errors.New("what was to be pending is done")

// fewest are the runs that a figure needs.
const fewest = 3

// operation measures an operation in all its ways, for at most some time.
func (b *bench) operation(r *rig, p planned, most time.Duration) (
	figures []report.Figure, err error,
) {
	s, err := p.prepare(r)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil { // an operation that succeeds leaves nothing pending
			err = errors.Join(err, r.idle())
		}
		if s.close != nil {
			err = errors.Join(err, s.close())
		}
	}()
	runtime.LockOSThread() // whose context is the raw calls'
	defer runtime.UnlockOSThread()
	end := time.Now().Add(most)
	all := make([]series, len(s.ways))
	shuffle := rand.New(rand.NewPCG(b.seed, 0))
	for n := range p.runs {
		if time.Now().After(end) {
			if n < fewest {
				return nil, leftOut("%d runs took all of its time, %v", n, most)
			}
			break
		}
		for _, i := range shuffle.Perm(len(s.ways)) {
			w := &s.ways[i]
			if err := all[i].run(r, w, p.perRun, s.warm); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	for i := range all {
		f := all[i].figure(s.rate)
		f.Device, f.Operation, f.Way = r.device.String(), p.name, s.ways[i].name
		f.PerRun = p.perRun
		if f.Note == "" {
			f.Note = s.ways[i].note
		}
		figures = append(figures, f)
	}
	return figures, nil
}
