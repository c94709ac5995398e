package event_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// useEverything records, asks, waits and closes on a device that must not be held up.
func useEverything(t *testing.T, d *event.Device, shared *event.Event) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s, err := d.NewStream()
	require.NoError(t, err)
	assert.NoError(t, shared.Record(s))
	assert.NoError(t, shared.Wait(ctx))
	done, err := shared.IsDone()
	assert.NoError(t, err)
	assert.True(t, done)
	e, err := s.RecordNew()
	require.NoError(t, err)
	assert.NoError(t, e.Wait(ctx))
	assert.NoError(t, e.Close())
	assert.NoError(t, s.Close())
}

// A HIP stream's destroy waits for its work. Whatever leads to it, it holds nobody else up.
func TestStreamsDestroyHoldsNobodyUp(t *testing.T) {
	for name, lead := range map[string]func(t *testing.T, s *event.Stream, e *event.Event){
		"close": func(t *testing.T, s *event.Stream, e *event.Event) {
			go func() { assert.NoError(t, s.Close()) }()
		},
		"record-elsewhere": func(t *testing.T, s *event.Stream, e *event.Event) {
			go func() { assert.NoError(t, s.Close()) }()
			require.True(t, eventually(s.IsClosed))
			other := obtain(s.Device().NewStream())
			returns(t, "the record", func() { assert.NoError(t, e.Record(other)) })
			assert.NoError(t, other.Close())
		},
		"close-last-event": func(t *testing.T, s *event.Stream, e *event.Event) {
			go func() { assert.NoError(t, s.Close()) }()
			require.True(t, eventually(s.IsClosed))
			returns(t, "the event's close", func() { assert.NoError(t, e.Close()) })
		},
		"waiter-is-the-last-user": func(t *testing.T, s *event.Stream, e *event.Event) {
			ctx, cancel := context.WithCancel(context.Background())
			returned := make(chan error)
			go func() { returned <- e.Wait(ctx) }()
			go func() { assert.NoError(t, s.Close()) }()
			require.True(t, eventually(s.IsClosed))
			other := obtain(s.Device().NewStream())
			assert.NoError(t, e.Record(other))
			cancel()
			<-returned // either way
			assert.NoError(t, other.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFaces(t, hipFaces(), sim.Options{}, func(t *testing.T, r *rig) {
				d := r.device(0)
				shared := r.event(d)
				s := obtain(d.NewStream())
				word := event.NativeHandle(s)
				g := r.hold(s)
				e := r.recorded(s)
				lead(t, s, e)
				returns(t, "the work of others", func() {
					var all sync.WaitGroup
					for range 4 {
						all.Go(func() { useEverything(t, d, shared) })
					}
					all.Wait()
				})
				assert.NotEqual(t, -1, r.m.DeviceOf(word), "its work goes on")
				g.Open()
				assert.NoError(t, e.Close())
				require.True(t, eventually(func() bool { return r.m.DeviceOf(word) == -1 }))
			})
		})
	}
}

// So it is where the driver takes its time to destroy what is idle.
func TestSlowDestroyHoldsNobodyUp(t *testing.T) {
	for _, call := range []string{"StreamDestroy", "EventDestroy"} {
		t.Run(call, func(t *testing.T) {
			onFaces(t, hipFaces("cpu"), sim.Options{}, func(t *testing.T, r *rig) {
				d := r.device(0)
				shared := r.event(d)
				s := obtain(d.NewStream())
				e := obtain(s.RecordNew())
				g := r.hold(s)
				destroy := r.holdCall(call)
				closed := make(chan struct{})
				go func() {
					defer close(closed)
					assert.NoError(t, e.Close())
					assert.NoError(t, s.Close())
				}()
				g.Open()
				reached(t, "the destruction", destroy.entered)
				returns(t, "the work of others", func() { useEverything(t, d, shared) })
				destroy.letGo()
				reached(t, "the end of both", closed)
			})
		})
	}
}

var errReported = errors.New("reported by a test")

