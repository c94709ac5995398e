package event_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// operation is one thing to do with package event, which comes down to driver calls. prepare runs
// before anything fails; what it returns is the operation. It hands all it creates to the rig.
// objects are texts of which an error must contain one.
type operation struct {
	name    string
	prepare func(r *rig) (run func() error, objects []string)
	needs   event.Capability
	cuda    bool // NVIDIA only
	cold    bool // begins before any device is open

	replaces bool // a waiter gets another event to ask for
}

var errNotDone = errors.New("it said \"not done\" of what is done")

// errStateFailed stands for the state Failed, which says no more.
var errStateFailed = errors.New("state Failed")

// isDone makes the answer of a query an error unless it is yes.
func isDone(done bool, err error) error {
	if err == nil && !done {
		return errNotDone
	}
	return err
}

// texts are the names that errors may give an object: its own, or those of its device.
func texts(objects ...fmt.Stringer) (all []string) {
	for _, o := range objects {
		all = append(all, o.String())
	}
	return all
}

// inside are the names of a stream, and of what a method of it makes for the time being on its
// device.
func inside(streams ...*event.Stream) (all []string) {
	for _, s := range streams {
		d := s.Device()
		all = append(all, s.String(), d.String(), d.String()+" event 0x")
	}
	return all
}

// onDevice prepares an operation that needs the first device only.
func onDevice(f func(r *rig, d *event.Device) error) func(r *rig) (func() error, []string) {
	return func(r *rig) (func() error, []string) {
		d := r.device(0)
		return func() error { return f(r, d) }, texts(d)
	}
}

// onStream prepares an operation on a stream of its own.
func onStream(
	f func(r *rig, s *event.Stream) error, options ...event.StreamOption,
) func(r *rig) (func() error, []string) {
	return func(r *rig) (func() error, []string) {
		s := r.stream(r.device(0), options...)
		return func() error { return f(r, s) }, inside(s)
	}
}

// onDefault prepares an operation on the default stream.
func onDefault(f func(r *rig, s *event.Stream) error) func(r *rig) (func() error, []string) {
	return func(r *rig) (func() error, []string) {
		s := r.device(0).DefaultStream()
		return func() error { return f(r, s) }, inside(s)
	}
}

// onEvent prepares an operation on an event that was recorded on a stream of its own.
func onEvent(
	f func(r *rig, e *event.Event, s *event.Stream) error, options ...event.EventOption,
) func(r *rig) (func() error, []string) {
	return func(r *rig) (func() error, []string) {
		s := r.stream(r.device(0))
		e := r.recorded(s, options...)
		return func() error { return f(r, e, s) }, texts(e, s)
	}
}

// onPending is onEvent with the stream held up until the event was queried a few times.
func onPending(
	f func(r *rig, e *event.Event, s *event.Stream) error,
) func(r *rig) (func() error, []string) {
	return func(r *rig) (func() error, []string) {
		s := r.stream(r.device(0))
		g := r.gate(s)
		e := r.recorded(s)
		var asked atomic.Int32
		r.m.Before(r.call("EventQuery"), func() {
			if asked.Add(1) == 3 {
				g.Open()
			}
		})
		return func() error { return f(r, e, s) }, inside(s)
	}
}

func keepEvent(r *rig, e *event.Event, err error) error {
	if err == nil {
		r.later(e.Close)
	}
	return err
}

func create(options ...event.EventOption) func(r *rig, d *event.Device) error {
	return func(r *rig, d *event.Device) error {
		e, err := d.NewEvent(options...)
		return keepEvent(r, e, err)
	}
}

func createStream(options ...event.StreamOption) func(r *rig, d *event.Device) error {
	return func(r *rig, d *event.Device) error {
		s, err := d.NewStream(options...)
		if err == nil {
			r.later(s.Close)
		}
		return err
	}
}

