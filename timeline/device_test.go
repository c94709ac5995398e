package timeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// everyBackend runs f on a simulated machine of each version of each vendor.
func everyBackend(t *testing.T, c eventsim.Config, f func(*testing.T, *eventsim.Machine)) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		for _, v := range eventsim.Versions(b) {
			t.Run(fmt.Sprintf("%s-%s", b, v), func(t *testing.T) {
				t.Parallel()
				own := c
				own.Backend, own.Version = b, v
				f(t, eventsim.New(t, own))
			})
		}
	}
}

func simStream(t testing.TB, d *event.Device) *event.Stream {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	return s
}

func lost(d *event.Device) error {
	if d.Backend() == event.HIP {
		return hip.ErrIllegalAddress
	}
	return cudrv.ErrIllegalAddress
}

func TestExactTimes(t *testing.T) {
	t.Parallel()
	everyBackend(t, eventsim.Config{}, func(t *testing.T, m *eventsim.Machine) {
		tl, err := New(Options{Devices: m.Devices()})
		require.NoError(t, err)
		a, b := simStream(t, m.Device(0)), simStream(t, m.Device(0))
		copying := tl.Begin(a, "copy")
		m.Work(a, 3*time.Millisecond)
		require.NoError(t, copying.End())
		require.NoError(t, tl.Wait(b, copying))
		gemm := tl.Begin(b, "gemm")
		m.Work(b, 4*time.Millisecond)
		require.NoError(t, gemm.End())
		m.Advance(10 * time.Millisecond)
		shot := flushed(t, tl)
		require.Len(t, shot.Items, 3)
		c, w, g := named(shot, "copy")[0], named(shot, "wait")[0], named(shot, "gemm")[0]
		assert.InDelta(t, 3e6, c.Duration(), 3e6*maxDrift+1) // the rate is unsure
		assert.InDelta(t, 3e6, w.Duration(), 3e6*maxDrift+1)
		assert.InDelta(t, 4e6, g.Duration(), 4e6*maxDrift+1)
		assert.Equal(t, KindWait, w.Kind)
		assert.Equal(t, c.ID, w.From)
		assert.NoError(t, errors.Join(a.Close(), b.Close(), tl.Close(t.Context())))
	})
}

func TestSpanAcrossDevices(t *testing.T) {
	t.Parallel()
	c := eventsim.Config{Devices: 2, RealTime: true}
	everyBackend(t, c, func(t *testing.T, m *eventsim.Machine) {
		tl, err := New(Options{})
		require.NoError(t, err)
		a, b := simStream(t, m.Device(0)), simStream(t, m.Device(1))
		span := tl.Begin(a, "transfer")
		time.Sleep(2 * time.Millisecond) // the span's length
		child := span.BeginOn(b, "child")
		require.NoError(t, child.End())
		require.NoError(t, span.EndOn(b))
		shot := flushed(t, tl)
		require.Len(t, shot.Items, 2)
		it := named(shot, "transfer")[0]
		assert.Same(t, m.Device(0), it.Lane.Device)
		assert.Same(t, m.Device(1), it.EndLane.Device)
		assert.GreaterOrEqual(t, it.Duration()+2*it.Bound, 2*time.Millisecond)
		assert.Equal(t, it.ID, named(shot, "child")[0].Parent)
		assert.NoError(t, errors.Join(a.Close(), b.Close(), tl.Close(t.Context())))
	})
}

