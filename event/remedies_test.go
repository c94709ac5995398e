package event_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Importing what this process exported itself is what drivers refuse; the remedy is not to import.
func TestImportOfOnesOwnDescriptor(t *testing.T) {
	onFaces(t, append(faces(), face{event.CUDA, "12.4"}), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		if !d.Capabilities().Has(event.CapIPC) {
			_, err := d.NewEvent(event.WithIPC())
			assert.ErrorIs(t, err, event.ErrUnsupported)
			return
		}
		_, err := d.ImportEvent(obtain(r.event(d, event.WithIPC()).IPCDescriptor()))
		var driver *event.DriverError
		require.ErrorAs(t, err, &driver)
		assert.ErrorContains(t, err, "use the event itself")
		assert.NotContains(t, err.Error(), "; use Context.Do")
	})
}

// An event of a capture can't be asked. WithExternal helps only where the device has it.
func TestRemedyForCapturedEvents(t *testing.T) {
	onFaces(t, append(hipFaces("cpu"), cudaFaces()...), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		s := r.stream(d)
		e := r.event(d, event.WithTiming())
		r.beginRaw(t, s)
		require.NoError(t, e.Record(s))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, isDone := e.IsDone()
		_, sub := e.Sub(e)
		for name, err := range map[string]error{
			"IsDone": isDone, "Sub": sub, "Sync": e.Sync(), "Err": e.Err(),
			"Wait": e.Wait(t.Context()), "OnDone": e.OnDone(func(error) {}),
		} {
			require.ErrorIs(t, err, event.ErrCaptured, name)
			assert.Equal(t, d.Capabilities().Has(event.CapExternal),
				strings.Contains(err.Error(), "WithExternal"), "%s: %v", name, err)
		}
		assert.ErrorIs(t, e.Wait(ctx), context.Canceled)
		r.endRaw(t, s, "questions")
	})
}

// When a thread can't be given its own context or device back, the error says whether the operation
// took effect and what is current now.
func TestFailedRestoreSaysWhatHappened(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		e := r.event(d)
		restore, operation := "cuCtxSetCurrent", "cuEventRecord"
		if r.backend == event.HIP {
			restore, operation = "hipSetDevice", "hipEventRecord"
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for _, fails := range []bool{false, true} {
			r.Bind(battery.OtherDevice)
			before := e.Generation()
			r.m.Fault(sim.Fault{Call: restore, At: 2, Times: 2, Code: 999})
			if fails {
				r.m.FaultAt(operation, 1, 2)
			}
			err := e.Record(d.DefaultStream())
			r.m.ClearFaults()
			require.Error(t, err)
			assert.ErrorContains(t, err, restore)
			assert.ErrorContains(t, err, "is current on this thread now")
			if fails {
				assert.ErrorContains(t, err, "the operation failed")
				assert.ErrorContains(t, err, operation)
				assert.Equal(t, before, e.Generation())
			} else {
				assert.ErrorContains(t, err, "the operation took effect")
				assert.Equal(t, before+1, e.Generation())
			}
			r.Bind(battery.SameDevice)
		}
	})
}

