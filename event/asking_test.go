package event_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
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

// Architecture is known on ROCm 5 too, and external records are there from 6.4 on.
func TestWhatTheReleasesOfROCmTell(t *testing.T) {
	for profile, external := range map[string]bool{
		"cpu": false, "5.2.3": false, "5.7": false, "6.4": true, "7.2.0": true, "7.2": true,
	} {
		onFaces(t, []face{{event.HIP, profile}}, sim.Options{}, func(t *testing.T, r *rig) {
			d := r.device(0)
			assert.NotEmpty(t, d.Architecture())
			assert.NotContains(t, d.Architecture(), ":", "without the features")
			assert.Equal(t, external, d.Capabilities().Has(event.CapExternal))
		})
	}
}
