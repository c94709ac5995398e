package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// The panels of the events' plot: nanoseconds per event but for the last.
const (
	creating  = "create"
	recording = "record, query"
	closing   = "close"
	memory    = "memory of an open event"
)

// life makes n events, records and queries each, and closes them.
type life struct {
	create func(i int) error
	record func(i int) error // and query
	close  func(i int) error
}

// measureEvents measures what an event costs among n that are open.
func measureEvents(o options) ([]growth.Curve, error) {
	c := &curves{figure: "events", least: true, should: map[string]growth.Verdict{
		creating: growth.Flat, recording: growth.Flat, closing: growth.Flat, memory: growth.Flat,
	}}
	for range o.rounds {
		for _, way := range []string{onHost, onSim, alone} {
			for _, n := range counts(o.events) {
				err := with(way, func(r *rig) error {
					return r.withStream(func(s *event.Stream) error {
						return measureLives(c, r, s, n, o)
					})
				})
				if err != nil {
					return nil, fmt.Errorf("%d events: %w", n, err)
				}
			}
		}
	}
	return c.finish(), nil
}

func measureLives(c *curves, r *rig, s *event.Stream, n int, o options) error {
	if r.way != alone {
		return timeLives(c, r.way, n, o, newLife(r.device, s, n))
	}
	native, err := s.CUDAStream()
	if err != nil {
		return err
	}
	return r.device.Do(func() error { return timeLives(c, r.way, n, o, newRawLife(native, n)) })
}

// newLife is that of events of package event.
func newLife(d *event.Device, s *event.Stream, n int) life {
	all := make([]*event.Event, n)
	return life{
		create: func(i int) (err error) {
			all[i], err = d.NewEvent()
			return err
		},
		record: func(i int) error {
			if err := all[i].Record(s); err != nil {
				return err
			}
			_, err := all[i].IsDone()
			return err
		},
		close: func(i int) error {
			e := all[i]
			all[i] = nil
			return e.Close()
		},
	}
}

// newRawLife is that of the driver's events.
func newRawLife(s cudrv.Stream, n int) life {
	all := make([]cudrv.Event, n)
	return life{
		create: func(i int) (err error) {
			all[i], err = cudrv.EventCreate(cudrv.EventDisableTiming)
			return err
		},
		record: func(i int) error {
			if err := cudrv.EventRecord(all[i], s); err != nil {
				return err
			}
			return cudrv.EventQuery(all[i])
		},
		close: func(i int) error { return cudrv.EventDestroy(all[i]) },
	}
}

// timeLives measures memory in a first run, and times the others. A run with few events repeats
// them.
func timeLives(c *curves, way string, n int, o options, l life) error {
	steps := []func(int) error{l.create, l.record, l.close}
	panels := []string{creating, recording, closing}
	perRun := n * max(1, o.work/n)
	heap := settledHeap()
	for run := range 1 + o.runsOf(n) {
		took := make([]time.Duration, len(steps))
		for range perRun / n {
			for i, step := range steps {
				began := time.Now()
				for e := range n {
					if err := step(e); err != nil {
						return err
					}
				}
				took[i] += time.Since(began)
				// With few events the noise of the heap is larger than they are.
				if run == 0 && panels[i] == recording && n >= 300 {
					c.add(memory, way, n, n, (float64(settledHeap())-float64(heap))/float64(n))
				}
			}
			if run == 0 {
				break
			}
		}
		runtime.GC() // what a run leaves behind is not the next one's
		for i, panel := range panels {
			if run > 0 { // the first has caches to fill
				c.add(panel, way, n, perRun, float64(took[i])/float64(perRun))
			}
		}
	}
	return nil
}

// runsOf is how many runs of n objects there are in a round.
func (o options) runsOf(n int) int {
	if n >= 100_000 {
		return min(o.runs, 2)
	}
	return o.runs
}

// settledHeap is what is alive on the heap once collections free no more: caches survive one.
func settledHeap() uint64 {
	for last := uint64(0); ; {
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		if moved := int64(s.HeapAlloc) - int64(last); -4096 < moved && moved < 4096 {
			return s.HeapAlloc
		}
		last = s.HeapAlloc
		time.Sleep(5 * time.Millisecond)
	}
}
