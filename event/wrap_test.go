package event_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// inOwnContext runs f in a context that a user made on a device, and returns it.
func inOwnContext(r *rig, device cudrv.Device, f func()) cudrv.Context {
	ensure(cudrv.Init(0))
	ctx := obtain(cudrv.CtxCreate(0, device))
	_ = obtain(cudrv.CtxPopCurrent())
	ensure(ctx.Do(func() error { f(); return nil }))
	r.later(func() error { return cudrv.CtxDestroy(ctx) })
	return ctx
}

// A stream of another context or device is refused, and the error names both.
func TestWrapStreamOfAnotherContext(t *testing.T) {
	onFaces(t, cudaFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		for n, names := range [][]string{{"primary", "cuda:0"}, {"device 1", "cuda:0"}} {
			var raw cudrv.Stream
			ctx := inOwnContext(r, cudrv.Device(n), func() { raw = obtain(cudrv.StreamCreate(0)) })
			_, err := d.WrapStream(uintptr(raw))
			require.ErrorIs(t, err, event.ErrDeviceMismatch)
			if n == 0 {
				names = append(names, fmt.Sprintf("%#x", uintptr(ctx)))
			}
			for _, name := range names {
				assert.ErrorContains(t, err, name)
			}
			assert.ErrorContains(t, err, "wrap it")
			ensure(ctx.Do(func() error { return cudrv.StreamDestroy(raw) }))
		}
		own := r.stream(d)
		w, err := d.WrapStream(natives.Word(own))
		require.NoError(t, err)
		assert.NoError(t, w.Close())
		_, err = r.device(1).WrapStream(natives.Word(own))
		require.ErrorIs(t, err, event.ErrDeviceMismatch)
		assert.ErrorContains(t, err, "device 0")
		assert.ErrorContains(t, err, "cuda:1")
	})
}

// HIP returns a stream's device from 5.7 on; before, there is no way to find out.
func TestWrapStreamOfAnotherHIPDevice(t *testing.T) {
	onFaces(t, hipFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		w, err := r.device(1).WrapStream(natives.Word(s))
		if r.profile == "5.2.3" {
			require.NoError(t, err)
			assert.NoError(t, w.Close())
			return
		}
		require.ErrorIs(t, err, event.ErrDeviceMismatch)
		assert.ErrorContains(t, err, "device 0")
		assert.ErrorContains(t, err, "hip:1")
		own, err := r.device(0).WrapStream(natives.Word(s))
		require.NoError(t, err)
		assert.NoError(t, own.Close())
	})
}

// Two events that have a time each, but in two contexts: that is what the error says.
func TestSubOfEventsOfTwoContexts(t *testing.T) {
	onFaces(t, cudaFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		var raw cudrv.Event
		ctx := inOwnContext(r, 0, func() {
			s := obtain(cudrv.StreamCreate(0))
			raw = obtain(cudrv.EventCreate(0))
			ensure(cudrv.EventRecord(raw, s))
			ensure(cudrv.StreamSynchronize(s))
			ensure(cudrv.StreamDestroy(s))
		})
		start := obtain(d.WrapEvent(uintptr(raw), event.WithTiming()))
		end := r.recorded(r.stream(d), event.WithTiming())
		ensure(end.Sync())
		for _, pair := range [][2]*event.Event{{start, end}, {end, start}} {
			_, err := pair[1].Sub(pair[0])
			require.ErrorIs(t, err, event.ErrDeviceMismatch)
			assert.ErrorContains(t, err, "different contexts")
			assert.ErrorContains(t, err, start.String())
			assert.ErrorContains(t, err, end.String())
		}
		assert.NoError(t, start.Close())
		ensure(ctx.Do(func() error { return cudrv.EventDestroy(raw) }))
	})
}

// Two codes that a driver makes up are no proof of two contexts, where both events are ours.
func TestSubOfOwnEventsBlamesNoContext(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		start, end := r.recorded(s, event.WithTiming()), r.recorded(s, event.WithTiming())
		natives.Word(start) // others may record it
		ensure(s.Sync())
		elapsed := r.call("EventElapsedTime")
		if r.backend == event.CUDA {
			elapsed = "cuEventElapsedTime_v2"
		}
		for _, nth := range []int{1, 4} {
			r.m.FaultAt(elapsed, nth, 400)
		}
		_, err := end.Sub(start)
		var native *event.DriverError
		require.ErrorAs(t, err, &native)
		assert.EqualValues(t, 400, native.Code)
	})
}

// The creator of a wrapped event may destroy it once Close has returned nil, so Close waits for
// queries in flight, and returns an error if one hangs.
func TestCloseOfAWrapperWaitsForQuestions(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		r.hold(s)
		w := obtain(r.device(0).WrapEvent(natives.Word(r.recorded(s))))
		query := r.holdCall("EventQuery")
		waited := make(chan error, 1)
		w.OnDone(func(err error) { waited <- err })
		reached(t, "a question", query.entered)
		err := w.Close()
		require.ErrorIs(t, err, event.ErrNotReady)
		assert.ErrorContains(t, err, "keep the handle")
		assert.ErrorIs(t, reached(t, "the end of the wait", waited), event.ErrClosed)
		query.letGo()
		assert.NoError(t, w.Close())
		assert.NoError(t, w.Close())
	})
}
