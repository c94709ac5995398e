package event_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// The native event of a closed event goes to the next event unless code outside of this package may
// know it, and nothing of the closed event is left.
func TestWhichNativeEventsAreUsedAgain(t *testing.T) {
	onFaces(t, newests(), sim.Options{SameProcessIPC: true}, func(t *testing.T, r *rig) {
		s, other := r.stream(r.device(0)), r.stream(r.device(0))
		captured := r.stream(r.device(0))
		_ = natives.Word(captured)
		plain := func() *event.Event { return obtain(s.RecordNew()) }
		for what, tc := range map[string]struct {
			make   func() *event.Event
			before func(e *event.Event) (after func()) // of Close
			again  bool
		}{
			"never recorded": {make: func() *event.Event { return obtain(s.Device().NewEvent()) },
				again: true},
			"recorded": {make: plain, again: true},
			"queried and waited for by a stream": {make: plain, again: true,
				before: func(e *event.Event) func() {
					_ = obtain(e.IsDone())
					ensure(other.WaitEvent(e))
					return nil
				}},
			"recorded on another stream": {make: plain, again: true,
				before: func(e *event.Event) func() { ensure(e.Record(other)); return nil }},
			"known to the garbage collector": {make: plain, again: true,
				before: func(e *event.Event) func() { event.RegisterCleanup(e); return nil }},
			"in use":     {make: plain, before: event.Use, again: true},
			"being made": {make: plain, before: event.Look, again: true},
			"waited for": {make: func() *event.Event { return obtain(s.Device().NewEvent()) },
				again: true,
				before: func(e *event.Event) func() {
					g := r.hold(s)
					ensure(e.Record(s))
					done := e.Done()
					g.Open()
					<-done
					return nil
				}},
			"given out": {make: plain,
				before: func(e *event.Event) func() { _ = natives.Word(e); return nil }},
			"shared": {make: func() *event.Event { return obtain(s.Device().NewEvent(event.WithIPC())) }},
			"captured": {make: func() *event.Event { return obtain(s.Device().NewEvent()) },
				before: func(e *event.Event) func() {
					r.beginCapture(captured)
					defer r.endCapture(captured)
					ensure(e.Record(captured))
					return nil
				}},
		} {
			event.DrainPools()
			e := tc.make()
			var after func()
			if tc.before != nil {
				after = tc.before(e)
			}
			native := event.NativeOf(e)
			ensure(e.Close())
			if after != nil {
				after()
			}
			require.True(t, eventually(func() bool {
				return !event.AnyRetiring() && event.IsOver(e)
			}), what)
			next := obtain(s.Device().NewEvent())
			if tc.again {
				assert.Equal(t, native, event.NativeOf(next), what)
			}
			assert.Equal(t, tc.again, event.IsFromPool(next), what)
			assert.Equal(t, event.Unrecorded, next.State(), what)
			ensure(next.Record(other))
			ensure(next.Sync())
			assert.ErrorIs(t, e.Record(s), event.ErrClosed, what)
			assert.ErrorIs(t, other.WaitEvent(e), event.ErrClosed, what)
			assert.Equal(t, event.Closed, e.State(), what)
			ensure(e.Close())
			assert.Equal(t, event.Done, next.State(), what)
			ensure(next.Close())
		}
		r.requireSound(t)
	})
}

// A closed event that is dropped does not take the next event's native event with it.
func TestClosedEventsAreDropped(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		leaks := s.Device().Stats().Leaks
		for _, register := range []func(*event.Event){func(*event.Event) {}, event.RegisterCleanup} {
			var next []*event.Event
			for range 10 {
				e := obtain(s.RecordNew())
				native := event.NativeOf(e)
				ensure(e.Close())
				next = append(next, r.recorded(s))
				assert.Equal(t, native, event.NativeOf(next[len(next)-1]))
				register(e)
			}
			for range 3 {
				runtime.GC()
			}
			for _, e := range next {
				ensure(e.Record(s))
				assert.True(t, obtain(e.IsDone()))
			}
		}
		assert.Equal(t, leaks, s.Device().Stats().Leaks)
	})
}

// Calls that use an event while it is closed never get the answer of the event that has its native
// event next.
func TestLateUsersOfAClosedEvent(t *testing.T) {
	rounds := 20_000
	if testing.Short() || raceEnabled {
		rounds = 2_000
	}
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		busy, idle, third := r.stream(r.device(0)), r.stream(r.device(0)), r.stream(r.device(0))
		first := r.recorded(idle, event.WithTiming())
		g := r.hold(busy)
		var current atomic.Pointer[event.Event]
		var wrong atomic.Int64
		var all sync.WaitGroup
		closed := func(err error) bool { return err == nil || errors.Is(err, event.ErrClosed) }
		for _, ask := range []func(e *event.Event) bool{
			func(e *event.Event) bool { done, err := e.IsDone(); return !done && closed(err) },
			func(e *event.Event) bool { s := e.State(); return s == event.Pending || s == event.Closed },
			func(e *event.Event) bool { return closed(third.WaitEvent(e)) },
			func(e *event.Event) bool {
				_, err := e.Sub(first)
				return errors.Is(err, event.ErrNotReady) || errors.Is(err, event.ErrClosed)
			},
		} {
			all.Go(func() {
				for e := current.Load(); ; e = current.Load() {
					switch {
					case e == first:
						return
					case e != nil && !ask(e):
						wrong.Add(1)
					}
				}
			})
		}
		for i := range rounds {
			e := obtain(busy.RecordNew(event.WithTiming()))
			current.Store(e)
			for range i % 8 {
				runtime.Gosched()
			}
			ensure(e.Close())
			next := obtain(idle.RecordNew(event.WithTiming()))
			if done, err := next.IsDone(); !done || err != nil {
				wrong.Add(1)
			}
			ensure(next.Close())
		}
		current.Store(first)
		all.Wait()
		assert.Zero(t, wrong.Load())
		g.Open()
		r.requireSound(t)
	})
}

// Who takes a time of an event while it is closed never gets that of the event that has its native
// event next.
func TestLateTimesOfAClosedEvent(t *testing.T) {
	rounds := 20_000
	if testing.Short() || raceEnabled {
		rounds = 2_000
	}
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		busy, idle := r.stream(r.device(0)), r.stream(r.device(0))
		first := r.recorded(idle, event.WithTiming())
		assert.True(t, obtain(first.IsDone()))
		g := r.hold(busy)
		var current atomic.Pointer[event.Event]
		var wrong atomic.Value
		var all sync.WaitGroup
		for _, between := range []func(e *event.Event) (time.Duration, error){
			func(e *event.Event) (time.Duration, error) { return e.Sub(first) },
			func(e *event.Event) (time.Duration, error) { return first.Sub(e) },
		} {
			all.Go(func() {
				for e := current.Load(); e != first; e = current.Load() {
					if e == nil {
						continue
					}
					if _, err := between(e); err != nil && !errors.Is(err, event.ErrClosed) {
						wrong.CompareAndSwap(nil, err)
					}
				}
			})
		}
		for i := range rounds {
			e := r.recorded(idle, event.WithTiming())
			assert.True(t, obtain(e.IsDone()))
			current.Store(e)
			for range i % 8 {
				runtime.Gosched()
			}
			ensure(e.Close())
			next := obtain(busy.RecordNew(event.WithTiming())) // pending, with the native event
			ensure(next.Close())
		}
		current.Store(first)
		all.Wait()
		assert.Nil(t, wrong.Load())
		g.Open()
		r.requireSound(t)
	})
}
