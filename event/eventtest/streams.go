package eventtest

import (
	"context"
	"regexp"
	"sync"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

var streamBehaviours = []behaviour{
	{"stream/defaults", nil, func(k *kit) {
		s := k.stream()
		least, _ := k.Device.PriorityRange()
		k.Equal(least, s.Priority())
		k.True(s.IsNonBlocking())
		k.False(s.IsDefault())
		k.False(s.IsClosed())
		k.Same(k.Device, s.Device())
		k.Equal(k.Device.Backend(), s.Backend())
		k.Regexp(regexp.MustCompile(`^(cuda:\d+|hip:\d+|host) stream 0x[0-9a-f]+$`), s.String())
		k.Equal(k.Device.IsHost(), natives.Word(s) == 0)
		own, err := s.Context()
		k.NoError(err)
		devices, err := k.Device.Context()
		k.NoError(err)
		k.Equal(devices, own)
	}},
	{"stream/priority-inside-range", nil, func(k *kit) {
		least, greatest := k.Device.PriorityRange()
		for _, p := range []int{least, greatest} {
			k.Equal(p, k.stream(event.WithPriority(p)).Priority())
		}
	}},
	{"stream/priority-outside-range-is-refused", nil, func(k *kit) {
		least, greatest := k.Device.PriorityRange()
		for _, p := range []int{least + 1, greatest - 1} {
			_, err := k.Device.NewStream(event.WithPriority(p))
			k.refused(err, event.ErrInvalidOption, "outside the device's range")
		}
	}},
	{"stream/many-are-distinct", nil, func(k *kit) {
		objects, names := map[*event.Stream]bool{}, map[string]bool{}
		for range 33 {
			s := k.stream()
			objects[s], names[s.String()] = true, true
		}
		k.Len(objects, 33)
		k.Len(names, 33)
	}},
	{"stream/query", nil, func(k *kit) {
		s := k.stream()
		k.isDone(true, s)
		g := k.gate(s)
		k.isDone(false, s)
		g.pass()
		k.isDone(true, s)
	}},
	{"stream/sync-waits-for-its-own-work-only", []need{can(event.CapHostFunc)}, func(k *kit) {
		s, held := k.stream(), k.stream()
		g := k.gate(held)
		ran := false
		k.NoError(s.HostFunc(func() error { ran = true; return nil }))
		k.NoError(s.Sync())
		k.True(ran)
		k.isDone(false, held)
		g.pass()
	}},
	{"stream/wait-with-context", nil, func(k *kit) {
		s := k.stream()
		k.NoError(s.Wait(k.ctx()))
		g := k.gate(s)
		ctx, cancel := context.WithCancel(context.Background())
		returned := make(chan error, 1)
		go func() { returned <- s.Wait(ctx) }()
		cancel()
		k.ErrorIs(<-returned, context.Canceled)
		k.ErrorIs(s.Wait(ctx), context.Canceled)
		g.open()
		k.NoError(s.Wait(k.ctx()))
		k.isDone(true, s)
	}},
	{"stream/record-new-and-given", nil, func(k *kit) {
		s := k.stream()
		e, err := s.RecordNew()
		k.NoError(err)
		defer func() { k.NoError(e.Close()) }()
		k.True(e.IsRecorded())
		k.False(e.IsTimingEnabled())
		k.Same(k.Device, e.Device())
		k.NoError(s.Record(e))
		k.EqualValues(2, e.Generation())
		timed, err := s.RecordNew(event.WithTiming())
		k.NoError(err)
		defer func() { k.NoError(timed.Close()) }()
		k.True(timed.IsTimingEnabled())
		k.NoError(s.Sync())
		k.isDone(true, e)
		k.isDone(true, timed)
	}},
	{"stream/record-new-refuses-before-it-creates", nil, func(k *kit) {
		_, err := k.stream().RecordNew(event.WithTiming(), event.WithIPC())
		k.Error(err)
		s := k.stream()
		k.NoError(s.Close())
		_, err = s.RecordNew()
		k.refused(err, event.ErrClosed, s.String())
	}},
	{"stream/host-functions-run-in-order", []need{can(event.CapHostFunc)}, func(k *kit) {
		s := k.stream()
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			k.NoError(s.HostFunc(func() error {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
				return nil
			}))
		}
		k.NoError(s.Sync())
		k.Len(order, 20)
		k.IsIncreasing(order)
	}},
	{"stream/host-function-nil-is-refused", []need{can(event.CapHostFunc)}, func(k *kit) {
		k.refused(k.stream().HostFunc(nil), event.ErrInvalidOption)
	}},
	{"stream/native-handle-is-typed", nil, func(k *kit) {
		s := k.stream()
		cuda, cudaErr := s.CUDAStream()
		amd, amdErr := s.HIPStream()
		k.typed(event.CUDA, uintptr(cuda), cudaErr, s.String(), "Stream.CUDAStream")
		k.typed(event.HIP, uintptr(amd), amdErr, s.String(), "Stream.HIPStream")
		cuda, cudaErr = k.Device.DefaultStream().CUDAStream()
		k.Zero(cuda)
		k.Equal(k.Device.Backend() == event.CUDA, cudaErr == nil)
		amd, amdErr = k.Device.DefaultStream().HIPStream()
		k.Zero(amd)
		k.Equal(k.Device.Backend() == event.HIP, amdErr == nil)
		k.NoError(s.Close())
		cuda, cudaErr = s.CUDAStream()
		k.Zero(cuda)
		k.refused(cudaErr, event.ErrClosed, s.String())
		amd, amdErr = s.HIPStream()
		k.Zero(amd)
		k.refused(amdErr, event.ErrClosed, s.String())
	}},
	{"stream/nil-is-refused", nil, func(k *kit) {
		e := k.event()
		k.refused(e.Record(nil), event.ErrNilStream, "DefaultStream", e.String())
		var s *event.Stream
		callAll(k, s, nil)
		_, err := s.RecordNew()
		k.refused(err, event.ErrNilStream, "DefaultStream")
		_, err = s.IsDone()
		k.ErrorIs(err, event.ErrNilStream)
		k.ErrorIs(s.Sync(), event.ErrNilStream)
		k.ErrorIs(s.Err(), event.ErrNilStream)
		k.ErrorIs(s.Wait(k.ctx()), event.ErrNilStream)
		k.ErrorIs(s.WaitEvent(e), event.ErrNilStream)
		k.ErrorIs(s.Record(e), event.ErrNilStream)
		k.ErrorIs(s.WaitStream(k.stream()), event.ErrNilStream)
		k.ErrorIs(k.stream().WaitStream(nil), event.ErrNilStream)
		k.ErrorIs(s.HostFunc(func() error { return nil }), event.ErrNilStream)
		k.NoError(s.Close())
	}},
	{"stream/default-one-answers-for-blocking-ones", nil, func(k *kit) {
		s, def := k.stream(event.WithLegacySync()), k.Device.DefaultStream()
		g := k.gate(s)
		k.isDone(false, def)
		e := k.record(def)
		k.isDone(false, e)
		synced, waited := make(chan error, 1), make(chan error, 1)
		go func() { synced <- def.Sync() }()
		go func() { waited <- def.Wait(k.ctx()) }()
		k.isDone(false, def)
		k.Empty(synced)
		k.Empty(waited)
		g.open()
		k.NoError(<-synced)
		k.NoError(<-waited)
		k.isDone(true, e)
	}},
	{"stream/zero-is-like-nil", nil, func(k *kit) {
		zero := new(event.Stream)
		answersLike(k, zero, (*event.Stream)(nil))
		e := k.event()
		k.refused(e.Record(zero), event.ErrNilStream, "DefaultStream", e.String())
		k.refused(k.stream().WaitStream(zero), event.ErrNilStream)
	}},
	{"stream/wrapped-handle-is-borrowed", nil, func(k *kit) {
		if k.Device.IsHost() {
			_, err := k.Device.WrapStream(1)
			k.refused(err, event.ErrUnsupported, "NewStream")
			return
		}
		s := k.stream()
		w, err := k.Device.WrapStream(natives.Word(s))
		k.NoError(err)
		k.NotSame(s, w)
		k.Equal(natives.Word(s), natives.Word(w))
		g := k.gate(w)
		k.isDone(false, s)
		e := k.record(w)
		g.open()
		k.NoError(w.Sync())
		k.isDone(true, e)
		k.NoError(w.Close())
		k.NoError(s.Sync(), "closing the wrapper must leave the stream alone")
		_, err = w.IsDone()
		k.ErrorIs(err, event.ErrClosed)
	}},
	{"stream/current-travels-with-context", nil, func(k *kit) {
		ctx := context.Background()
		k.Same(k.Device.DefaultStream(), k.Device.CurrentStream(ctx))
		k.Same(event.Default().DefaultStream(), event.CurrentStream(ctx))
		outer, inner := k.stream(), k.stream()
		a := event.WithStream(ctx, outer)
		k.Same(outer, event.CurrentStream(a))
		func() {
			defer func() { _ = recover() }()
			b := event.WithStream(a, inner)
			k.Same(inner, event.CurrentStream(b))
			k.Same(inner, k.Device.CurrentStream(b))
			panic("leave")
		}()
		k.Same(outer, event.CurrentStream(a))
		k.within("a look from another goroutine", func() {
			k.Equal(event.Default().DefaultStream(), event.CurrentStream(ctx))
		})
		k.Same(outer, event.CurrentStream(event.WithStream(a, nil)))
		g := k.gate(outer)
		e := k.event()
		k.NoError(e.Record(event.CurrentStream(a)))
		k.isDone(false, e)
		g.pass()
		k.isDone(true, e)
	}},
	{"stream/current-is-kept-per-device", []need{second}, func(k *kit) {
		s1, s2 := k.stream(), k.streamOn(k.Second)
		ctx := event.WithStream(event.WithStream(context.Background(), s1), s2)
		k.Same(s2, event.CurrentStream(ctx))
		k.Same(s1, k.Device.CurrentStream(ctx))
		k.Same(s2, k.Second.CurrentStream(ctx))
	}},
}
