package eventtest

import (
	"context"
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

var closeBehaviours = []behaviour{
	{"close/twice", nil, func(k *kit) {
		e, s := k.event(event.WithTiming()), k.stream()
		k.NoError(e.Record(s))
		for range 3 {
			k.NoError(e.Close())
			k.NoError(s.Close())
		}
		k.True(e.IsClosed())
		k.True(s.IsClosed())
		k.Equal(event.Closed, e.State())
	}},
	{"close/every-method-of-the-event-says-so", nil, func(k *kit) {
		e := k.event(event.WithTiming())
		k.NoError(e.Record(k.stream()))
		k.NoError(e.Close())
		k.Zero(k.callsOf(func() {
			callAll(k, e, event.ErrClosed, "Close", "Sub", "Record", "OnDone")
			k.refused(e.OnDone(func(error) {}), event.ErrClosed, e.String())
		}), "no call reached the driver")
		good := k.event(event.WithTiming())
		k.refused(e.Record(k.stream()), event.ErrClosed, e.String())
		k.refused(k.stream().Record(e), event.ErrClosed, e.String())
		k.refused(k.stream().WaitEvent(e), event.ErrClosed, e.String())
		_, err := good.Sub(e)
		k.refused(err, event.ErrClosed, e.String())
		_, err = e.Sub(good)
		k.refused(err, event.ErrClosed, e.String())
		k.reached("done", e.Done())
		k.Zero(natives.Word(e))
	}},
	{"close/every-method-of-the-stream-says-so", nil, func(k *kit) {
		s := k.stream()
		k.NoError(s.Close())
		callAll(k, s, event.ErrClosed, "Close")
		k.refused(k.event().Record(s), event.ErrClosed, s.String())
		k.refused(k.stream().WaitStream(s), event.ErrClosed, s.String())
		k.Zero(natives.Word(s))
	}},
	{"close/pending-event-lets-work-go-on", nil, func(k *kit) {
		s1, s2 := k.stream(), k.stream()
		g := k.gate(s1)
		e := k.record(s1)
		k.NoError(s2.WaitEvent(e))
		after := k.record(s2)
		k.NoError(e.Close())
		k.isDone(false, after)
		g.open()
		k.NoError(after.Sync())
	}},
	{"close/wakes-waiters", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		done := e.Done()
		returned := make(chan error, 2)
		go func() { returned <- e.Wait(context.Background()) }()
		go func() { _, err := event.WaitAny(context.Background(), e); returned <- err }()
		k.isDone(false, e)
		k.NoError(e.Close())
		k.refused(<-returned, event.ErrClosed, e.String())
		k.refused(<-returned, event.ErrClosed, e.String())
		k.reached("done", done)
		k.refused(e.Err(), event.ErrClosed)
		g.pass()
	}},
	{"close/while-sync-waits", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		returned := make(chan error, 1)
		entered := make(chan struct{})
		go func() { close(entered); returned <- e.Sync() }()
		<-entered
		k.NoError(e.Close()) // returns at once; the handle lives until Sync has returned
		g.open()
		if err := <-returned; err != nil { // Sync came second
			k.refused(err, event.ErrClosed)
		}
	}},
	{"close/in-any-order", nil, func(k *kit) {
		s, err := k.Device.NewStream()
		k.NoError(err)
		e, err := s.RecordNew(event.WithTiming())
		k.NoError(err)
		k.NoError(s.Close())
		k.NoError(e.Sync())
		k.isDone(true, e)
		k.Equal(event.Done, e.State())
		s2 := k.stream()
		k.NoError(s2.WaitEvent(e))
		k.NoError(e.Close())
		k.NoError(s2.Sync())
	}},
	{"close/of-a-stream-leaves-its-events", nil, func(k *kit) {
		for _, ask := range []func(e *event.Event) error{
			func(e *event.Event) error { _, err := e.IsDone(); return err },
			func(e *event.Event) error { e.State(); return e.Err() },
			func(e *event.Event) error { return e.Sync() },
			func(e *event.Event) error { return e.Wait(k.ctx()) },
			func(e *event.Event) error { _, err := e.Sub(e); return err },
			func(e *event.Event) error { return k.stream().WaitEvent(e) },
		} {
			s, err := k.Device.NewStream()
			k.NoError(err)
			g := k.hold(s)
			e := k.record(s, event.WithTiming())
			waiting := e.Done()
			closed := make(chan error, 1)
			go func() { closed <- s.Close() }() // on AMD it waits for the work
			k.eventually("the close", s.IsClosed)
			g()
			k.NoError(<-closed)
			k.reached("done", waiting)
			k.NoError(ask(e))
			k.isDone(true, e)
			k.NoError(e.Record(k.stream()))
			k.NoError(e.Wait(k.ctx()))
		}
	}},
	{"close/new-event-knows-nothing-of-an-old-one", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		old := k.record(s, event.WithTiming())
		waiting := old.Done()
		k.NoError(old.Close())
		e := k.event() // perhaps with the same native handle
		k.reached("the end of the wait", waiting)
		k.Equal(event.Unrecorded, e.State())
		k.isDone(true, e)
		g.pass()
		k.Equal(event.Unrecorded, e.State())
		_, err := e.Sub(e)
		k.ErrorIs(err, event.ErrTimingDisabled)
	}},
	{"close/many-goroutines-leave-nothing", nil, func(k *kit) {
		s := k.stream()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 100 {
					e, err := s.RecordNew()
					k.NoError(err)
					k.NoError(e.Sync())
					k.NoError(e.Close())
				}
			})
		}
		all.Wait()
	}},
	{"close/race-with-everything", nil, func(k *kit) {
		s := k.stream()
		for range 50 {
			e, err := k.Device.NewEvent()
			k.NoError(err)
			var all sync.WaitGroup
			for range 2 {
				all.Go(func() { _ = e.Record(s); _ = e.Wait(context.Background()) })
				all.Go(func() { _, _ = e.IsDone(); _ = e.Sync(); <-e.Done() })
				all.Go(func() { _ = s.WaitEvent(e); _ = e.OnDone(func(error) {}) })
				all.Go(func() { _ = e.Close() })
			}
			k.within("the end of the race", all.Wait)
			k.NoError(e.Close())
			k.True(e.IsClosed())
		}
	}},
	{"close/garbage-collector-does-it", nil, func(k *kit) {
		if k.Check == nil {
			k.t.Skip("the target can't be counted")
		}
		for range 20 {
			func() {
				s, err := k.Device.NewStream()
				k.NoError(err)
				e, err := s.RecordNew()
				k.NoError(err)
				k.NoError(e.Sync())
			}()
		}
		runtime.GC() // Check waits for the rest
	}},
}
