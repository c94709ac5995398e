package eventtest

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

var eventBehaviours = []behaviour{
	{"event/options-are-off-by-default", nil, func(k *kit) {
		e := k.event()
		k.False(e.IsTimingEnabled())
		k.False(e.IsBlockingSync())
		k.False(e.IsIPCEnabled())
		k.False(e.IsExternal())
		k.False(e.IsRecorded())
		k.False(e.IsClosed())
		k.Zero(e.Generation())
		k.Equal(event.Unrecorded, e.State())
		k.Equal(k.Device.Backend(), e.Backend())
		k.True(k.event(event.WithTiming()).IsTimingEnabled())
		k.True(k.event(event.WithBlockingSync()).IsBlockingSync())
	}},
	{"event/knows-device-and-context", nil, func(k *kit) {
		e := k.event()
		k.Same(k.Device, e.Device())
		own, err := e.Context()
		k.NoError(err)
		devices, err := k.Device.Context()
		k.NoError(err)
		k.Equal(devices, own)
		k.Equal(k.Device.Backend() == event.CUDA, own != 0)
		k.Equal(k.Device.IsHost(), natives.Word(e) == 0)
	}},
	{"event/native-handle-is-typed", nil, func(k *kit) {
		e := k.event()
		cuda, cudaErr := e.CUDAEvent()
		amd, amdErr := e.HIPEvent()
		k.typed(event.CUDA, uintptr(cuda), cudaErr, e.String(), "Event.CUDAEvent")
		k.typed(event.HIP, uintptr(amd), amdErr, e.String(), "Event.HIPEvent")
		k.NoError(e.Close())
		cuda, cudaErr = e.CUDAEvent()
		k.Zero(cuda)
		k.refused(cudaErr, event.ErrClosed, e.String())
		amd, amdErr = e.HIPEvent()
		k.Zero(amd)
		k.refused(amdErr, event.ErrClosed, e.String())
	}},
	{"event/string-names-it", nil, func(k *kit) {
		a, b := k.event(), k.event()
		k.Regexp(regexp.MustCompile(`^(cuda:\d+|hip:\d+|host) event 0x[0-9a-f]+$`), a.String())
		k.NotEqual(a.String(), b.String())
		k.Equal(a.String(), a.String())
		device, _, _ := strings.Cut(a.String(), " ")
		k.Equal(k.Device.String(), device)
	}},
	{"event/identity-is-the-object", nil, func(k *kit) {
		a, b := k.event(), k.event()
		m := map[*event.Event]int{a: 1, b: 2}
		k.Equal(1, m[a])
		k.Equal(2, m[b])
		k.False(a == b)
		s := k.stream()
		k.NoError(a.Record(s))
		k.NoError(a.Record(s))
		k.Equal(1, m[a])
	}},
	{"event/unrecorded-is-done", nil, func(k *kit) {
		e := k.event()
		k.isDone(true, e)
		k.NoError(e.Sync())
		k.NoError(e.Wait(k.ctx()))
		k.reached("done", e.Done())
		k.NoError(e.Err())
		s := k.stream()
		k.NoError(s.WaitEvent(e))
		k.NoError(s.Sync())
		k.Equal(event.Unrecorded, e.State())
	}},
	{"event/query-follows-the-stream", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		k.Equal(event.Pending, e.State())
		for range 1000 { // none of them blocks
			k.isDone(false, e)
		}
		k.NoError(e.Err())
		g.open()
		k.NoError(e.Sync())
		k.isDone(true, e)
		k.Equal(event.Done, e.State())
	}},
	{"event/sync-spins-or-blocks", nil, func(k *kit) {
		for _, o := range [][]event.EventOption{nil, {event.WithBlockingSync()}} {
			s := k.stream()
			g := k.gate(s)
			e := k.record(s, o...)
			returned := make(chan error, 1)
			go func() { returned <- e.Sync() }()
			k.isDone(false, e) // Sync blocks no other call
			k.Empty(returned)
			g.open()
			k.NoError(<-returned)
		}
	}},
	{"event/record-again-replaces", nil, func(k *kit) {
		held, s := k.stream(), k.stream()
		g := k.gate(held)
		e := k.record(held)
		name := e.String()
		k.EqualValues(1, e.Generation())
		k.isDone(false, e)
		k.NoError(e.Record(s))
		k.EqualValues(2, e.Generation())
		k.NoError(e.Sync())
		k.isDone(true, e)
		k.Equal(name, e.String())
		k.isDone(false, held)
		k.NoError(e.Record(held))
		k.isDone(false, e)
		k.Equal(event.Pending, e.State())
		g.pass()
		k.isDone(true, e)
	}},
	{"event/record-on-other-device-is-refused", []need{second}, func(k *kit) {
		e, s := k.event(), k.streamOn(k.Second)
		k.refused(e.Record(s), event.ErrDeviceMismatch, e.String(), s.String())
		k.Zero(e.Generation())
		k.NoError(e.Record(k.stream()))
		k.NoError(e.Sync())
	}},
	{"event/record-on-other-backend-is-refused", []need{other}, func(k *kit) {
		e, s := k.event(), k.streamOn(k.Other)
		k.refused(e.Record(s), event.ErrBackendMismatch, e.String(), s.String(),
			string(k.Other.Backend()))
		k.refused(s.Record(e), event.ErrBackendMismatch)
		k.NoError(e.Record(k.stream()))
	}},
	{"event/options-that-contradict-are-refused", nil, func(k *kit) {
		_, err := k.Device.NewEvent(event.WithTiming(), event.WithIPC())
		k.refused(err, event.ErrInvalidOption, "WithTiming or WithIPC")
		_, err = k.Device.NewEvent(event.WithFence(event.FenceNone + 1))
		k.refused(err, event.ErrInvalidOption, "fence")
	}},
	{"event/options-that-the-device-lacks-are-refused", nil, func(k *kit) {
		for c, o := range map[event.Capability]event.EventOption{event.CapIPC: event.WithIPC(),
			event.CapExternal: event.WithExternal()} {
			e, err := k.Device.NewEvent(o)
			if k.Device.Capabilities().Has(c) {
				k.NoError(err)
				k.NoError(e.Close())
			} else {
				k.refused(err, event.ErrUnsupported, "leave With")
			}
		}
		for _, f := range []event.Fence{event.FenceDevice, event.FenceSystem, event.FenceNone} {
			e, err := k.Device.NewEvent(event.WithFence(f))
			switch {
			case k.Device.Backend() != event.HIP:
				k.refused(err, event.ErrUnsupported, "leave WithFence out")
			case err != nil: // ROCm 5.2 knows two of them
				k.refused(err, event.ErrUnsupported, f.String())
			default:
				k.NoError(e.Record(k.stream()))
				k.NoError(e.Close())
			}
		}
	}},
	{"event/nil-is-refused", nil, func(k *kit) {
		var e *event.Event
		callAll(k, e, nil)
		s := k.stream()
		k.refused(s.Record(nil), event.ErrNilEvent)
		k.refused(s.WaitEvent(nil), event.ErrNilEvent)
		k.refused(e.Wait(k.ctx()), event.ErrNilEvent)
		k.refused(e.Sync(), event.ErrNilEvent)
		k.refused(e.Err(), event.ErrNilEvent)
		k.reached("done", e.Done())
		_, err := event.WaitAny(k.ctx(), k.event(), nil)
		k.NoError(err, "the first is done")
		_, err = event.WaitAny(k.ctx(), nil)
		k.refused(err, event.ErrNilEvent)
		k.refused(event.WaitAll(k.ctx(), k.event(), nil), event.ErrNilEvent)
		_, err = k.event(event.WithTiming()).Sub(nil)
		k.refused(err, event.ErrNilEvent)
		k.Equal(event.Closed, e.State())
	}},
	{"event/zero-is-like-nil", nil, func(k *kit) {
		zero := new(event.Event)
		answersLike(k, zero, (*event.Event)(nil))
		s := k.stream()
		k.refused(s.Record(zero), event.ErrNilEvent)
		k.refused(s.WaitEvent(zero), event.ErrNilEvent)
		_, err := event.WaitAny(k.ctx(), zero)
		k.refused(err, event.ErrNilEvent)
		k.refused(event.WaitAll(k.ctx(), k.event(), zero), event.ErrNilEvent)
		_, err = k.event(event.WithTiming()).Sub(zero)
		k.refused(err, event.ErrNilEvent)
	}},
	{"event/wrapped-handle-is-borrowed", nil, func(k *kit) {
		if k.Device.IsHost() {
			_, err := k.Device.WrapEvent(1)
			k.refused(err, event.ErrUnsupported, "NewEvent")
			return
		}
		_, err := k.Device.WrapEvent(0)
		k.refused(err, event.ErrInvalidOption)
		s := k.stream()
		g := k.gate(s)
		e := k.record(s, event.WithTiming())
		w, err := k.Device.WrapEvent(natives.Word(e), event.WithTiming())
		k.NoError(err)
		k.isDone(false, w)
		k.True(w.IsRecorded())
		g.pass()
		k.isDone(true, w)
		k.NoError(w.Wait(k.ctx()))
		d, err := w.Sub(e)
		k.NoError(err)
		k.Zero(d)
		k.NoError(w.Close())
		k.NoError(e.Sync(), "closing the wrapper must leave the event alone")
		k.refused(w.Sync(), event.ErrClosed)
	}},
	{"event/records-through-the-handle-count", nil, func(k *kit) {
		s, e := k.stream(), k.event()
		if k.Device.IsHost() { // there is no handle to record through
			k.Zero(natives.Word(e))
			return
		}
		g := k.gate(s)
		k.raw(func() error {
			if k.Device.Backend() == event.CUDA {
				return cudrv.EventRecord(cudrv.Event(natives.Word(e)), cudrv.Stream(natives.Word(s)))
			}
			return hip.EventRecord(hip.Event(natives.Word(e)), hip.Stream(natives.Word(s)))
		})
		k.isDone(false, e)
		k.Equal(event.Pending, e.State())
		waiting := e.Done()
		k.True(isOpen(waiting))
		g.pass()
		k.reached("done", waiting)
		k.isDone(true, e)
	}},
	{"event/many-goroutines-share-one", nil, func(k *kit) {
		s, e := k.stream(), k.event()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 50 {
					_ = e.Record(s)
					_, _ = e.IsDone()
					_ = e.Sync()
					_ = e.Wait(k.ctx())
					_ = e.State()
				}
			})
		}
		all.Wait()
		k.EqualValues(400, e.Generation())
		k.NoError(e.Sync())
		k.isDone(true, e)
	}},
}
