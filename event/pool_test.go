package event_test

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// createCalls counts the driver's calls that create events.
func createCalls(r *rig) (n int) {
	for name, calls := range r.m.AllCalls() {
		if name == "cuEventCreate" || name == "hipEventCreateWithFlags" {
			n += calls
		}
	}
	return n
}

// A closed event's native event serves the next event of the same kind, whether its work is done or
// not.
func TestClosedEventsAreUsedAgain(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s, other := r.stream(r.device(0)), r.stream(r.device(0))
		ensure(obtain(s.RecordNew()).Close())
		before := createCalls(r)
		for range 10 {
			g := r.hold(s)
			first := obtain(s.RecordNew())
			ensure(other.WaitEvent(first))
			ensure(first.Close())
			second := obtain(s.Device().NewEvent())
			assert.Equal(t, event.Unrecorded, second.State())
			assert.True(t, obtain(second.IsDone()), "an event that was never recorded")
			ensure(second.Sync())
			assert.False(t, obtain(other.IsDone()), "the wait outlives the event that it was for")
			ensure(second.Record(other))
			assert.False(t, obtain(second.IsDone()))
			g.Open()
			ensure(second.Sync())
			ensure(second.Close())
		}
		assert.Equal(t, before, createCalls(r))
		assert.Zero(t, r.live().Events)
	})
}

// A native event that others may know is destroyed at the end of its event.
func TestKnownHandlesAreNotUsedAgain(t *testing.T) {
	onFaces(t, newests(), sim.Options{SameProcessIPC: true}, func(t *testing.T, r *rig) {
		d := r.device(0)
		for what, make := range map[string]func() *event.Event{
			"given out": func() *event.Event {
				e := r.recorded(r.stream(d))
				_ = natives.Word(e)
				return e
			},
			"given out before its first record": func() *event.Event {
				e := r.event(d)
				_ = natives.Word(e)
				return e
			},
			"shared": func() *event.Event { return r.event(d, event.WithIPC()) },
			"captured": func() *event.Event {
				s, e := r.stream(d), r.event(d)
				_ = natives.Word(s)
				r.beginCapture(s)
				defer r.endCapture(s)
				ensure(e.Record(s))
				return e
			},
		} {
			event.DrainPools()
			e := make()
			live := r.live().Events
			ensure(e.Close())
			require.True(t,
				eventually(func() bool { return r.m.CUDALive().Events+r.m.HIPLive().Events < live }), what)
			before := createCalls(r)
			r.event(d)
			assert.Equal(t, before+1, createCalls(r), what)
		}
	})
}

// The handle of an event that was never recorded shows no record of the event that had it before.
func TestHandleOfANewEventIsNew(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		g := r.hold(s)
		ensure(obtain(s.RecordNew()).Close())
		e := r.event(s.Device())
		before := createCalls(r)
		assert.NotZero(t, natives.Word(e))
		assert.Equal(t, before+1, createCalls(r))
		assert.True(t, obtain(e.IsDone()), "the old record is pending")
		g.Open()
	})
}

// Where no new handle can be had, none is given out.
func TestHandleOfANewEventThatCannotBeMade(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		g := r.hold(s)
		ensure(obtain(s.RecordNew()).Close())
		e := r.event(s.Device())
		r.m.FaultAlways(createCall(r), 2)
		assert.Zero(t, natives.Word(e))
		var driver *event.DriverError
		require.ErrorAs(t, give(e), &driver)
		assert.Equal(t, e.String(), driver.Object)
		assert.True(t, obtain(e.IsDone()), "an event that was never recorded")
		r.m.ClearFaults()
		assert.NotZero(t, natives.Word(e))
		g.Open()
	})
}

func createCall(r *rig) string {
	if r.backend == event.CUDA {
		return "cuEventCreate"
	}
	return "hipEventCreateWithFlags"
}

// An event that somebody waits for keeps its handle when it is closed.
func TestWaitedForHandlesAreNotUsedAgain(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s, other := r.stream(r.device(0)), r.stream(r.device(0))
		g := r.hold(s)
		e := r.recorded(s)
		done := e.Done()
		ensure(e.Record(other)) // the wait keeps the first handle
		before := createCalls(r)
		ensure(obtain(other.RecordNew()).Close())
		assert.Equal(t, before+1, createCalls(r), "the pool is empty")
		assert.True(t, obtain(e.IsDone()))
		select {
		case <-done:
			assert.Fail(t, "the first record is not reached")
		default:
		}
		g.Open()
		<-done
	})
}

// What isn't needed any more is destroyed after a while; a limit bounds what is kept.
func TestSparesShrink(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		const kept, n = 1024, 1500
		var all []*event.Event
		for range n {
			all = append(all, obtain(s.RecordNew()))
		}
		for _, e := range all {
			ensure(e.Close())
		}
		native := func() int { return r.m.CUDALive().Events + r.m.HIPLive().Events }
		assert.LessOrEqual(t, native(), kept)
		assert.True(t, eventually(func() bool { return native() == 0 }), "%d are left", native())
	})
}

// A pooled event that can't be destroyed is reported, and named.
func TestFailureToDestroyAPooledEvent(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		var reports []error
		event.SetErrorHandler(func(err error) { reports = append(reports, err) })
		ensure(r.event(r.device(0)).Close())
		r.m.Fault(sim.Fault{Call: destroyCall(r), At: 1, Code: 1})
		event.DrainPools()
		event.FlushErrors()
		require.Len(t, reports, 1)
		assert.ErrorContains(t, reports[0], "destroy "+string(r.backend)+":0 event 0x")
	})
}

func destroyCall(r *rig) string {
	if r.backend == event.CUDA {
		return "cuEventDestroy_v2"
	}
	return "hipEventDestroy"
}

// An event that is dropped at once is destroyed, though it has no cleanup of its own yet.
func TestDroppedYoungEvents(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		for range 3 {
			_ = obtain(s.RecordNew())
		}
		began := time.Now()
		gone := eventually(func() bool { runtime.GC(); return r.live().Events == 0 })
		assert.True(t, gone, "after %v", time.Since(began))
	})
}

// eventFlags returns sets of options: none, and each option alone with each small value.
func eventFlags() []driver.EventFlags {
	all := []driver.EventFlags{{}}
	for i := range reflect.TypeFor[driver.EventFlags]().NumField() {
		for n := range uint64(4) {
			var f driver.EventFlags
			switch v := reflect.ValueOf(&f).Elem().Field(i); v.Kind() {
			case reflect.Bool:
				v.SetBool(n > 0)
			default: // a panic for another kind: then make values of it here
				v.SetUint(n)
			}
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// An event gets a closed event's native event only if each option of both is the same, including
// options that are added later.
func TestSparesHaveTheSameOptions(t *testing.T) {
	r := testRig(t, newest(event.HIP), sim.Options{})
	d := r.device(0)
	for _, first := range eventFlags() {
		for _, second := range eventFlags() {
			if first.IPC || first.External || second.IPC || second.External {
				assert.False(t, event.IsReused(d, first, second), "%+v, %+v", first, second)
				continue
			}
			assert.Equal(t, first == second, event.IsReused(d, first, second), "%+v, %+v",
				first, second)
		}
	}
}
