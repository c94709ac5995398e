package event_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// questions are all calls that query or use an event without recording it.
var questions = map[string]func(r *rig, e *event.Event) error{
	"IsDone": func(_ *rig, e *event.Event) error {
		done, err := e.IsDone()
		if err == nil && !done {
			return event.ErrNotReady
		}
		return err
	},
	"State": func(_ *rig, e *event.Event) error {
		if e.State() != event.Done {
			return event.ErrNotReady
		}
		return nil
	},
	"Err":  func(_ *rig, e *event.Event) error { return e.Err() },
	"Sync": func(_ *rig, e *event.Event) error { return e.Sync() },
	"Wait": func(_ *rig, e *event.Event) error {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		return e.Wait(ctx)
	},
	"Done": func(_ *rig, e *event.Event) error { <-e.Done(); return e.Err() },
	"OnDone": func(_ *rig, e *event.Event) error {
		done := make(chan error, 1)
		if err := e.OnDone(func(err error) { done <- err }); err != nil {
			return err
		}
		return <-done
	},
	"WaitAny": func(_ *rig, e *event.Event) error {
		_, err := event.WaitAny(background, e)
		return err
	},
	"Sub": func(_ *rig, e *event.Event) error { _, err := e.Sub(e); return err },
	"WaitEvent": func(r *rig, e *event.Event) error {
		s := r.stream(e.Device())
		if err := s.WaitEvent(e); err != nil {
			return err
		}
		return s.Sync()
	},
	"WaitEvent of the default stream": func(r *rig, e *event.Event) error {
		return e.Device().DefaultStream().WaitEvent(e)
	},
}

// requireSound wants no call that a real driver would not have survived.
func (r *rig) requireSound(t *testing.T) {
	t.Helper()
	require.Empty(t, r.m.Crashes())
	require.Empty(t, r.m.Misuse())
}

// Events may be asked after the streams that they were recorded on are closed, each in each way,
// and whether or not the work was done at the Close.
func TestEventsOutliveTheirStreams(t *testing.T) {
	for name, shared := range map[string]bool{"own": false, "handle-given-out": true} {
		t.Run(name, func(t *testing.T) {
			onFaces(t, append(hipFaces(), newest(event.CUDA)), sim.Options{}, func(t *testing.T, r *rig) {
				d := r.device(0)
				for question, ask := range questions {
					for _, pending := range []bool{false, true} {
						s := obtain(d.NewStream())
						g := r.hold(s)
						if !pending {
							g.Open()
						}
						e := r.recorded(s, event.WithTiming())
						if shared {
							natives.Word(e)
						}
						closed := make(chan error, 1)
						go func() { closed <- s.Close() }()
						require.True(t, eventually(s.IsClosed))
						if pending { // and asked for meanwhile
							returned := make(chan error, 1)
							go func() { returned <- e.Wait(background) }()
							assert.False(t, obtain(e.IsDone()))
							g.Open()
							assert.NoError(t, reached(t, "the wait", returned))
						}
						assert.NoError(t, reached(t, "the close", closed))
						returns(t, question, func() { assert.NoError(t, ask(r, e), question) })
						r.requireSound(t)
					}
				}
			})
		})
	}
}

// The native stream goes with the last event that was last recorded on it.
func TestStreamGoesWithItsLastEvent(t *testing.T) {
	onFaces(t, hipFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		other := r.stream(d)
		for name, letGo := range map[string]func(e *event.Event){
			"close":            func(e *event.Event) { ensure(e.Close()) },
			"record-elsewhere": func(e *event.Event) { ensure(e.Record(other)) },
		} {
			s := obtain(d.NewStream())
			word := event.NativeHandle(s)
			a, b := r.recorded(s), r.recorded(s)
			ensure(s.Close())
			alive := func() bool { return r.m.DeviceOf(word) != -1 }
			assert.True(t, alive(), name)
			letGo(a)
			assert.True(t, alive(), name)
			assert.True(t, obtain(b.IsDone()), name)
			letGo(b)
			assert.True(t, eventually(func() bool { return !alive() }), name)
			r.requireSound(t)
		}
	})
}

