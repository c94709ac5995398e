package eventtest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

var waitBehaviours = []behaviour{
	{"wait/returns-when-done", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		returned := make(chan error, 1)
		go func() { returned <- e.Wait(context.Background()) }()
		k.isDone(false, e)
		g.open()
		k.NoError(<-returned)
		k.isDone(true, e)
		k.NoError(e.Wait(k.ctx()))
	}},
	{"wait/deadline-leaves-nothing-behind", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		err := e.Wait(ctx)
		k.refused(err, context.DeadlineExceeded, e.String())
		k.isDone(false, e)
		k.NoError(k.record(k.stream()).Sync(), "other events go on")
		g.open()
		k.NoError(e.Wait(k.ctx()), "it can be waited for again")
	}},
	{"wait/cancelling-one-leaves-the-others", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		ctx, cancel := context.WithCancel(context.Background())
		var cancelled, woken sync.WaitGroup
		errs := make(chan error, 20)
		for range 10 {
			cancelled.Go(func() { errs <- e.Wait(ctx) })
			woken.Go(func() { errs <- e.Wait(context.Background()) })
		}
		cancel()
		cancelled.Wait()
		for range 10 {
			k.ErrorIs(<-errs, context.Canceled)
		}
		k.Empty(errs)
		g.open()
		woken.Wait()
		for range 10 {
			k.NoError(<-errs)
		}
	}},
	{"wait/ended-context-returns-at-once", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		k.ErrorIs(k.record(s).Wait(ctx), context.Canceled)
		g.pass()
	}},
	{"wait/is-for-the-record-of-the-call", nil, func(k *kit) {
		held := k.stream()
		first := k.gate(held)
		e := k.record(held)
		second := k.gate(held)
		old := e.Done()
		returned := make(chan error, 1)
		k.NoError(e.OnDone(func(err error) { returned <- err }))
		k.NoError(e.Record(held)) // behind the second gate
		k.True(isOpen(old))
		newer := e.Done()
		first.open()
		k.reached("the first record", old)
		k.NoError(<-returned)
		k.True(isOpen(newer))
		k.isDone(false, e)
		second.pass()
		k.reached("the second record", newer)
	}},
	{"wait/survives-a-closed-stream", nil, func(k *kit) {
		s, err := k.Device.NewStream()
		k.NoError(err)
		open := k.hold(s)
		e := k.record(s)
		waiting := e.Done()
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }() // AMD's driver waits for the work
		k.eventually("close", s.IsClosed)
		k.True(isOpen(waiting))
		idle := k.stream()
		k.NoError(e.Record(idle))
		k.True(isOpen(waiting), "the wait is for the first record")
		open()
		k.reached("the first record", waiting)
		k.NoError(<-closed)
	}},
	{"wait/done-channel-selects", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		c := e.Done()
		k.True(isOpen(c))
		k.NoError(e.Err())
		g.open()
		k.reached("done", c)
		k.NoError(e.Err())
		k.reached("done", e.Done())
	}},
	{"wait/many-at-once", nil, func(k *kit) {
		var gates []*gate
		var events []*event.Event
		for range 4 {
			s := k.stream()
			gates = append(gates, k.gate(s))
			for range 10 {
				events = append(events, k.record(s))
			}
		}
		var all sync.WaitGroup
		errs := make(chan error, 1000)
		for _, e := range events {
			for range 10 {
				all.Go(func() { errs <- e.Wait(context.Background()) })
			}
		}
		for _, g := range gates {
			g.open()
		}
		k.within("the end of all waits", all.Wait)
		close(errs)
		for err := range errs {
			k.NoError(err)
		}
	}},
	{"wait/any-is-the-first", nil, func(k *kit) {
		s1, s2 := k.stream(), k.stream()
		g1, g2 := k.gate(s1), k.gate(s2)
		a, b := k.record(s1), k.record(s2)
		go g2.open()
		i, err := event.WaitAny(k.ctx(), a, b, a)
		k.NoError(err)
		k.Equal(1, i)
		i, err = event.WaitAny(k.ctx(), a, b)
		k.NoError(err)
		k.Equal(1, i, "one that is done already")
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		i, err = event.WaitAny(ctx, a, a)
		k.ErrorIs(err, context.DeadlineExceeded)
		k.Equal(-1, i)
		g1.pass()
		i, err = event.WaitAny(k.ctx())
		k.refused(err, event.ErrInvalidOption)
		k.Equal(-1, i)
	}},
	{"wait/any-and-all-across-backends", []need{other}, func(k *kit) {
		here, there := k.stream(), k.streamOn(k.Other)
		g1, g2 := k.gate(here), k.gate(there)
		a, b := k.record(here), k.record(there)
		go g2.open()
		i, err := event.WaitAny(k.ctx(), a, b)
		k.NoError(err)
		k.Equal(1, i)
		g1.open()
		k.NoError(event.WaitAll(k.ctx(), a, b))
		k.isDone(true, a)
		k.isDone(true, b)
	}},
	{"wait/all-joins-failures", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		pending, closed := k.record(s), k.record(s)
		k.NoError(closed.Close())
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		err := event.WaitAll(ctx, closed, pending, pending)
		k.ErrorIs(err, event.ErrClosed)
		k.ErrorIs(err, context.DeadlineExceeded)
		g.open()
		k.NoError(event.WaitAll(k.ctx(), pending, k.event()))
		k.NoError(event.WaitAll(k.ctx()))
	}},
	{"wait/ends-by-what-is-known", nil, func(k *kit) {
		s := k.stream()
		for range 20 {
			g := k.gate(s)
			older, newer := k.record(s), k.record(s)
			first, second := older.Done(), newer.Done()
			g.pass()
			k.isDone(true, newer)
			k.reached("the older record", first)
			k.reached("the newer record", second)
		}
	}},
}

var errPlanted = errors.New("planted")
