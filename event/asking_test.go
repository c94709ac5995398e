package event_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// The default streams can't be captured: nobody asks whether they are.
func TestDefaultStreamsAreNotAskedWhetherTheyCapture(t *testing.T) {
	onFaces(t, append(hipFaces(), cudaFaces()...), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		d.Capabilities() // which may ask
		streams := map[string]*event.Stream{
			"default":   d.DefaultStream(),
			"wrapped 0": obtain(d.WrapStream(0)),
		}
		if r.backend == event.CUDA || r.profile[0] >= '6' && r.profile[0] <= '7' {
			streams["wrapped 1"] = obtain(d.WrapStream(1))
		}
		other := r.stream(d)
		calls := []string{r.call("StreamIsCapturing"), r.call("StreamGetCaptureInfo")}
		if r.backend == event.CUDA {
			calls = calls[:1]
		}
		for name, s := range streams {
			before := 0
			for _, c := range calls {
				before += r.m.Calls(c)
			}
			natives.Word(s) // given out
			e := r.event(d, event.WithTiming())
			require.NoError(t, e.Record(s), name)
			require.NoError(t, s.WaitEvent(e), name)
			require.NoError(t, s.WaitStream(other), name)
			require.NoError(t, other.WaitStream(s), name)
			_ = obtain(e.IsDone())
			require.NoError(t, e.Wait(background), name)
			_ = obtain(s.IsDone())
			require.NoError(t, s.Wait(background), name)
			require.NoError(t, s.Sync(), name)
			_ = obtain(e.Sub(e))
			after := 0
			for _, c := range calls {
				after += r.m.Calls(c)
			}
			assert.Equal(t, before, after, name)
		}
	})
}

// A runtime that answers 801 has no captures: its streams work when others have their handles too.
func TestRuntimeWithoutCaptures(t *testing.T) {
	onFaces(t, []face{{event.HIP, "cpu"}}, sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		can := d.Capabilities()
		assert.False(t, can.Has(event.CapCapture), can)
		assert.False(t, can.Has(event.CapIPC), can)
		assert.False(t, can.Has(event.CapHostFunc), can)
		assert.False(t, can.Has(event.CapExternal), can)
		for name, option := range map[string]event.EventOption{
			"ipc": event.WithIPC(), "external": event.WithExternal(),
		} {
			_, err := d.NewEvent(option)
			assert.ErrorIs(t, err, event.ErrUnsupported, name)
		}
		s := r.stream(d)
		assert.ErrorIs(t, s.HostFunc(func() error { return nil }), event.ErrUnsupported)
		natives.Word(s)
		wrapped := obtain(d.WrapStream(natives.Word(s)))
		for _, on := range []*event.Stream{s, wrapped} {
			g := r.hold(s)
			e := r.recorded(on, event.WithTiming())
			natives.Word(e)
			assert.False(t, obtain(e.IsDone()))
			assert.False(t, obtain(on.IsDone()))
			ctx, cancel := context.WithCancel(t.Context())
			returned := make(chan error, 1)
			go func() { returned <- e.Wait(ctx) }()
			g.Open()
			assert.NoError(t, reached(t, "the wait", returned))
			cancel()
			assert.NoError(t, on.Wait(background))
			assert.NoError(t, on.Sync())
			_, err := e.Sub(e)
			assert.NoError(t, err)
			assert.NoError(t, r.stream(d).WaitEvent(e))
		}
		assert.NoError(t, wrapped.Close())
		r.requireSound(t)
	})
}

// Capabilities follow what the runtime does, not what it exports.
func TestCapabilitiesAreTried(t *testing.T) {
	onFaces(t, []face{{event.HIP, "7.2"}}, sim.Options{}, func(t *testing.T, r *rig) {
		r.m.FaultAlways("hipStreamIsCapturing", 801)
		r.m.FaultAlways("hipIpcGetEventHandle", 801)
		d := r.device(0)
		can := d.Capabilities()
		assert.False(t, can.Has(event.CapCapture), can)
		assert.False(t, can.Has(event.CapExternal), can)
		assert.False(t, can.Has(event.CapIPC), can)
		assert.True(t, can.Has(event.CapHostFunc), can)
		s := r.stream(d)
		natives.Word(s)
		require.NoError(t, r.recorded(s).Sync())
	})
}

// Finding out what a device can do waits for none of its work.
func TestCapabilitiesOfABusyDevice(t *testing.T) {
	onFaces(t, []face{{event.HIP, "7.2"}}, sim.Options{}, func(t *testing.T, r *rig) {
		busy, err := hip.StreamCreateWithFlags(hip.StreamNonBlocking)
		require.NoError(t, err)
		g := r.m.Gate(uintptr(busy))
		told := make(chan event.Capability, 1)
		go func() { told <- r.device(0).Capabilities() }()
		select {
		case can := <-told:
			assert.True(t, can.Has(event.CapIPC), can)
		case <-time.After(10 * time.Second):
			assert.Fail(t, "waits for the device")
		}
		g.Open()
		require.NoError(t, hip.StreamDestroy(busy))
	})
}

// A runtime may export hipLaunchHostFunc and not support it.
func TestHostFunctionsThatAreNotSupported(t *testing.T) {
	onFaces(t, hipFaces("cpu", "5.2.3"), sim.Options{}, func(t *testing.T, r *rig) {
		r.m.FaultAlways("hipLaunchHostFunc", 801)
		d := r.device(0)
		assert.False(t, d.Capabilities().Has(event.CapHostFunc))
		err := r.stream(d).HostFunc(func() error { return nil })
		assert.ErrorIs(t, err, event.ErrUnsupported)
	})
}

// A stream is idle, whatever hipStreamQuery says, and two events have their true order.
func TestAnswersOfARuntimeOnACPU(t *testing.T) {
	onFaces(t, []face{{event.HIP, "cpu"}}, sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, other := r.stream(d), r.stream(d)
		gate := r.m.Gate(event.NativeHandle(s))
		first := r.recorded(s)
		done, err := s.IsDone()
		require.NoError(t, err)
		assert.False(t, done)
		assert.NoError(t, other.Sync())
		done, err = other.IsDone()
		require.NoError(t, err)
		assert.True(t, done)
		gate.Open()
		require.NoError(t, first.Sync())
		done, err = s.IsDone()
		require.NoError(t, err)
		assert.True(t, done, "it has done work, and was not synchronized")
	})
}

// Architecture is known on ROCm 5 too, and external records are there from 6.4 on.
func TestWhatTheReleasesOfROCmTell(t *testing.T) {
	for profile, external := range map[string]bool{
		"cpu": false, "5.2.3": false, "5.7": false, "6.4": true, "7.2.0": true, "7.2": true,
	} {
		onFaces(t, []face{{event.HIP, profile}}, sim.Options{}, func(t *testing.T, r *rig) {
			d := r.device(0)
			if profile == "cpu" {
				assert.Empty(t, d.Architecture(), "the runtime says unavailable")
			} else {
				assert.Equal(t, "gfx942", d.Architecture(), "without the features")
			}
			assert.Equal(t, external, d.Capabilities().Has(event.CapExternal))
		})
	}
}
