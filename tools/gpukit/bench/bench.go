// Package bench measures on a real device, beside raw calls of its driver, what the operations of
// packages event, compute and timeline cost. It needs neither cgo nor a toolkit.
//
// The operations are those of plan. Those that a device can't do are left out. The ways are
//
//   - raw: the calls of cudrv or hip that a program without package event would make, through one
//     Go interface, with the device's context current;
//   - event: package event's own, as a program calls them, with no context current;
//   - compute, timeline: of those packages, likewise;
//   - event Sync: for wake-ups, Event.Sync beside Event.Wait.
//
// A run is a fixed number of operations in a loop between two readings of the monotonic clock. It
// is preceded by a few operations that are not counted, and followed, outside of the clock, by a
// wait until the device has done everything, and by a check of the result. Ways take turns: each
// round has one run of every way, in an order that changes, so that what happens to the machine
// happens to all. A figure is the median of the runs.
//
// Runs are short enough for the driver's queues, which block when they are full: at most 500
// records or launches are pending at a time. A record is of an event without timing, on an idle
// stream. Where something has to be pending, a kernel that lasts some milliseconds precedes it on
// the stream; a run that it did not outlast is repeated behind a longer one. An event is known to
// be done when event is asked again, so the driver is not; a raw query always asks.
//
// A copy goes to the device and back, and waits; the note has the rate, which counts both
// directions. Raw and compute copy the same memory.
//
// A wake-up is one record, a kernel of the given length, another record, and the wait for it: the
// time by the host's clock from before the first record until the wait returns, less the time
// between the two events by the device's. What remains is the way to the device and back, which
// all ways have, and the wait's own delay. The figure has the median and the 99th percentile.
//
// The kernels are carried along as PTX text for NVIDIA, and as source for AMD's hipRTC; without
// hipRTC everything that launches is left out. On the host device kernels are Go functions, and
// there are no raw calls.
package bench

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// planned is an operation that is measured in several ways, in each as often.
type planned struct {
	name    string
	perRun  int                      // operations of a run
	runs    int                      // runs that a figure is of, if the time suffices
	kernels bool                     // it launches some
	prepare func(*rig) (*set, error) // its ways
}

// plan lists the operations in the order in which they are measured. No run leaves more than 500
// operations in a queue, since drivers block when one is full.
var plan = []planned{
	{"record", 200, 31, false, record},
	{"query done", 1000, 31, false, queryDone},
	{"query pending", 200, 15, true, queryPending},
	{"elapsed", 1000, 31, false, elapsed},
	{"stream wait", 200, 15, true, streamWait},
	{"create+record+close", 100, 31, false, createRecordClose},
	{"sync empty stream", 200, 31, false, syncEmpty},
	{"two records", 100, 31, false, twoRecords},
	{"launch 0 arguments", 200, 31, true, launch0},
	{"launch 4 arguments", 200, 31, true, launch4},
	{"graph launch 10 nodes", 40, 31, true, graphLaunch},
	{"alloc+free in stream order", 50, 31, false, allocFreeOrdered},
	{"copy 4 KiB", 50, 31, false, copies(4 << 10)},
	{"copy 64 MiB", 1, 15, false, copies(64 << 20)},
	{"wake-up after 0.05 ms", 1, 300, true, wakeAfter(50 * time.Microsecond)},
	{"wake-up after 0.5 ms", 1, 200, true, wakeAfter(500 * time.Microsecond)},
	{"wake-up after 5 ms", 1, 60, true, wakeAfter(5 * time.Millisecond)},
}

// Run measures all operations on a device within a time. It calls write with all figures so far
// after each operation, so that those of an interrupted run are kept.
func Run(d *event.Device, limit time.Duration, log io.Writer,
	write func([]report.Figure) error) error {
	b := &bench{log: log, write: write, end: time.Now().Add(limit), plan: plan, seed: 1}
	return b.device(d)
}

// bench is one run.
type bench struct {
	log     io.Writer
	write   func([]report.Figure) error
	end     time.Time
	plan    []planned
	runs    int // of each way, at most; those of the plan if 0
	seed    uint64
	figures []report.Figure
}

func (b *bench) device(d *event.Device) (err error) {
	r, err := newRig(d)
	if err != nil {
		return fmt.Errorf("%s: %w", d, err)
	}
	defer func() { err = errors.Join(err, r.close()) }()
	for i, p := range b.plan {
		if b.runs > 0 {
			p.runs = min(p.runs, b.runs)
		}
		share := time.Until(b.end) / time.Duration(len(b.plan)-i)
		figures, err := b.operation(r, p, share)
		switch {
		case errors.Is(err, errLeftOut):
			fmt.Fprintf(b.log, "left out on %s: %s: %v\n", d, p.name, err)
			continue
		case err != nil:
			return fmt.Errorf("%s: %s: %w", d, p.name, err)
		}
		b.figures = append(b.figures, figures...)
		if err := b.write(b.figures); err != nil {
			return err
		}
	}
	return nil
}

// errLeftOut is the cause where a device can't do an operation.
var errLeftOut = errors.New("not possible")

// fewest are the runs that a figure needs.
const fewest = 3

// operation measures an operation in all its ways, for at most some time.
func (b *bench) operation(r *rig, p planned, most time.Duration) (figures []report.Figure,
	err error) {
	if p.kernels && r.kernels == nil {
		return nil, fmt.Errorf("%w: %w", errLeftOut, r.without)
	}
	defer func() {
		if err != nil { // an operation that succeeds leaves nothing pending
			err = errors.Join(err, r.idle())
		}
		err = errors.Join(err, r.release())
	}()
	s, err := p.prepare(r)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // whose context is the raw calls'
	defer runtime.UnlockOSThread()
	end := time.Now().Add(most)
	all := make([]series, len(s.ways))
	shuffle := rand.New(rand.NewPCG(b.seed, 0))
	for n := range p.runs {
		if time.Now().After(end) {
			if n < fewest {
				return nil, fmt.Errorf("%w: %d runs took all of its time, %v", errLeftOut, n, most)
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
		f := all[i].figure()
		f.Device, f.Operation, f.Way = r.device.String(), p.name, s.ways[i].name
		f.PerRun, f.Note = p.perRun, s.ways[i].note
		if s.rate > 0 && f.Median > 0 {
			f.Note = fmt.Sprintf("%.2f GB/s, both directions", float64(s.rate)/f.Median)
		}
		figures = append(figures, f)
	}
	return figures, nil
}