// So it does if the event is dropped, and so does an event that nobody closes keep nothing else.
func TestStreamGoesWithADroppedEvent(t *testing.T) {
	onFaces(t, hipFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		word := func() uintptr {
			s := obtain(d.NewStream())
			_ = obtain(s.RecordNew())
			return event.NativeHandle(s)
		}()
		assert.True(t, eventually(func() bool { runtime.GC(); return r.m.DeviceOf(word) == -1 }))
		r.requireSound(t)
	})
}

// patientQuestions are calls that must not disturb a capture. Those that wait end with their
// deadline.
var patientQuestions = map[string]func(e *event.Event) error{
	"IsDone": func(e *event.Event) error { _, err := e.IsDone(); return err },
	"State":  func(e *event.Event) error { e.State(); return nil },
	"Err":    func(e *event.Event) error { return e.Err() },
	"Sub":    func(e *event.Event) error { _, err := e.Sub(e); return err },
	"Wait": func(e *event.Event) error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		return e.Wait(ctx)
	},
	"WaitAny": func(e *event.Event) error {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		_, err := event.WaitAny(ctx, e)
		return err
	},
}

// A query of an event that was recorded before a capture of its stream does not disturb the
// capture. It returns an answer, or an error that there is none during the capture.
func TestQuestionsDuringACapture(t *testing.T) {
	onFaces(t, hipFaces("cpu"), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		for name, ask := range patientQuestions {
			for _, pending := range []bool{false, true} {
				s := obtain(d.NewStream())
				natives.Word(s) // given out, without which no capture can begin
				g := r.hold(s)
				if !pending {
					g.Open()
				}
				e := obtain(s.RecordNew(event.WithTiming()))
				if !pending {
					ensure(s.Sync())
				}
				var early <-chan struct{}
				if pending {
					early = e.Done()
				}
				r.beginRaw(t, s)
				err := ask(e)
				for _, allowed := range []error{event.ErrCaptured, event.ErrNotReady,
					context.DeadlineExceeded} {
					if errors.Is(err, allowed) {
						err = nil
					}
				}
				assert.NoError(t, err, "%s, pending %v", name, pending)
				inside := obtain(d.NewEvent())
				assert.NoError(t, inside.Record(s), "%s: the capture goes on", name)
				_, askErr := inside.IsDone()
				assert.ErrorIs(t, askErr, event.ErrCaptured)
				g.Open()
				r.endRaw(t, s, name)
				if early != nil {
					reached(t, "the wait from before the capture", early)
				}
				assert.NoError(t, e.Wait(background))
				assert.True(t, obtain(e.IsDone()))
				ensure(inside.Close())
				ensure(e.Close())
				ensure(s.Close())
			}
		}
		r.requireSound(t)
	})
}

// Destroying a shared event waits for the device on ROCm 7.2: that holds up nothing else, however
// many there are.
func TestSharedEventsOfABusyDeviceHoldNobodyUp(t *testing.T) {
	r := testRig(t, face{event.HIP, "7.2"}, sim.Options{})
	d := r.device(0)
	s := r.stream(d)
	g := r.hold(s)
	for range 40 {
		e := obtain(d.NewEvent(event.WithIPC()))
		ensure(e.Record(s))
		ensure(e.Close())
	}
	closed := make(chan struct{})
	idle := obtain(d.NewStream())
	go func() {
		defer close(closed)
		assert.NoError(t, idle.Close())
	}()
	reached(t, "the close of an idle stream", closed)
	g.Open()
	assert.True(t, eventually(func() bool { return r.live().Events == 0 }), "%+v", r.live())
}

// That a closed stream can't be asked does not mean that its work is done.
func TestStreamsThatCannotBeAskedAreNotDone(t *testing.T) {
	r := testRig(t, face{event.HIP, "cpu"}, sim.Options{})
	s := r.stream(r.device(0))
	g := r.m.Gate(event.NativeHandle(s))
	e := r.recorded(s) // which keeps the native stream
	asked := r.m.Calls("hipStreamQuery")
	r.m.FaultAlways("hipStreamQuery", 1)
	require.NoError(t, s.Close())
	require.True(t, eventually(func() bool {
		return r.m.Calls("hipStreamQuery") > asked && !event.Retiring(r.device(0))
	}))
	r.m.ClearFaults()
	assert.False(t, obtain(e.IsDone()))
	g.Open()
	assert.True(t, obtain(e.IsDone()))
}
