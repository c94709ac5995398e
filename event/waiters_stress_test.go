//go:build unix

package event_test

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// cpuTime is what the process has used so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// threads is how many OS threads the process has made.
func threads() int { return pprof.Lookup("threadcreate").Count() }

// span is how long a cost is measured.
func span() time.Duration {
	if testing.Short() {
		return 200 * time.Millisecond
	}
	return time.Second
}

// TestManyWaiters has 10,000 goroutines wait for 1,000 pending events of 8 streams.
func TestManyWaiters(t *testing.T) {
	for _, f := range []face{newest(event.CUDA), newest(event.HIP)} {
		t.Run(f.String(), func(t *testing.T) { manyWaiters(t, f) })
	}
}

func manyWaiters(t *testing.T, f face) {
	const streams, events, waiters = 8, 1000, 10_000
	r := testRig(t, f, sim.Options{})
	d := r.device(0)
	var gates []*sim.Gate
	var all []*event.Event
	for range streams {
		s := r.stream(d)
		gates = append(gates, r.gate(s))
		for range events / streams {
			all = append(all, r.recorded(s))
		}
	}
	goroutines, made := runtime.NumGoroutine(), threads()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	var started, done, early sync.WaitGroup
	var wrong atomic.Int32
	var woken [streams]atomic.Int32
	early.Add(waiters / 2)
	for w := range waiters {
		e := all[w%len(all)]
		lane := w % len(all) / (events / streams)
		started.Add(1)
		done.Go(func() {
			c := t.Context()
			giveUp := w >= waiters/2 && w%2 == 0 || w < waiters/2 && w%2 == 1 // half of each event's
			if giveUp {
				c = ctx
			}
			started.Done()
			err := e.Wait(c)
			switch {
			case giveUp && err != nil && ctx.Err() != nil:
				early.Done()
			case err != nil || giveUp:
				wrong.Add(1)
			default:
				woken[lane].Add(1)
				if done, err := e.IsDone(); !done || err != nil {
					wrong.Add(1)
				}
			}
		})
	}
	started.Wait()
	require.True(t, eventually(func() bool { return r.m.Calls(r.call("EventQuery")) >= waiters }))
	time.Sleep(50 * time.Millisecond) // until the poller asks seldom

	began, used, asked := time.Now(), cpuTime(), r.m.Calls(r.call("EventQuery"))
	time.Sleep(span())
	share := float64(cpuTime()-used) / float64(time.Since(began))
	asked = r.m.Calls(r.call("EventQuery")) - asked
	more := threads() - made
	t.Logf("%s: %d waiters: %d more threads, %.1f %% of one core and %d queries in %v "+
		"while nothing completes", f, waiters, more, 100*share, asked, span())
	// The scheduler may start a thread for each processor meanwhile; waiters take none.
	assert.LessOrEqual(t, more, 4+runtime.GOMAXPROCS(0))
	if !raceEnabled {
		assert.Less(t, share, 0.30) // the aim is 10 %: a machine may be busy with other things
	}
	// One query of each stream a millisecond, whatever the number of events and waiters.
	assert.Less(t, asked, 2*streams*int(span().Milliseconds()))

	began = time.Now()
	cancel()
	early.Wait()
	took := time.Since(began)
	t.Logf("%s: cancelling %d of them took %v", f, waiters/2, took)
	assert.Less(t, took, 500*time.Millisecond) // the aim is 20 ms on an idle machine
	require.True(t,
		eventually(func() bool { return runtime.NumGoroutine() <= goroutines+waiters/2+4 }),
		"%d goroutines", runtime.NumGoroutine()-goroutines)

	for i, g := range gates {
		for lane := i; lane < streams; lane++ {
			assert.Zero(t, woken[lane].Load(), "stream %d has not run yet", lane)
		}
		g.Open()
		assert.True(t, eventually(func() bool { return woken[i].Load() == waiters/2/streams }),
			"%d woken", woken[i].Load())
	}
	done.Wait()
	assert.Zero(t, wrong.Load())
	goroutinesBack(t, goroutines)
	assert.LessOrEqual(t, threads()-made, 8)
}

// TestAbandonedWaitsLeaveNothing has all waiters give up, again and again, on events that never
// end.
func TestAbandonedWaitsLeaveNothing(t *testing.T) {
	r := testRig(t, newest(event.CUDA), sim.Options{})
	s := r.stream(r.device(0))
	g := r.gate(s)
	e := r.recorded(s)
	goroutines := runtime.NumGoroutine()
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		for range 100 {
			done.Go(func() { assert.ErrorIs(t, e.Wait(ctx), context.Canceled) })
		}
		cancel()
		done.Wait()
		goroutinesBack(t, goroutines)
	}
	g.Open()
	require.NoError(t, e.Wait(t.Context()))
}