// failInBackground makes a failure that is reported to the error handler only.
func (r *rig) failInBackground(s *event.Stream) {
	e := obtain(s.RecordNew())
	ensure(e.OnDone(func(error) { panic(errReported) }))
	ensure(e.Wait(background))
	r.later(e.Close)
}

// The error handler may record the very event whose handle failed to be destroyed while somebody
// waits for it.
func TestErrorHandlerMayRecordTheEvent(t *testing.T) {
	onFaces(t, faces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, other := r.stream(d), r.stream(d)
		g := r.hold(s)
		e := r.recorded(s)
		first := e.Done()
		heard := make(chan error, 1)
		event.SetErrorHandler(func(error) {
			err := e.Record(other)
			_ = e.Done()
			heard <- err
		})
		// The record takes another handle, for somebody waits; the first one can't be destroyed.
		name := r.call("EventDestroy")
		if r.backend == event.CUDA {
			name = "cuEventDestroy_v2"
		}
		r.m.FaultAt(name, 1, 999)
		require.NoError(t, e.Record(s))
		second := e.Done()
		g.Open()
		reached(t, "the first record", first)
		reached(t, "the second record", second)
		require.NoError(t, reached(t, "the handler's record", heard))
		returns(t, "the wait", func() { assert.NoError(t, e.Wait(background)) })
	})
}

// A handler that panics or ends its goroutine keeps nobody from working, nor later failures from
// being reported.
func TestErrorHandlerMayFail(t *testing.T) {
	for name, fail := range map[string]func(){
		"panic":  func() { panic("the handler's own") },
		"Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			defer slog.SetDefault(slog.Default())
			slog.SetDefault(slog.New(slog.DiscardHandler)) // where a handler's panic goes
			onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
				s := r.stream(r.device(0))
				heard := make(chan error, 3)
				event.SetErrorHandler(func(err error) { heard <- err; fail() })
				for range 3 {
					r.failInBackground(s)
					assert.ErrorContains(t, reached(t, "the report", heard), errReported.Error())
				}
				event.SetErrorHandler(nil)
			})
		})
	}
}

// Records on one stream that overlap reach the driver in any order. Who waits for the one that is
// done is woken, though a record that began earlier is not.
func TestRecordsThatOvertakeOneAnother(t *testing.T) {
	onFaces(t, faces(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		slow, fast := r.event(s.Device()), r.event(s.Device())
		record := r.holdCall("EventRecord")
		recorded := make(chan error, 1)
		go func() { recorded <- slow.Record(s) }()
		reached(t, "the slow record", record.entered)
		first := slow.Done() // of the record that is under way, or of none
		require.NoError(t, fast.Record(s))
		r.hold(s)
		record.letGo()
		require.NoError(t, <-recorded)
		pending := slow.Done()
		reached(t, "the end of the fast record", fast.Done())
		assert.True(t, obtain(fast.IsDone()))
		assert.False(t, obtain(slow.IsDone()))
		assert.True(t, isOpen(pending))
		_ = first
	})
}

// The same at random, as often as it takes to hit the gap between a record's number and its call.
func TestWaitersOfDoneRecordsAreWoken(t *testing.T) {
	tries := 300
	if testing.Short() {
		tries = 30
	}
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		for range tries {
			events := [4]*event.Event{}
			var all sync.WaitGroup
			for i := range events {
				events[i] = obtain(s.Device().NewEvent())
				all.Go(func() {
					for range 5 {
						assert.NoError(t, events[i].Record(s))
					}
				})
			}
			all.Wait()
			g := r.m.Gate(event.NativeHandle(s))
			last := obtain(s.RecordNew())
			never := last.Done()
			for _, e := range events {
				done := e.Done()
				if !obtain(e.IsDone()) {
					t.Fatal("a record before the gate is not done")
				}
				reached(t, "the wake-up", done)
				ensure(e.Close())
			}
			assert.True(t, isOpen(never))
			g.Open()
			reached(t, "the last", never)
			ensure(last.Close())
		}
	})
}

