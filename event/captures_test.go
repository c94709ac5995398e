package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// TestCapturesThroughTheDoor begins captures on streams whose handles were not given out, as
// package compute does: once that was noted, records find out.
func TestCapturesThroughTheDoor(t *testing.T) {
	onFaces(t, newests(), sim.Options{Log: true}, func(t *testing.T, r *rig) {
		d := r.device(0)
		asks := func() int {
			return occurrences(r.m.Log(), "cuStreamIsCapturing") +
				occurrences(r.m.Log(), "hipStreamIsCapturing")
		}
		s, e := r.stream(d), r.event(d)
		require.NoError(t, e.Record(s))
		native.StreamOf(d.DefaultStream()).Export() // which can't be captured
		require.NoError(t, e.Record(d.DefaultStream()))
		assert.Zero(t, asks())

		native.StreamOf(s).Export()
		require.False(t, s.IsClosed())
		word := native.StreamOf(s).Object.Word
		r.onRaw(s, func() {
			if r.backend == event.CUDA {
				ensure(cudrv.StreamBeginCapture(cudrv.Stream(word), cudrv.StreamCaptureModeRelaxed))
			} else {
				ensure(hip.StreamBeginCapture(hip.Stream(word), hip.StreamCaptureModeRelaxed))
			}
		})
		require.NoError(t, e.Record(s))
		assert.Equal(t, event.Captured, e.State())
		assert.NotZero(t, asks())
		assert.ErrorIs(t, s.Sync(), event.ErrCaptured)
		r.endRaw(t, s, "questions")
	})
}

func TestCapturesOfTheHost(t *testing.T) {
	t.Parallel()
	d := event.NewHostDevice(host.New(host.Options{}))
	assert.True(t, d.Capabilities().Has(event.CapCapture|event.CapExternal))
	queue := func(s *event.Stream) *host.Queue {
		native.StreamOf(s).Export()
		return native.StreamOf(s).Object.Host.(*host.Queue)
	}
	require.ErrorIs(t, queue(d.DefaultStream()).BeginCapture(), host.ErrCaptureDefault)
	require.NoError(t, d.DefaultStream().Sync())

	s, other := hostStream(t, d), hostStream(t, d)
	outside, err := other.RecordNew()
	require.NoError(t, err)
	inside, err := d.NewEvent()
	require.NoError(t, err)
	require.NoError(t, queue(s).BeginCapture())
	require.NoError(t, inside.Record(s))
	assert.Equal(t, event.Captured, inside.State())
	err = s.WaitEvent(outside)
	var refused *event.DriverError
	require.ErrorAs(t, err, &refused)
	assert.ErrorIs(t, err, host.ErrIsolation)
	_, err = queue(s).EndCapture()
	require.ErrorIs(t, err, host.ErrIsolation)

	// The event stays a place in a graph that no longer exists.
	err = other.WaitEvent(inside)
	assert.ErrorIs(t, err, event.ErrCaptured)
	assert.ErrorContains(t, err, "record it outside a capture")
	require.NoError(t, inside.Record(s))
	assert.NoError(t, other.WaitEvent(inside))
	assert.NoError(t, other.Sync())

	// A closed stream is no longer captured, and nobody else is.
	require.NoError(t, queue(s).BeginCapture())
	require.NoError(t, s.Close())
	assert.NoError(t, other.Sync())
}

func hostStream(t *testing.T, d *event.Device) *event.Stream {
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}