func recordNew(r *rig, s *event.Stream) error {
	e, err := s.RecordNew()
	return keepEvent(r, e, err)
}

// give gives an event's handle out.
func give(e *event.Event) error {
	if e.Backend() == event.CUDA {
		_, err := e.CUDAEvent()
		return err
	}
	_, err := e.HIPEvent()
	return err
}

var background = context.Background()

// operations are all of the package's methods that call a driver.
func operations() []operation {
	return []operation{
		{name: "open", cold: true, prepare: func(r *rig) (func() error, []string) {
			return func() error {
				_, err := event.Open(string(r.backend) + ":0")
				return err
			}, []string{string(r.backend)}
		}},
		{name: "unavailable", cold: true, prepare: func(r *rig) (func() error, []string) {
			return func() error { return event.Unavailable(r.backend) }, []string{string(r.backend), "cudrv"}
		}},
		{name: "device context",
			prepare: onDevice(func(_ *rig, d *event.Device) error { _, err := d.Context(); return err }),
			cuda:    true},
		{name: "device memory", prepare: onDevice(func(_ *rig, d *event.Device) error {
			_, err := d.Memory()
			return err
		})},
		{name: "device sync", prepare: onDevice(func(_ *rig, d *event.Device) error { return d.Sync() })},

		{name: "new stream", prepare: onDevice(createStream())},
		{name: "new stream of a priority", prepare: onDevice(createStream(event.WithPriority(-1)))},
		{name: "new legacy stream", prepare: onDevice(createStream(event.WithLegacySync()))},
		{name: "close stream",
			prepare: onStream(func(_ *rig, s *event.Stream) error { return s.Close() })},
		{name: "stream is done",
			prepare: onStream(func(_ *rig, s *event.Stream) error { return isDone(s.IsDone()) })},
		{name: "stream is done, watched",
			prepare: onStream(func(_ *rig, s *event.Stream) error {
				_ = natives.Word(s)
				return isDone(s.IsDone())
			})},
		{name: "default stream is done",
			prepare: onDefault(func(_ *rig, s *event.Stream) error { return isDone(s.IsDone()) })},
		{name: "stream sync", prepare: onStream(func(_ *rig, s *event.Stream) error { return s.Sync() })},
		{name: "default stream sync",
			prepare: onDefault(func(_ *rig, s *event.Stream) error { return s.Sync() })},
		{name: "stream wait",
			prepare: onStream(func(_ *rig, s *event.Stream) error { return s.Wait(background) })},
		{name: "stream wait, pending",
			prepare: onPending(func(_ *rig, _ *event.Event, s *event.Stream) error {
				return s.Wait(background)
			})},
		{name: "host function", needs: event.CapHostFunc,
			prepare: onStream(func(_ *rig, s *event.Stream) error {
				return s.HostFunc(func() error { return nil })
			})},
		{name: "host function, default stream", needs: event.CapHostFunc,
			prepare: onDefault(func(_ *rig, s *event.Stream) error {
				return s.HostFunc(func() error { return nil })
			})},
		{name: "wrapped stream", prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			w := obtain(r.device(0).WrapStream(natives.Word(s)))
			return func() error {
				return errors.Join(recordNew(r, w), isDone(w.IsDone()), w.Close())
			}, inside(w)
		}},

		{name: "new event", prepare: onDevice(create())},
		{name: "new event, timing", prepare: onDevice(create(event.WithTiming()))},
		{name: "new event, blocking", prepare: onDevice(create(event.WithBlockingSync()))},
		{name: "new event, ipc", needs: event.CapIPC, prepare: onDevice(create(event.WithIPC()))},
		{name: "new event, external", needs: event.CapExternal,
			prepare: onDevice(create(event.WithExternal()))},
		{name: "close event",
			prepare: onEvent(func(_ *rig, e *event.Event, _ *event.Stream) error { return e.Close() })},
		{name: "close event, given out",
			prepare: onEvent(func(_ *rig, e *event.Event, _ *event.Stream) error {
				_ = natives.Word(e)
				return e.Close()
			})},
		{name: "handle of a new event", prepare: func(r *rig) (func() error, []string) {
			ensure(obtain(r.stream(r.device(0)).RecordNew()).Close()) // whose handle the next one has
			e := r.event(r.device(0))
			return func() error { return give(e) }, texts(e)
		}},
		{name: "close pending event", prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			r.gate(s)
			e := r.recorded(s)
			_ = natives.Word(e) // or it would go to the pool
			return e.Close, texts(e)
		}},
		{name: "record",
			prepare: onEvent(func(_ *rig, e *event.Event, s *event.Stream) error { return e.Record(s) })},
		{name: "record, watched", prepare: onEvent(func(_ *rig, e *event.Event, s *event.Stream) error {
			_ = natives.Word(s)
			return e.Record(s)
		})},
		{name: "record on default stream", prepare: func(r *rig) (func() error, []string) {
			d := r.device(0)
			e := r.event(d)
			return func() error { return e.Record(d.DefaultStream()) }, texts(e)
		}},
		{name: "record new", prepare: onStream(recordNew)},
		{name: "record new on default stream", prepare: onDefault(recordNew)},
		{name: "record in capture", prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			e := r.event(r.device(0))
			r.beginCapture(s)
			return func() error { return e.Record(s) }, texts(e, s)
		}},
		{name: "external record and wait in capture", needs: event.CapExternal,
			prepare: func(r *rig) (func() error, []string) {
				s := r.stream(r.device(0))
				e := r.event(r.device(0), event.WithExternal())
				f := r.recorded(s, event.WithExternal())
				r.beginCapture(s)
				return func() error { return errors.Join(s.WaitEvent(f), e.Record(s)) }, texts(e, s)
			}},
		{name: "record again while somebody waits", replaces: true,
			prepare: func(r *rig) (func() error, []string) {
				s := r.stream(r.device(0))
				g := r.gate(s)
				e := r.recorded(s)
				done := e.Done()
				waited := make(chan error, 1)
				ensure(e.OnDone(func(err error) { waited <- err }))
				return func() error {
					err := e.Record(s)
					g.Open()
					<-done
					return errors.Join(err, <-waited, isDone(true, e.Sync()))
				}, inside(s)
			}},
		{name: "is done",
			prepare: onEvent(func(_ *rig, e *event.Event, _ *event.Stream) error {
				return isDone(e.IsDone())
			})},
		{name: "err",
			prepare: onEvent(func(_ *rig, e *event.Event, _ *event.Stream) error { return e.Err() })},
		{name: "state", prepare: onEvent(func(_ *rig, e *event.Event, _ *event.Stream) error {
			switch s := e.State(); s {
			case event.Done:
				return nil
			case event.Failed:
				return errStateFailed
			default:
				return fmt.Errorf("%w: %v", errNotDone, s)
			}
		})},
		{name: "sync",
			prepare: onEvent(func(_ *rig, e *event.Event, _ *event.Stream) error { return e.Sync() })},
		{name: "sync, blocking",
			prepare: onEvent(func(_ *rig, e *event.Event, _ *event.Stream) error {
				return e.Sync()
			}, event.WithBlockingSync())},
		{name: "wait",
			prepare: onPending(func(_ *rig, e *event.Event, _ *event.Stream) error {
				return e.Wait(background)
			})},
		{name: "done",
			prepare: onPending(func(_ *rig, e *event.Event, _ *event.Stream) error {
				<-e.Done()
				return e.Err()
			})},
		{name: "on done", prepare: onPending(func(_ *rig, e *event.Event, _ *event.Stream) error {
			c := make(chan error, 1)
			if err := e.OnDone(func(err error) { c <- err }); err != nil {
				return err
			}
			return <-c
		})},
		{name: "wait any", prepare: onPending(func(_ *rig, e *event.Event, _ *event.Stream) error {
			_, err := event.WaitAny(background, e)
			return err
		})},
		{name: "wait all",
			prepare: onPending(func(_ *rig, e *event.Event, _ *event.Stream) error {
				return event.WaitAll(background, e, e)
			})},
		{name: "sub", prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			a, b := r.recorded(s, event.WithTiming()), r.recorded(s, event.WithTiming())
			return func() error { _, err := b.Sub(a); return err }, texts(a, b)
		}},
		{name: "wrapped event", prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			e := r.recorded(s)
			w := obtain(r.device(0).WrapEvent(natives.Word(e)))
			return func() error {
				return errors.Join(w.Record(s), isDone(w.IsDone()), w.Sync(), w.Wait(background), w.Close())
			}, texts(w)
		}},

		{name: "wait for event",
			prepare: onEvent(func(_ *rig, e *event.Event, s *event.Stream) error { return s.WaitEvent(e) })},
		{name: "wait for event on default stream", prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			e := r.recorded(s)
			d := s.Device().DefaultStream()
			return func() error { return d.WaitEvent(e) }, texts(e, d)
		}},
		{name: "wait for event of another device", prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			e := r.recorded(r.stream(r.device(1)))
			return func() error { return s.WaitEvent(e) }, texts(e, s)
		}},
		{name: "wait for stream", prepare: func(r *rig) (func() error, []string) {
			s, other := r.stream(r.device(0)), r.stream(r.device(0))
			return func() error { return s.WaitStream(other) }, inside(s, other)
		}},
		{name: "wait for stream of another device", prepare: func(r *rig) (func() error, []string) {
			s, other := r.stream(r.device(0)), r.stream(r.device(1))
			return func() error { return s.WaitStream(other) }, inside(s, other)
		}},
		{name: "wait for the host's event", needs: event.CapHostFunc,
			prepare: func(r *rig) (func() error, []string) {
				s := r.stream(r.device(0))
				host := r.stream(obtain(event.Open("host")))
				gate := make(chan struct{})
				ensure(host.HostFunc(func() error { <-gate; return nil }))
				e := r.recorded(host)
				// closed earlier, the event would not be waited for to its end
				r.later(func() error { _ = s.Sync(); return nil })
				open := sync.OnceFunc(func() { close(gate) })
				return func() error {
					err := s.WaitEvent(e)
					// not before Sync waits: of an idle stream it would only ask
					if r.backend == event.CUDA {
						r.m.Before("cuStreamSynchronize", open)
					} else {
						r.m.Before("hipEventQuery", open)
					}
					err = errors.Join(err, s.Sync())
					open()
					return err
				}, texts(s)
			}},
		{name: "the host waits for an event",
			prepare: onPending(func(r *rig, e *event.Event, _ *event.Stream) error {
				host := r.stream(obtain(event.Open("host")))
				err := host.WaitEvent(e)
				if err == nil {
					err = host.Sync()
				}
				return err
			})},

		{name: "import", needs: event.CapIPC, prepare: func(r *rig) (func() error, []string) {
			d := r.device(0)
			descriptor := obtain(r.event(d, event.WithIPC()).IPCDescriptor())
			return func() error {
				e, err := d.ImportEvent(descriptor)
				return keepEvent(r, e, err)
			}, texts(d)
		}},
		{name: "imported event", needs: event.CapIPC, prepare: func(r *rig) (func() error, []string) {
			s := r.stream(r.device(0))
			e := r.recorded(s, event.WithIPC())
			i := obtain(s.Device().ImportEvent(obtain(e.IPCDescriptor())))
			r.later(i.Close)
			return func() error {
				return errors.Join(isDone(i.IsDone()), i.Sync(), i.Wait(background), s.WaitEvent(i), i.Close())
			}, texts(i, s)
		}},
	}
}