// When IsDone finds a record done, the waits for it and for earlier records end, even while a query
// of the poller hangs.
func TestIsDoneWakesWaiters(t *testing.T) {
	onFaces(t, faces(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		g := r.hold(s)
		a, b, c := r.recorded(s), r.recorded(s), r.recorded(s)
		query := r.holdCall("EventQuery")
		first := a.Done()
		reached(t, "a question", query.entered)
		second, third := b.Done(), c.Done()
		g.Open()
		require.True(t, obtain(b.IsDone()))
		reached(t, "the second", second)
		reached(t, "the first, whose question hangs", first)
		reached(t, "the third, which can be asked for now", third)
		query.letGo()
	})
}

// A query that hangs delays no wait for another stream.
func TestHangingQuestionStallsNoOtherStream(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		behindAHangingQuestion(t, r, false)
	})
}

// behindAHangingQuestion waits for an event while the query of an older one hangs.
func behindAHangingQuestion(t *testing.T, r *rig, sameStream bool) {
	d := r.device(0)
	s, other := r.stream(d), r.stream(d)
	if sameStream {
		other = s
	}
	g := r.hold(s)
	hangs, e := r.recorded(s), r.recorded(other)
	query := r.holdCall("EventQuery")
	first := hangs.Done()
	reached(t, "a question", query.entered)
	g.Open()
	began := time.Now()
	reached(t, "the other wait", e.Done())
	t.Logf("the other wait took %v", time.Since(began))
	query.letGo()
	reached(t, "the first", first)
}

// Deadlines and Close end a wait whose query hangs.
func TestWaitEndsThoughItsQuestionHangs(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		r.hold(s)
		e := r.recorded(s)
		query := r.holdCall("EventQuery")
		e.Done()
		reached(t, "a question", query.entered)
		for name, wait := range map[string]func(context.Context) error{
			"Event.Wait":  e.Wait,
			"Stream.Wait": s.Wait,
			"WaitAll":     func(ctx context.Context) error { return event.WaitAll(ctx, e) },
			"WaitAny":     func(ctx context.Context) error { _, err := event.WaitAny(ctx, e); return err },
		} {
			const after = 20 * time.Millisecond
			ctx, cancel := context.WithTimeout(context.Background(), after)
			began := time.Now()
			err := wait(ctx)
			late := time.Since(began) - after
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded, name)
			t.Logf("%s: %v after its deadline", name, late)
			assert.Less(t, late, 500*time.Millisecond, name)
		}
		returned, closed := make(chan error, 1), make(chan error, 1)
		waits := make(chan struct{})
		go func() { close(waits); returned <- e.Wait(background) }()
		<-waits
		go func() { closed <- e.Close() }()
		require.ErrorIs(t, reached(t, "the end of the wait", returned), event.ErrClosed)
		require.NoError(t, reached(t, "the close", closed))
		query.letGo()
	})
}

// OnDone of a record that is done already runs after older ones of its stream that nobody has told
// yet.
func TestOnDoneOfADoneRecordKeepsTheOrder(t *testing.T) {
	tries := 500
	if testing.Short() {
		tries = 50
	}
	for name, look := range map[string]func(s *event.Stream, e *event.Event){
		"IsDone": func(_ *event.Stream, e *event.Event) {
			for !obtain(e.IsDone()) {
			}
		},
		"Event.Sync":  func(_ *event.Stream, e *event.Event) { ensure(e.Sync()) },
		"Event.Wait":  func(_ *event.Stream, e *event.Event) { ensure(e.Wait(background)) },
		"Stream.Sync": func(s *event.Stream, _ *event.Event) { ensure(s.Sync()) },
	} {
		t.Run(name, func(t *testing.T) {
			onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
				s := r.stream(r.device(0))
				wrong := 0
				for range tries {
					g := r.m.Gate(event.NativeHandle(s))
					older, newer := obtain(s.RecordNew()), obtain(s.RecordNew())
					order := make(chan string, 2)
					ensure(older.OnDone(func(error) { order <- "older" }))
					g.Open()
					look(s, newer)
					ensure(newer.OnDone(func(error) { order <- "newer" }))
					if reached(t, "the first", order) != "older" {
						wrong++
					}
					reached(t, "the second", order)
					ensure(older.Close())
					ensure(newer.Close())
				}
				assert.Zero(t, wrong, "of %d tries", tries)
			})
		})
	}
}

