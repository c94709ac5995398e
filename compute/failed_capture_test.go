package compute_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/native"
)

// TestFailedCaptures lets captures fail in each way that drivers know. CUDA and the host end them.
// AMD's runtime keeps the streams, which are discarded: later calls return one error, and Close
// neither hangs nor crashes. The machine reports a call that would crash.
func TestFailedCaptures(t *testing.T) {
	all := append([]target{}, targets...)
	for _, version := range []string{"5.7", "7.2.0"} {
		all = append(all, target{"hip-" + version, event.HIP, version})
	}
	for _, to := range all {
		for _, way := range []string{"unjoined", "invalidated", "panic"} {
			if way == "invalidated" && (to.backend == event.Host || to.name == "hip-5.2.3" ||
				to.name == "hip-5.7") {
				continue // nothing invalidates a capture there
			}
			t.Run(to.name+"/"+way, func(t *testing.T) {
				failCapture(t, newRig(t, to, eventsim.Config{Devices: 2}), way)
			})
		}
	}
}

func failCapture(t *testing.T, r *rig, way string) {
	buf, err := compute.AllocOn[float32](r.device, 1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, buf.Close()) })
	s, other := r.newStream(), r.newStream()
	release := r.hold(s)
	require.NoError(t, buf.Fill(s, 2))
	before, err := s.RecordNew() // pending
	require.NoError(t, err)
	defer func() { require.NoError(t, before.Close()) }()

	inside := errors.New("f failed")
	graph, err := captureWith(s, func() error {
		switch way {
		case "invalidated":
			word := native.StreamOf(s).Object.Word
			if r.target.backend == event.CUDA {
				require.Error(t, cudrv.StreamQuery(cudrv.Stream(word)))
			} else {
				require.Error(t, hip.StreamQuery(hip.Stream(word)))
			}
			return nil
		default:
			require.NoError(t, buf.Fill(s, 3))
			fork, err := s.RecordNew()
			require.NoError(t, err)
			require.NoError(t, other.WaitEvent(fork))
			require.NoError(t, fork.Close())
			require.NoError(t, buf.Fill(other, 4))
			if way == "panic" {
				panic(inside)
			}
			return nil
		}
	})
	require.Error(t, err)
	assert.Nil(t, graph)
	switch {
	case way == "panic":
		require.ErrorIs(t, err, inside)
	case r.target.backend == event.CUDA && way == "unjoined":
		require.ErrorIs(t, err, cudrv.ErrStreamCaptureUnjoined)
	case r.target.backend == event.HIP && way == "unjoined":
		require.ErrorIs(t, err, hip.ErrStreamCaptureUnjoined)
	case r.target.backend == event.HIP:
		require.ErrorIs(t, err, hip.ErrStreamCaptureInvalidated)
	}

	if r.target.backend != event.HIP {
		require.NotErrorIs(t, err, event.ErrCaptureFailed)
		release()
		require.NoError(t, buf.Fill(s, 5))
		require.NoError(t, s.Sync())
		require.NoError(t, buf.Fill(other, 6))
		require.NoError(t, other.Sync())
		return
	}
	if way != "panic" {
		require.ErrorIs(t, err, event.ErrCaptureFailed)
	}
	require.Equal(t, 1, r.called("hipStreamEndCapture"), "another one may crash")
	refusesAll(t, r, s, buf)
	if way != "invalidated" {
		refusesAll(t, r, other, buf)
	}

	// What was enqueued before still ends, and can be waited for.
	used, err := compute.AllocOn[float32](r.device, 1)
	require.NoError(t, err)
	done, err := before.IsDone()
	require.NoError(t, err)
	assert.False(t, done)
	release()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.NoError(t, before.Wait(ctx))
	require.NoError(t, r.stream.WaitEvent(before))
	require.NoError(t, r.stream.Sync())

	// The memory is freed once its discarded streams are closed.
	require.NoError(t, used.Close())
	require.NoError(t, buf.Close())
	r.allocated(1)
	require.NoError(t, before.Close())
	require.NoError(t, s.Close())
	require.NoError(t, other.Close())
	assert.ErrorIs(t, s.Sync(), event.ErrClosed)
	require.NoError(t, s.Close(), "twice")
	r.freed()
}

// captureWith is Capture, which returns a panic as an error.
func captureWith(s *event.Stream, f func() error) (g *compute.Graph, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = v.(error)
		}
	}()
	return compute.Capture(s, f)
}

// refusesAll calls everything on a discarded stream.
func refusesAll(t *testing.T, r *rig, s *event.Stream, buf *compute.Buffer[float32]) {
	t.Helper()
	e, err := r.device.NewEvent()
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Close()) }()
	refused := map[string]error{
		"Record":     e.Record(s),
		"WaitEvent":  s.WaitEvent(e),
		"WaitStream": r.stream.WaitStream(s),
		"Sync":       s.Sync(),
		"Wait":       s.Wait(t.Context()),
		"Err":        s.Err(),
		"HostFunc":   s.HostFunc(func() error { return nil }),
		"Fill":       buf.Fill(s, 1),
		"CopyFrom":   buf.CopyFrom(s, []float32{1}),
	}
	_, refused["RecordNew"] = s.RecordNew()
	_, refused["IsDone"] = s.IsDone()
	_, refused["Capture"] = compute.Capture(s, func() error { return nil })
	_, refused["Alloc"] = compute.Alloc[float32](s, 1)
	for call, err := range refused {
		assert.ErrorIs(t, err, event.ErrCaptureFailed, call)
	}
	assert.Equal(t, event.Unrecorded, e.State())
}
