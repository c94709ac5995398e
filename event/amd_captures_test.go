package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// AMD's runtime damages memory if an external wait comes after captured work.
// fact: amd-external-wait-corrupts
func TestExternalWaitAfterCapturedWork(t *testing.T) {
	for _, profile := range []string{"6.4", "7.2.0", "7.2"} {
		onFaces(t, []face{{event.HIP, profile}}, sim.Options{}, func(t *testing.T, r *rig) {
			d := r.device(0)
			e := r.recorded(r.stream(d), event.WithExternal())
			s := r.stream(d)
			r.beginCapture(s)
			assert.NoError(t, s.WaitEvent(e), "the first work of the capture")
			err := s.WaitEvent(e)
			assert.ErrorIs(t, err, event.ErrUnsupported)
			assert.ErrorContains(t, err, "make the wait the first call")
			assert.Empty(t, r.m.Crashes())
			r.requireSound(t)
		})
	}
}

// A stream of AMD waits for a shared event however often it was recorded.
// fact: amd-ipc-wait-slots
func TestSharedEventRecordedOften(t *testing.T) {
	onFaces(t, []face{{event.HIP, "7.2"}}, sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		if !d.Capabilities().Has(event.CapIPC) {
			return
		}
		s, other, e := r.stream(d), r.stream(d), r.event(d, event.WithIPC())
		require.NoError(t, other.WaitEvent(e), "unrecorded")
		for range 40 {
			require.NoError(t, e.Record(s))
			require.NoError(t, other.WaitEvent(e))
		}
		g := r.hold(s)
		require.NoError(t, e.Record(s))
		require.NoError(t, other.WaitEvent(e))
		after := r.recorded(other)
		assert.False(t, obtain(after.IsDone()))
		g.Open()
		require.NoError(t, after.Wait(background))
		r.requireSound(t)
	})
}

// A default stream takes no part in captures: in the latest releases that ends in a crash.
// fact: amd-null-stream-joins
func TestDefaultStreamJoinsNoCapture(t *testing.T) {
	onFaces(t, hipFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		if !d.Capabilities().Has(event.CapCapture) {
			return
		}
		s, e := r.stream(d), r.event(d)
		r.beginCapture(s)
		require.NoError(t, e.Record(s))
		assert.ErrorIs(t, d.DefaultStream().WaitEvent(e), event.ErrCaptured)
		assert.Empty(t, r.m.Crashes())
		r.requireSound(t)
	})
}
