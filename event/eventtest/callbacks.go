package eventtest

import (
	"runtime"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

var callbackBehaviours = []behaviour{
	{"callback/runs-once-in-record-order", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		order := make(chan int, 100)
		for i := range 20 {
			e := k.record(s)
			k.NoError(e.OnDone(func(err error) { k.NoError(err); order <- 2 * i }))
			k.NoError(e.OnDone(func(err error) { k.NoError(err); order <- 2*i + 1 }))
		}
		k.Empty(order)
		g.open()
		for i := range 40 {
			k.Equal(i, <-order)
		}
		k.NoError(s.Sync())
		k.Empty(order)
	}},
	{"callback/may-call-anything", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		finished := make(chan error, 1)
		k.NoError(e.OnDone(func(error) {
			if err := e.Record(s); err != nil {
				finished <- err
				return
			}
			finished <- e.Sync()
		}))
		g.open()
		k.NoError(<-finished)
		k.EqualValues(2, e.Generation())
	}},
	{"callback/after-completion-runs-at-once", nil, func(k *kit) {
		s := k.stream()
		e := k.record(s)
		k.NoError(e.Sync())
		ran := make(chan error, 2)
		k.NoError(e.OnDone(func(err error) { ran <- err }))
		k.NoError(<-ran)
		k.NoError(k.event().OnDone(func(err error) { ran <- err }))
		k.NoError(<-ran)
		k.refused(e.OnDone(nil), event.ErrInvalidOption)
	}},
	{"callback/of-a-done-record-comes-after-older-ones", nil, func(k *kit) {
		s := k.stream()
		for range 20 {
			g := k.gate(s)
			older, newer := k.record(s), k.record(s)
			order := make(chan string, 2)
			k.NoError(older.OnDone(func(error) { order <- "older" }))
			g.pass()
			k.isDone(true, newer)
			k.NoError(newer.OnDone(func(error) { order <- "newer" }))
			k.Equal("older", <-order)
			k.Equal("newer", <-order)
		}
	}},
	{"callback/hears-of-close", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		ran := make(chan error, 1)
		k.NoError(e.OnDone(func(err error) { ran <- err }))
		k.NoError(e.Close())
		k.refused(<-ran, event.ErrClosed, e.String())
		k.refused(e.OnDone(func(error) {}), event.ErrClosed)
		g.pass()
	}},
	{"callback/panic-and-goexit-are-contained", nil, func(k *kit) {
		heard := make(chan error, 1)
		event.SetErrorHandler(func(err error) { heard <- err })
		defer event.SetErrorHandler(nil)
		s := k.stream()
		g := k.gate(s)
		var ran atomic.Int32
		last := make(chan struct{})
		e := k.record(s)
		k.NoError(e.OnDone(func(error) { ran.Add(1); panic(errPlanted) }))
		k.NoError(e.OnDone(func(error) { ran.Add(1); runtime.Goexit() }))
		k.NoError(e.OnDone(func(error) { ran.Add(1); close(last) }))
		g.open()
		k.reached("the last callback", last)
		k.EqualValues(3, ran.Load())
		k.ErrorContains(<-heard, "planted")
	}},
	{"callback/of-a-dropped-event-runs", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		ran := make(chan error, 1)
		func() {
			e, err := k.Device.NewEvent()
			k.NoError(err)
			k.NoError(e.Record(s))
			k.NoError(e.OnDone(func(err error) { ran <- err; _ = e.Close() }))
		}()
		runtime.GC()
		runtime.GC()
		k.Empty(ran)
		g.open()
		k.NoError(<-ran)
	}},
}