// What was created is destroyed again where the thread can't be given its own context back, and the
// error does not say that the operation took effect.
func TestFailedRestoreOfACreation(t *testing.T) {
	onFaces(t, faces(), sim.Options{SameProcessIPC: true}, func(t *testing.T, r *rig) {
		d := r.device(0)
		r.event(d) // what is needed once is there from now on
		restore, shares := "cuCtxSetCurrent", d.Capabilities().Has(event.CapIPC)
		if r.backend == event.HIP {
			restore = "hipSetDevice"
		}
		var shared event.IPCDescriptor
		if shares {
			e := r.event(d, event.WithIPC())
			ensure(e.Record(d.DefaultStream()))
			shared = obtain(e.IPCDescriptor())
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for name, create := range map[string]func() (io.Closer, error){
			"Device.NewStream":   func() (io.Closer, error) { return d.NewStream() },
			"Device.NewEvent":    func() (io.Closer, error) { return d.NewEvent(event.WithTiming()) },
			"Device.ImportEvent": func() (io.Closer, error) { return d.ImportEvent(shared) },
		} {
			if name == "Device.ImportEvent" && !shares {
				continue
			}
			// The second call restores. A new stream enters a device twice if it reads priorities.
			for nth := 2; nth <= 4; nth += 2 {
				live := r.live()
				r.Bind(battery.OtherDevice)
				r.m.Fault(sim.Fault{Call: restore, At: nth, Times: 2, Code: 999})
				created, err := create()
				r.m.ClearFaults()
				r.Bind(battery.SameDevice)
				if err == nil && nth > 2 {
					ensure(created.Close()) // which may destroy it in the background
					assert.True(t, eventually(func() bool { return r.live() == live }), name)
					continue
				}
				require.ErrorContains(t, err, "is current on this thread now", name)
				assert.ErrorContains(t, err, restore, name)
				assert.ErrorContains(t, err, "nothing was created", name)
				assert.NotContains(t, err.Error(), "took effect", name)
				assert.Equal(t, live.Events, r.live().Events, name)
				assert.Equal(t, live.Streams, r.live().Streams, name)
			}
		}
	})
}

// Where only the restore failed, a wait across backends holds the stream up, and lets it go.
func TestFailedRestoreAfterAWaitAcross(t *testing.T) {
	onFaces(t, faces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		if !d.Capabilities().Has(event.CapWaitValue) && !d.Capabilities().Has(event.CapHostFunc) {
			t.Skip("this driver's streams can't wait for other backends")
		}
		hs := obtain(obtain(event.Open("host")).NewStream())
		gate := make(chan struct{})
		ensure(hs.HostFunc(func() error { <-gate; return nil }))
		e := obtain(hs.RecordNew())
		restore := "cuCtxSetCurrent"
		if r.backend == event.HIP {
			restore = "hipSetDevice"
		}
		s := d.DefaultStream()
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		ensure(s.WaitEvent(e)) // what is needed once is there from now on
		r.Bind(battery.OtherDevice)
		r.m.Fault(sim.Fault{Call: restore, At: 2, Times: 2, Code: 999})
		err := s.WaitEvent(e)
		r.m.ClearFaults()
		r.Bind(battery.SameDevice)
		require.ErrorContains(t, err, "the operation took effect")
		assert.False(t, obtain(s.IsDone()))
		close(gate)
		ensure(hs.Sync())
		assert.True(t, eventually(func() bool { return obtain(s.IsDone()) }), "the stream goes on")
		ensure(e.Close())
		ensure(hs.Close())
	})
}

// Stream.Wait and WaitStream use an event that nobody made: their errors name the stream and the
// method.
func TestStreamWaitsNameTheStream(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, other := r.stream(d), r.stream(d)
		create := r.call("EventCreateWithFlags")
		if r.backend == event.CUDA {
			create = "cuEventCreate"
		}
		methods := map[string]struct {
			call  func() error
			fails []string
		}{
			"Stream.Wait": {func() error { return s.Wait(t.Context()) },
				[]string{create, r.call("EventRecord"), r.call("EventQuery")}},
			"Stream.WaitStream": {func() error { return s.WaitStream(other) },
				[]string{create, r.call("EventRecord"), r.call("StreamWaitEvent")}},
		}
		for op, m := range methods {
			for _, call := range m.fails {
				g := r.hold(s)     // so that the poller has to ask
				event.DrainPools() // so that an event has to be created
				r.m.FaultAlways(call, 2)
				err := m.call()
				r.m.ClearFaults()
				g.Open()
				var driver *event.DriverError
				require.ErrorAs(t, err, &driver, "%s, %s", op, call)
				assert.Equal(t, op, driver.Op, call)
				assert.Equal(t, call, driver.Call)
				assert.Contains(t, []string{s.String(), other.String()}, driver.Object, "%s, %s", op, call)
				assert.NotContains(t, err.Error(), " event 0x", op)
			}
		}
		r.hold(s)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := s.Wait(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, "Stream.Wait: "+s.String())
	})
}

// TestDriversCodesThatMeanASentinel: an error of the driver matches the sentinel of its meaning.
func TestDriversCodesThatMeanASentinel(t *testing.T) {
	of := func(code error) error {
		return &event.DriverError{Op: "Event.IsDone", Object: "it", Call: "cuEventQuery", Code: code}
	}
	for _, x := range []struct{ code, sentinel error }{
		{cudrv.ErrCapturedEvent, event.ErrCaptured},
		{hip.ErrCapturedEvent, event.ErrCaptured},
		{cudrv.ErrNotSupported, event.ErrUnsupported},
		{hip.ErrNotSupported, event.ErrUnsupported},
	} {
		assert.ErrorIs(t, of(x.code), x.sentinel)
		assert.ErrorIs(t, of(x.code), x.code)
	}
	assert.NotErrorIs(t, of(cudrv.ErrInvalidHandle), event.ErrCaptured)
	assert.NotErrorIs(t, of(cudrv.ErrCapturedEvent), event.ErrUnsupported)
}
