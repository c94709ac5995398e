package eventtest

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

var captureBehaviours = []behaviour{
	{"capture/event-is-never-asked-for", []need{can(event.CapCapture)}, func(k *kit) {
		for _, mode := range []captureMode{relaxed, global} {
			s, e := k.stream(), k.event(event.WithTiming())
			c := k.capture(s, mode)
			k.NoError(e.Record(s))
			k.Equal(event.Captured, e.State())
			k.EqualValues(1, e.Generation())
			ask := func() {
				_, err := e.IsDone()
				k.refused(err, event.ErrCaptured, e.String())
				k.refused(e.Sync(), event.ErrCaptured)
				k.refused(e.Wait(k.ctx()), event.ErrCaptured)
				k.refused(e.OnDone(func(error) {}), event.ErrCaptured)
				k.refused(e.Err(), event.ErrCaptured)
				_, err = e.Sub(e)
				k.refused(err, event.ErrCaptured)
				_, err = event.WaitAny(k.ctx(), e)
				k.refused(err, event.ErrCaptured)
				k.reached("done", e.Done())
			}
			ask()
			c.end().launch(s)
			ask() // it stays a place in a graph
			k.NoError(e.Record(s))
			k.NoError(e.Sync())
			k.Equal(event.Done, e.State())
		}
	}},
	{"capture/forks-and-joins", []need{can(event.CapCapture), can(event.CapHostFunc)}, func(k *kit) {
		s1, s2 := k.stream(), k.stream()
		fork, join := k.event(), k.event()
		var ran atomic.Int32
		c := k.capture(s1, relaxed)
		k.NoError(fork.Record(s1))
		k.NoError(s2.WaitEvent(fork))
		k.NoError(s2.HostFunc(func() error { ran.Add(1); return nil }))
		k.NoError(join.Record(s2)) // s2 captures now, which the event must notice
		k.Equal(event.Captured, join.State())
		k.NoError(s1.WaitEvent(join))
		g := c.end()
		k.Zero(ran.Load())
		for i := range 2 {
			g.launch(s1)
			k.NoError(s1.Sync())
			k.EqualValues(i+1, ran.Load(), "the function runs at each launch")
		}
	}},
	{"capture/stream-is-never-asked-for", []need{can(event.CapCapture)}, func(k *kit) {
		s := k.stream()
		c := k.capture(s, relaxed)
		_, err := s.IsDone()
		k.refused(err, event.ErrCaptured, s.String())
		k.refused(s.Sync(), event.ErrCaptured)
		k.refused(s.Wait(k.ctx()), event.ErrCaptured)
		c.end()
		k.NoError(s.Sync())
	}},
	{"capture/is-not-disturbed-by-waits-of-others", []need{can(event.CapCapture)}, func(k *kit) {
		held, s := k.stream(), k.stream()
		g := k.gate(held)
		e, later := k.record(held), k.record(held)
		returned := make(chan error, 1)
		go func() { returned <- e.Wait(context.Background()) }()
		c := k.capture(s, global) // from now on a direct query from any thread would end the capture
		k.NoError(k.event().Record(s))
		done := later.Done()
		k.ErrorIs(e.Wait(expired(k, time.Millisecond)), context.DeadlineExceeded)
		g.open()
		k.NoError(<-returned)
		k.reached("done", done)
		k.NoError(e.Wait(k.ctx()))
		c.end()
	}},
	{"capture/record-into-one-keeps-waiters", []need{can(event.CapCapture)}, func(k *kit) {
		held, s := k.stream(), k.stream()
		g := k.gate(held)
		e := k.record(held)
		waiting := e.Done()
		returned := make(chan error, 1)
		k.NoError(e.OnDone(func(err error) { returned <- err }))
		c := k.capture(s, relaxed)
		k.NoError(e.Record(s))
		k.Equal(event.Captured, e.State())
		k.True(isOpen(waiting))
		g.open()
		k.NoError(<-returned)
		k.reached("the first record", waiting)
		c.end()
	}},
	{"capture/external-records-run-with-the-graph", []need{can(event.CapExternal)}, func(k *kit) {
		s := k.stream()
		start, end := k.event(event.WithTiming(), event.WithExternal()),
			k.event(event.WithTiming(), event.WithExternal())
		k.True(start.IsExternal())
		c := k.capture(s, relaxed)
		k.NoError(start.Record(s))
		k.NoError(end.Record(s))
		g := c.end()
		k.NotEqual(event.Captured, end.State())
		_, err := end.Sub(start)
		k.refused(err, event.ErrNotRecorded, "launch the graph")
		for range 2 {
			g.launch(s)
			k.NoError(end.Wait(k.ctx()))
			k.NoError(end.Sync())
			d, err := end.Sub(start)
			k.NoError(err)
			k.GreaterOrEqual(d, time.Duration(0))
			k.Equal(event.Done, end.State())
		}
	}},
	{"capture/external-waits-are-nodes-of-the-graph", []need{can(event.CapExternal)}, func(k *kit) {
		held, s := k.stream(), k.stream()
		e := k.event(event.WithExternal())
		gate := k.gate(held)
		k.NoError(e.Record(held)) // outside a capture it changes nothing
		c := k.capture(s, relaxed)
		k.NoError(s.WaitEvent(e))
		g := c.end()
		g.launch(s)
		after := k.record(s)
		k.isDone(false, after)
		gate.open()
		k.NoError(after.Sync())
	}},
	{"capture/external-outside-one-is-plain", []need{can(event.CapExternal)}, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s, event.WithExternal())
		k.isDone(false, e)
		k.NoError(k.stream().WaitEvent(e))
		g.open()
		k.NoError(e.Wait(k.ctx()))
		k.Equal(event.Done, e.State())
	}},
}

// expired is a context that ends soon.
func expired(k *kit, after time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), after)
	k.t.Cleanup(cancel)
	return ctx
}