func TestFailedDevice(t *testing.T) {
	t.Parallel()
	everyBackend(t, eventsim.Config{Devices: 2}, func(t *testing.T, m *eventsim.Machine) {
		tl, err := New(Options{Devices: m.Devices()})
		require.NoError(t, err)
		var failed []error
		tl.OnFinish(func(it Item) {
			if it.Err != nil {
				failed = append(failed, it.Err)
				assert.Zero(t, it.Start)
			}
		})
		bad, good := simStream(t, m.Device(0)), simStream(t, m.Device(1))
		span := tl.Begin(bad, "broken")
		gate := m.Gate(bad)
		require.NoError(t, span.End())
		gate.Fail(lost(m.Device(0)))
		require.NoError(t, tl.Begin(good, "sound").End())
		shot := flushed(t, tl)
		require.Len(t, failed, 1)
		assert.ErrorIs(t, failed[0], lost(m.Device(0)))
		assert.Len(t, shot.Items, 1)
		assert.EqualValues(t, 1, shot.Stats.Failed)
		assert.ErrorIs(t, tl.Begin(bad, "later").End(), lost(m.Device(0)))
		_, _ = bad.Close(), good.Close()
		_ = tl.Close(t.Context()) // which may return the failure
	})
}

func TestClosedStream(t *testing.T) {
	t.Parallel()
	everyBackend(t, eventsim.Config{}, func(t *testing.T, m *eventsim.Machine) {
		tl, err := New(Options{})
		require.NoError(t, err)
		for i := range 5 {
			s := simStream(t, m.Device(0))
			require.NoError(t, tl.Begin(s, "x", Int("i", i)).End())
			open := tl.Begin(s, "open")
			require.NoError(t, s.Close())
			assert.ErrorIs(t, open.End(), event.ErrClosed)
		}
		assert.Len(t, flushed(t, tl).Items, 5, "what had ended is on the timeline")
		forgotten := func() bool {
			tl.mu.Lock()
			defer tl.mu.Unlock()
			return len(tl.lanes) == 0
		}
		assert.Eventually(t, forgotten, time.Minute, time.Millisecond, "closed streams are let go")
		assert.NoError(t, tl.Close(t.Context()))
	})
}

func TestCapturedStream(t *testing.T) {
	t.Parallel()
	everyBackend(t, eventsim.Config{}, func(t *testing.T, m *eventsim.Machine) {
		d := m.Device(0)
		tl, err := New(Options{Devices: m.Devices()})
		require.NoError(t, err)
		var errs []error
		tl.OnFinish(func(it Item) { errs = append(errs, it.Err) })
		s, other := simStream(t, d), simStream(t, d)
		destroy := capture(t, s, func() {
			for range 20 {
				require.NoError(t, tl.Begin(other, "outside of it").End())
			}
			require.NoError(t, tl.Begin(s, "in a capture").End())
			flushed(t, tl) // while the capture goes on, which this must not end
			time.Sleep(2 * firstPause)
			require.NoError(t, tl.Begin(s, "in a capture").End())
		})
		flushed(t, tl)
		require.Len(t, errs, 22)
		errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
		require.Len(t, errs, 2)
		for _, err := range errs {
			assert.ErrorIs(t, err, event.ErrCaptured)
		}
		require.NoError(t, tl.Begin(s, "after it").End())
		assert.Len(t, flushed(t, tl).Items, 21)
		assert.EqualValues(t, 2, tl.Stats().Captured)
		destroy()
		assert.NoError(t, errors.Join(s.Close(), other.Close(), tl.Close(context.Background())))
	})
}

// capture captures what f enqueues on a stream in global mode, the most sensitive one, and returns
// what destroys the graph.
func capture(t *testing.T, s *event.Stream, f func()) (destroy func()) {
	t.Helper()
	runtime.LockOSThread() // such a capture belongs to its thread
	defer runtime.UnlockOSThread()
	if s.Backend() == event.CUDA {
		native, err := s.CUDAStream()
		require.NoError(t, err)
		require.NoError(t, cudrv.StreamBeginCapture(native, cudrv.StreamCaptureModeGlobal))
		f()
		g, err := cudrv.StreamEndCapture(native)
		require.NoError(t, err)
		return func() { require.NoError(t, cudrv.GraphDestroy(g)) }
	}
	native, err := s.HIPStream()
	require.NoError(t, err)
	require.NoError(t, hip.StreamBeginCapture(native, hip.StreamCaptureModeGlobal))
	f()
	g, err := hip.StreamEndCapture(native)
	require.NoError(t, err)
	return func() { require.NoError(t, hip.GraphDestroy(g)) }
}
