package soak

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report is what came of a run.
type Report struct {
	Config    Config
	Took      time.Duration
	Kinds     map[string]int64 // operations by kind
	Ops       int64
	Records   int64
	Waits     int64
	Faults    int64 // driver calls that were made to fail
	Tolerated int64 // failures that the package passed on, as it should
	Late      string
	Wrong     []string // what was found
	// Impossible is why there was no run: [ErrOpen], [ErrNoGate]. Wrong has it too.
	Impossible error
}

func (w *world) report() Report {
	r := Report{
		Config:    w.Config,
		Took:      time.Since(w.began),
		Kinds:     map[string]int64{},
		Records:   w.recordsMade.Load(),
		Tolerated: w.tolerated.Load(),
		Late:      w.late.String() + w.ends.String(),
	}
	if w.machine != nil {
		r.Faults = int64(w.machine.FaultCount())
	}
	for _, k := range w.workers {
		for i, n := range k.done {
			r.Kinds[opKind(i).String()] += n
			r.Ops += n
			switch opKind(i) {
			case opWait, opSync, opWaitAny, opWaitAll, opDone, opOnDone,
				opStreamWait, opStreamSync, opDeviceSync:
				r.Waits += n
			}
		}
	}
	w.findMu.Lock()
	r.Wrong = slices.Clone(w.findings)
	w.findMu.Unlock()
	return r
}

// String is the report in two lines.
func (r Report) String() string {
	var kinds []string
	for k, n := range r.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, n))
	}
	slices.Sort(kinds)
	on := "cuda-" + r.Config.CUDA + " hip-" + r.Config.HIP
	if r.Config.Form == Real {
		on = r.Config.Devices
	}
	return fmt.Sprintf("soak %s %s seed %d: %d operations in %v (%d/s), %d records, "+
		"%d waits, %d faults, %d failures passed on, %d wrong; %s\n  %s",
		r.Config.Form, on, r.Config.Seed,
		r.Ops, r.Took.Round(time.Millisecond), int64(float64(r.Ops)/max(r.Took.Seconds(), 1e-3)),
		r.Records, r.Waits, r.Faults, r.Tolerated, len(r.Wrong), r.Late, strings.Join(kinds, ", "))
}