// Once OnDone has returned its function has its place in the order, also where somebody looks at
// the event meanwhile.
func TestOnDoneKeepsTheOrderWhileSomebodyLooks(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		older, newer := r.recorded(s), r.recorded(s)
		unlook := event.Look(older)
		order := make(chan string, 2)
		given := make(chan struct{})
		go func() {
			ensure(older.OnDone(func(error) { order <- "older" }))
			close(given)
		}()
		select {
		case <-given:
			ensure(newer.OnDone(func(error) { order <- "newer" }))
			assert.Equal(t, "older", reached(t, "the first", order))
			unlook()
		case <-time.After(20 * time.Millisecond):
			unlook()
			reached(t, "OnDone", given)
			ensure(newer.OnDone(func(error) { order <- "newer" }))
			assert.Equal(t, "older", reached(t, "the first", order))
		}
		reached(t, "the second", order)
	})
}

// AMD's runtime locks both events of a measurement, in the order of its arguments: one forth and
// one back at a time would wait for each other for ever.
func TestSubForthAndBack(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		a, b := r.recorded(s, event.WithTiming()), r.recorded(s, event.WithTiming())
		ensure(s.Sync())
		var done sync.WaitGroup
		for i := range 4 {
			end, start := a, b
			if i%2 == 0 {
				end, start = b, a
			}
			done.Go(func() {
				for range 5000 {
					_, err := end.Sub(start)
					ensure(err)
				}
			})
		}
		all := make(chan struct{})
		go func() { done.Wait(); close(all) }()
		reached(t, "the end of all", all)
		_, err := a.Sub(a)
		assert.NoError(t, err)
	})
}

// The poller's thread is exempt from captures for life, not for each query.
func TestPollerChangesTheCaptureModeOnce(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		const mode = "ThreadExchangeStreamCaptureMode"
		s := r.stream(r.device(0))
		r.hold(s)
		e := r.recorded(s)
		before, asked := r.m.Calls(r.call(mode)), r.m.Calls(r.call("EventQuery"))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, e.Wait(ctx), context.DeadlineExceeded)
		changes := r.m.Calls(r.call(mode)) - before
		t.Logf("%d changes of the mode and %d questions in 50 ms", changes,
			r.m.Calls(r.call("EventQuery"))-asked)
		assert.LessOrEqual(t, changes, 4)
	})
}

// runtime.Goexit in a host function, which any FailNow of a test calls, is a failure like others.
func TestGoexitInAHostFunction(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		all := cudaFaces()
		if b == event.HIP {
			all = hipFaces("cpu", "5.2.3") // which have no host functions
		}
		onFaces(t, all, sim.Options{}, func(t *testing.T, r *rig) {
			heard := make(chan error, 10)
			event.SetErrorHandler(func(err error) { heard <- err })
			defer event.SetErrorHandler(nil)
			bindings := make(chan any, 10) // what cudrv and hip tell of callbacks
			cudrv.SetPanicHandler(func(_ string, value any, _ []byte) { bindings <- value })
			defer cudrv.SetPanicHandler(nil)
			var ran atomic.Int64
			for range 3 {
				s := r.stream(r.device(0))
				require.NoError(t, s.HostFunc(func() error { ran.Add(1); runtime.Goexit(); return nil }))
				e := r.recorded(s)
				assert.ErrorContains(t, reached(t, "the report", heard), "Goexit")
				assert.ErrorContains(t, e.Wait(background), "Goexit")
			}
			other := r.stream(r.device(0))
			require.NoError(t, other.HostFunc(func() error { ran.Add(1); return nil }))
			require.NoError(t, other.Sync())
			assert.EqualValues(t, 4, ran.Load())
			event.FlushErrors()
			assert.Empty(t, heard)
			assert.Empty(t, bindings)
		})
	}
}
