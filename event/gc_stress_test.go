package event_test

import (
	"flag"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// dropLimit and collectEvery are flags, for a million events with a collection after each take
// minutes.
var (
	dropLimit = flag.Int("event.dropped", 20_000,
		"create and forget so many events in the test of dropped events")
	collectEvery = flag.Int("event.collect", 64, "force a garbage collection after so many of them")
)

// dropped is how many events are created, recorded and forgotten; under the race detector fewer.
func dropped() int {
	if raceEnabled {
		return min(*dropLimit, 5_000)
	}
	return *dropLimit
}

// heap is the live memory after a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// drop creates an event, records it and forgets it. One that is kept must not be destroyed
// meanwhile.
func drop(s *event.Stream, kept *event.Event) error {
	e, err := s.RecordNew()
	if err != nil {
		return err
	}
	if err := kept.Record(s); err != nil {
		return err
	}
	_, err = e.IsDone()
	return err
}

// stressGC drops n events, with forced collections on the way, and returns the growth of live
// memory in bytes between the first tenth and the end.
func stressGC(t *testing.T, n int, s *event.Stream, kept *event.Event) int64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	var first uint64
	for i := range n {
		require.NoError(t, drop(s, kept))
		if i%*collectEvery == 0 {
			runtime.GC()
		}
		if i == n/10 {
			first = heap()
		}
	}
	return int64(heap()) - int64(first)
}

// TestDroppedEventsAreDestroyed creates, records and drops events by the million, without Close:
// all are destroyed, none early, and memory stays flat.
func TestDroppedEventsAreDestroyed(t *testing.T) {
	for _, f := range []face{newest(event.CUDA), newest(event.HIP)} {
		t.Run(f.String(), func(t *testing.T) {
			r := testRig(t, f, sim.Options{})
			s := r.stream(r.device(0))
			kept := r.recorded(s)
			n := dropped()
			if f.backend == event.HIP {
				n /= 10
			}
			began := time.Now()
			growth := stressGC(t, n, s, kept)
			gone := eventually(func() bool { runtime.GC(); return r.live().Events == 1 })
			assert.True(t, gone, "%d of %d events are left", r.live().Events-1, r.created().Events)
			assert.LessOrEqual(t, r.created().Events, n+1)
			assert.Less(t, growth, int64(4<<20))
			assert.True(t, obtain(kept.IsDone()))
			t.Logf("%s: %d events dropped and destroyed in %v, live memory grew by %d KiB", f, n,
				time.Since(began).Round(time.Millisecond), growth>>10)
		})
	}
	t.Run("host", func(t *testing.T) {
		s := obtain(obtain(event.Open("host")).NewStream())
		kept := obtain(s.RecordNew())
		n := dropped() / 4
		growth := stressGC(t, n, s, kept)
		assert.Less(t, growth, int64(4<<20))
		assert.True(t, obtain(kept.IsDone()))
		require.NoError(t, kept.Close())
		require.NoError(t, s.Close())
		t.Logf("host: %d events dropped, live memory grew by %d KiB", n, growth>>10)
	})
}

// TestWaitedForEventsSurvive forgets events that somebody waits for: the handle must live until the
// wait is over.
func TestWaitedForEventsSurvive(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	r := testRig(t, newest(event.CUDA), sim.Options{})
	s := r.stream(r.device(0))
	g := r.gate(s)
	const n = 200
	var channels []<-chan struct{}
	called := make(chan error, n)
	for range n {
		e := obtain(s.RecordNew())
		channels = append(channels, e.Done())
		ensure(e.OnDone(func(err error) { called <- err }))
		runtime.GC()
	}
	require.Equal(t, n, r.live().Events)
	g.Open()
	for _, c := range channels {
		<-c
		require.NoError(t, <-called)
		runtime.GC()
	}
	assert.True(t, eventually(func() bool { runtime.GC(); return r.live().Events == 0 }), "%+v",
		r.live())
}
