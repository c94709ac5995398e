package event_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// TestCapturesOfOthers queries, waits for and closes streams while another thread captures in
// global mode. No call is refused, and the capture survives.
func TestCapturesOfOthers(t *testing.T) {
	onFaces(t, append(cudaFaces(), hipFaces("cpu")...), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		other := r.stream(d)
		end := r.captureElsewhere(t, other)

		s := r.stream(d)
		done, err := s.IsDone()
		require.NoError(t, err)
		assert.True(t, done, "an idle stream")
		require.NoError(t, s.Sync(), "an idle stream")

		g := r.hold(s)
		e := r.recorded(s)
		blocking := r.recorded(s, event.WithBlockingSync())
		done, err = s.IsDone()
		require.NoError(t, err)
		assert.False(t, done, "a busy stream")
		synced, closed := make(chan error, 4), make(chan error, 1)
		go func() { synced <- s.Sync() }()
		go func() { synced <- s.Wait(t.Context()) }()
		go func() { synced <- e.Sync() }()
		go func() { synced <- blocking.Sync() }()
		require.Empty(t, synced)
		busy := r.stream(d)
		busyGate := r.hold(busy)
		r.recorded(busy)
		go func() { closed <- busy.Close() }()
		time.Sleep(time.Millisecond) // the calls should be in progress, and may be
		g.Open()
		for range 4 {
			require.NoError(t, reached(t, "the end of a wait", synced))
		}
		busyGate.Open()
		require.NoError(t, reached(t, "the end of Close", closed))
		done, err = s.IsDone()
		require.NoError(t, err)
		assert.True(t, done)

		require.NoError(t, end(), "the end of the capture")
	})
}

// captureElsewhere begins a global capture on a thread of its own, which ends it.
func (r *rig) captureElsewhere(t *testing.T, s *event.Stream) (end func() error) {
	word := natives.Word(s)
	begun, stop, ended := make(chan error), make(chan struct{}), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends
		var err error
		r.onRaw(s, func() {
			if r.backend == event.CUDA {
				var g cudrv.Graph
				begun <- cudrv.StreamBeginCapture(cudrv.Stream(word), cudrv.StreamCaptureModeGlobal)
				<-stop
				if g, err = cudrv.StreamEndCapture(cudrv.Stream(word)); err == nil {
					err = cudrv.GraphDestroy(g)
				}
				return
			}
			var g hip.Graph
			begun <- hip.StreamBeginCapture(hip.Stream(word), hip.StreamCaptureModeGlobal)
			<-stop
			if g, err = hip.StreamEndCapture(hip.Stream(word)); err == nil {
				err = hip.GraphDestroy(g)
			}
		})
		ended <- err
	}()
	require.NoError(t, <-begun)
	stopped := sync.OnceFunc(func() { close(stop) })
	r.later(func() error { stopped(); return nil })
	return func() error {
		stopped()
		return reached(t, "the end of the capture", ended)
	}
}
