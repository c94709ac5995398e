package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// The panels of the waiters' plot: nanoseconds from the end of the work until all are awake.
const (
	goroutines = "goroutines in Wait, one event"
	channels   = "Done channels, an event each"
)

// measureWaiters measures how long after the end of work all of its n waiters are awake.
func measureWaiters(o options) ([]growth.Curve, error) {
	c := &curves{figure: "waiters", least: true, should: map[string]growth.Verdict{
		goroutines: growth.Linear, channels: growth.Linear,
	}}
	forms := []struct {
		panel string
		wake  func(r *rig, s *event.Stream, n int) (time.Duration, error)
		plain func(n int) time.Duration // without events
	}{
		{goroutines, wakeGoroutines, closeOne},
		{channels, wakeChannels, closeMany},
	}
	for range o.rounds {
		for _, f := range forms {
			for _, way := range []string{onHost, onSim} {
				for _, n := range counts(o.waiters) {
					err := with(way, func(r *rig) error {
						return o.repeat(n, func() error {
							return r.withStream(func(s *event.Stream) error {
								took, err := f.wake(r, s, n)
								c.add(f.panel, way, n, n, float64(took))
								return err
							})
						})
					})
					if err != nil {
						return nil, fmt.Errorf("%s, %d waiters: %w", f.panel, n, err)
					}
				}
			}
			for _, n := range counts(o.waiters) {
				_ = o.repeat(n, func() error {
					c.add(f.panel, goAlone, n, n, float64(f.plain(n)))
					return nil
				})
			}
		}
	}
	return c.finish(), nil
}

// repeat makes the runs of a round, until one fails.
func (o options) repeat(n int, run func() error) error {
	for range o.runsOf(n) {
		runtime.GC() // what a run leaves behind is not the next one's
		if err := run(); err != nil {
			return err
		}
	}
	return nil
}

// closeOne has n goroutines receive from one channel, which it closes.
func closeOne(n int) time.Duration {
	gate := make(chan struct{})
	var begun, awake sync.WaitGroup
	begun.Add(n)
	for range n {
		awake.Go(func() {
			begun.Done()
			<-gate
		})
	}
	begun.Wait()
	settle(n)
	began := time.Now()
	close(gate)
	awake.Wait()
	return time.Since(began)
}

// closeMany closes n channels, from which one goroutine receives in turn.
func closeMany(n int) time.Duration {
	all := make([]chan struct{}, n)
	for i := range all {
		all[i] = make(chan struct{})
	}
	began := time.Now()
	go func() {
		for _, c := range all {
			close(c)
		}
	}()
	for _, c := range all {
		<-c
	}
	return time.Since(began)
}

// settle gives n goroutines that have begun the time to wait.
func settle(n int) { time.Sleep(held + time.Duration(n)*time.Microsecond) }

// held is how long work lasts at least once all wait for it.
const held = 5 * time.Millisecond

// wakeGoroutines has n goroutines wait for one event.
func wakeGoroutines(r *rig, s *event.Stream, n int) (took time.Duration, err error) {
	open, err := r.hold(s)
	if err != nil {
		return 0, err
	}
	e, err := s.RecordNew()
	if err != nil {
		open()
		return 0, err
	}
	var failed atomic.Pointer[error]
	var begun, awake sync.WaitGroup
	begun.Add(n)
	for range n {
		awake.Go(func() {
			begun.Done()
			if err := e.Wait(context.Background()); err != nil {
				failed.Store(&err)
			}
		})
	}
	begun.Wait()
	settle(n)
	began := time.Now()
	open()
	awake.Wait()
	took = time.Since(began)
	if p := failed.Load(); p != nil {
		err = *p
	}
	return took, errors.Join(err, e.Close())
}

// wakeChannels takes the Done channel of each of n events of the stream.
func wakeChannels(r *rig, s *event.Stream, n int) (took time.Duration, err error) {
	open, err := r.hold(s)
	if err != nil {
		return 0, err
	}
	events := make([]*event.Event, 0, n)
	done := make([]<-chan struct{}, 0, n)
	for range n {
		e, err := s.RecordNew()
		if err != nil {
			open()
			return 0, errors.Join(err, closeAll(events))
		}
		events, done = append(events, e), append(done, e.Done())
	}
	time.Sleep(held)
	began := time.Now()
	open()
	for _, c := range done {
		<-c
	}
	took = time.Since(began)
	for _, e := range events {
		err = errors.Join(err, e.Err())
	}
	return took, errors.Join(err, closeAll(events))
}

func closeAll(events []*event.Event) (err error) {
	for _, e := range events {
		err = errors.Join(err, e.Close())
	}
	return err
}
