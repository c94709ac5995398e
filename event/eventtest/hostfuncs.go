package eventtest

import (
	"runtime"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// ends are the ways in which a host function can fail.
var ends = map[string]func() error{
	"error":  func() error { return errPlanted },
	"panic":  func() error { panic(errPlanted) },
	"Goexit": func() error { runtime.Goexit(); return nil },
}

// hears collects what the error handler gets until the end of the behaviour.
func (k *kit) hears() (heard chan error) {
	heard = make(chan error, 100)
	event.SetErrorHandler(func(err error) { heard <- err })
	k.t.Cleanup(func() { event.SetErrorHandler(nil) })
	return heard
}

// failedFunc wants the error of a host function that failed on s, with these words.
func (k *kit) failedFunc(err error, s *event.Stream, words ...string) {
	k.t.Helper()
	var f *event.HostFuncError
	k.ErrorAs(err, &f)
	k.Equal(s.String(), f.Stream)
	for _, w := range append(words, s.String()) {
		k.ErrorContains(err, w)
	}
}

// failedStream returns a stream on which a function has failed, after before has run on it.
func (k *kit) failedStream(before func(*event.Stream)) *event.Stream {
	k.t.Helper()
	s := k.stream()
	before(s)
	k.NoError(s.HostFunc(ends["error"]))
	return s
}

// questions are all ways to learn the outcome of an event, or of its stream.
var questions = map[string]func(k *kit, s *event.Stream, e *event.Event) error{
	"Event.Wait": func(k *kit, _ *event.Stream, e *event.Event) error { return e.Wait(k.ctx()) },
	"Event.Sync": func(_ *kit, _ *event.Stream, e *event.Event) error { return e.Sync() },
	"Event.Done": func(k *kit, _ *event.Stream, e *event.Event) error {
		k.reached("done", e.Done())
		return e.Err()
	},
	"Event.IsDone": untilTold(func(e *event.Event) (bool, error) { return e.IsDone() }),
	"Event.Err": untilTold(func(e *event.Event) (bool, error) {
		return false, e.Err() // nil while it is pending
	}),
	"Event.State": untilTold(func(e *event.Event) (bool, error) {
		s := e.State()
		if s == event.Failed {
			return false, e.Err()
		}
		return s == event.Done, nil
	}),
	"Event.OnDone": func(_ *kit, _ *event.Stream, e *event.Event) error {
		c := make(chan error, 1)
		if err := e.OnDone(func(err error) { c <- err }); err != nil {
			return err
		}
		return <-c
	},
	"Event.Sub": func(k *kit, s *event.Stream, e *event.Event) error {
		k.eventually("the end of the stream's work", func() bool {
			done, err := s.IsDone()
			return done || err != nil
		})
		_, err := e.Sub(e)
		return err
	},
	"WaitAll": func(k *kit, _ *event.Stream, e *event.Event) error {
		return event.WaitAll(k.ctx(), e)
	},
	"WaitAny": func(k *kit, _ *event.Stream, e *event.Event) error {
		_, err := event.WaitAny(k.ctx(), e)
		return err
	},
	"Stream.Wait": func(k *kit, s *event.Stream, _ *event.Event) error { return s.Wait(k.ctx()) },
	"Stream.Sync": func(_ *kit, s *event.Stream, _ *event.Event) error { return s.Sync() },
	"Stream.IsDone": func(k *kit, s *event.Stream, _ *event.Event) error {
		var err error
		k.eventually("an answer", func() bool {
			var done bool
			done, err = s.IsDone()
			return done || err != nil
		})
		return err
	},
	"Stream.Err": func(k *kit, s *event.Stream, e *event.Event) error {
		_ = e.Sync()
		return s.Err()
	},
}

// untilTold queries an event until the answer is done or an error.
func untilTold(ask func(*event.Event) (bool, error)) func(*kit, *event.Stream, *event.Event) error {
	return func(k *kit, _ *event.Stream, e *event.Event) (err error) {
		k.eventually("an answer", func() bool {
			var done bool
			done, err = ask(e)
			return done || err != nil
		})
		return err
	}
}

var hostFuncBehaviours = []behaviour{
	{"hostfunc/failure-is-the-answer-to-every-question", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		for name, ask := range questions {
			for _, blocking := range []bool{false, true} {
				options := []event.EventOption{event.WithTiming()}
				if blocking {
					options = append(options, event.WithBlockingSync())
				}
				s := k.failedStream(func(*event.Stream) {})
				e := k.record(s, options...)
				err := ask(k, s, e)
				k.failedFunc(err, s)
				k.ErrorIs(err, errPlanted, name)
				k.failedFunc(ask(k, s, e), s) // also to the second one
				k.failedFunc(s.Err(), s, "Stream.Err")
			}
		}
	}},
	{"hostfunc/failure-ends-waits-from-before", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		for name, end := range ends {
			s := k.stream()
			g := k.gate(s)
			before := k.record(s, event.WithTiming())
			k.NoError(s.HostFunc(end))
			after := k.record(s, event.WithTiming())
			wantsNil, wantsErr := make(chan error, 3), make(chan error, 3)
			for e, c := range map[*event.Event]chan error{before: wantsNil, after: wantsErr} {
				go func() { c <- e.Wait(k.ctx()) }()
				go func() { _, err := event.WaitAny(k.ctx(), e); c <- err }()
				k.NoError(e.OnDone(func(err error) { c <- err }))
			}
			done := after.Done()
			k.NoError(s.Err())
			g.open()
			for range 3 {
				k.NoError(<-wantsNil, name)
				err := <-wantsErr
				k.failedFunc(err, s, after.String())
				if name != "Goexit" {
					k.ErrorIs(err, errPlanted, name)
				} else {
					k.ErrorContains(err, "Goexit")
				}
			}
			k.reached("done", done)
			k.isDone(true, before)
			k.NoError(before.Sync())
			k.Equal(event.Done, before.State())
			k.Equal(event.Failed, after.State())
			_, err := before.Sub(before)
			k.NoError(err)
			_, err = after.Sub(before)
			k.failedFunc(err, s)
		}
	}},
	{"hostfunc/failure-is-reported-once", []need{can(event.CapHostFunc)}, func(k *kit) {
		for name, end := range ends {
			heard := k.hears()
			s := k.stream()
			k.NoError(s.HostFunc(end))
			e := k.record(s)
			k.failedFunc(e.Wait(k.ctx()), s)
			k.failedFunc(<-heard, s, "Stream.HostFunc")
			other := k.stream() // its failure is reported after all of the first
			k.NoError(other.HostFunc(ends["error"]))
			k.failedFunc(<-heard, other)
			k.Empty(heard, name)
		}
	}},
	{"hostfunc/failure-skips-later-functions", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		var ran atomic.Bool
		s := k.stream()
		g := k.gate(s)
		k.NoError(s.HostFunc(ends["error"]))
		k.NoError(s.HostFunc(func() error { ran.Store(true); return nil }))
		e := k.record(s)
		g.open()
		k.failedFunc(e.Wait(k.ctx()), s)
		k.False(ran.Load())
		err := s.HostFunc(func() error { ran.Store(true); return nil })
		k.failedFunc(err, s, "Stream.HostFunc")
		k.failedFunc(s.Sync(), s)
		k.False(ran.Load())
	}},
	{"hostfunc/first-failure-stays", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		s := k.failedStream(func(*event.Stream) {})
		k.failedFunc(s.Sync(), s)
		first := s.Err()
		k.failedFunc(first, s)
		_ = s.HostFunc(ends["Goexit"])
		k.failedFunc(k.record(s).Wait(k.ctx()), s)
		k.Equal(first.Error(), s.Err().Error())
		k.NoError(s.Close())
		k.refused(s.Err(), event.ErrClosed, s.String())
	}},
	{"hostfunc/failure-stays-on-its-stream", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		s, other := k.stream(), k.stream()
		k.NoError(s.HostFunc(ends["error"]))
		e := k.record(s)
		k.failedFunc(e.Wait(k.ctx()), s)
		k.NoError(other.Err())
		k.NoError(k.record(other).Wait(k.ctx()))
		k.NoError(k.Device.Sync())
		k.NoError(e.Record(other), "an event is not bound to the stream that failed")
		k.NoError(e.Wait(k.ctx()))
		k.Equal(event.Done, e.State())
		k.NoError(e.Record(s))
		k.failedFunc(e.Wait(k.ctx()), s)
	}},
	{"hostfunc/failure-and-streams-that-wait", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		s, follower := k.stream(), k.stream()
		g := k.gate(s)
		k.NoError(s.HostFunc(ends["error"]))
		k.NoError(follower.WaitEvent(k.record(s)))
		e := k.record(follower)
		g.open()
		err := e.Wait(k.ctx())
		if k.Device.IsHost() {
			k.failedFunc(err, s, e.String())
			k.failedFunc(follower.Err(), s)
			return
		}
		k.NoError(err, "a GPU's driver does not know that a function has failed")
		k.NoError(follower.Err())
	}},
	{"hostfunc/failure-crosses-backends", []need{other, can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		if !k.Other.Capabilities().Has(event.CapHostFunc) {
			k.t.Skip("the other device has no host functions")
		}
		for _, pair := range [][2]*event.Device{{k.Device, k.Other}, {k.Other, k.Device}} {
			s, follower := k.streamOn(pair[0]), k.streamOn(pair[1])
			k.NoError(s.HostFunc(ends["error"]))
			k.NoError(follower.WaitEvent(k.record(s)))
			e := k.record(follower)
			k.failedFunc(e.Wait(k.ctx()), s, e.String())
			k.failedFunc(follower.Err(), s, follower.String())
			_, err := follower.IsDone()
			k.failedFunc(err, s, follower.String())
		}
	}},
	{"hostfunc/failure-of-shared-events", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		for _, ask := range questions {
			s := k.failedStream(func(s *event.Stream) { natives.Word(s) })
			e := k.record(s, event.WithTiming())
			natives.Word(e)
			k.failedFunc(ask(k, s, e), s)
			k.failedFunc(s.Err(), s)
		}
	}},
	{"hostfunc/failure-in-a-graph-fails-no-stream",
		[]need{can(event.CapHostFunc | event.CapCapture)}, func(k *kit) {
			for _, end := range ends {
				heard := k.hears()
				s := k.stream()
				c := k.capture(s, relaxed)
				k.NoError(s.HostFunc(end))
				g := c.end()
				for range 2 {
					g.launch(s)
					k.NoError(k.record(s).Wait(k.ctx()))
					k.failedFunc(<-heard, s)
				}
				k.NoError(s.Err())
				k.NoError(s.HostFunc(func() error { return nil }))
				k.NoError(s.Sync())
				k.Empty(heard)
			}
		}},
	{"hostfunc/failure-outlives-its-stream", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.hears()
		for name, ask := range questions {
			if name[0] == 'S' || name == "Event.Sub" { // they query the stream
				continue
			}
			s := k.failedStream(func(*event.Stream) {})
			before := s.String()
			e := k.record(s)
			k.NoError(s.Close())
			err := ask(k, s, e)
			k.ErrorIs(err, errPlanted, name)
			k.ErrorContains(err, before)
		}
	}},
}
