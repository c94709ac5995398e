package event_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// invalidating are the profiles in which a capture can be invalidated.
func invalidating() []face { return hipFaces("cpu", "5.2.3", "5.7") }

// TestInvalidatedCaptures records on a stream whose capture was invalidated. The runtime would take
// that for an ordinary record, before the capture's end and after it.
func TestInvalidatedCaptures(t *testing.T) {
	onFaces(t, invalidating(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, e, external := r.stream(d), r.event(d), r.event(d, event.WithExternal())
		raw := hip.Stream(natives.Word(s))
		require.NoError(t, hip.StreamBeginCapture(raw, hip.StreamCaptureModeRelaxed))
		require.Error(t, hip.StreamQuery(raw))
		refused := func() {
			t.Helper()
			for _, err := range []error{e.Record(s), external.Record(s), s.Sync(), s.Wait(t.Context()),
				s.HostFunc(func() error { return nil }), r.stream(d).WaitStream(s)} {
				assert.ErrorIs(t, err, event.ErrCaptureFailed)
			}
			_, err := s.IsDone()
			assert.ErrorIs(t, err, event.ErrCaptureFailed)
			assert.Equal(t, event.Unrecorded, e.State())
			assert.Equal(t, event.Unrecorded, external.State())
		}
		refused()
		_, err := hip.StreamEndCapture(raw)
		require.ErrorIs(t, err, hip.ErrStreamCaptureInvalidated)
		refused()
		returns(t, "the end of Close", func() { assert.NoError(t, s.Close()) })
	})
}

// TestDiscardedStreams closes and drops discarded streams, once and twice, in use and not.
func TestDiscardedStreams(t *testing.T) {
	onFaces(t, append(newests(), hipFaces("cpu")...), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		none := func(driver.Object) bool { return false }
		before := r.live().Streams

		s := r.stream(d)
		e := r.recorded(s)
		wrapper := obtain(d.WrapStream(natives.Word(s)))
		r.later(wrapper.Close)
		native.StreamOf(wrapper).Discard(none)
		native.StreamOf(s).Discard(none)
		for _, o := range []*event.Stream{s, wrapper} {
			assert.ErrorIs(t, e.Record(o), event.ErrCaptureFailed)
			assert.ErrorIs(t, r.event(d).Record(o), event.ErrCaptureFailed)
		}
		require.NoError(t, e.Wait(t.Context()), "recorded before")
		require.NoError(t, e.Close())
		assert.Greater(t, r.live().Streams, before, "its handle was given out")
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		assert.ErrorIs(t, e.Record(s), event.ErrClosed)
		assert.ErrorIs(t, s.Sync(), event.ErrClosed)
		require.NoError(t, wrapper.Close())
		left := func() int { // without relays
			native.DeviceOf(d).Settle()
			return r.live().Streams
		}
		assert.True(t, eventually(func() bool { return left() == before }))

		// The other streams of the capture are discarded with it.
		first, second, third := r.stream(d), r.stream(d), r.stream(d)
		for _, o := range []*event.Stream{first, second, third} {
			native.StreamOf(o).Export()
		}
		word := native.StreamOf(second).Object.Word
		native.StreamOf(first).Discard(func(o driver.Object) bool { return o.Word == word })
		assert.ErrorIs(t, first.Sync(), event.ErrCaptureFailed)
		assert.ErrorIs(t, second.Sync(), event.ErrCaptureFailed)
		assert.NoError(t, third.Sync())

		// A stream that was closed before stays so.
		closed := r.stream(d)
		require.NoError(t, closed.Close())
		native.StreamOf(closed).Discard(none)
		assert.ErrorIs(t, closed.Sync(), event.ErrClosed)

		before = left()
		func() { native.StreamOf(obtain(d.NewStream())).Discard(none) }() // dropped
		assert.True(t, eventually(func() bool {
			runtime.GC()
			return left() == before
		}))
	})
}
