package eventtest

import (
	"errors"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

var graphBehaviours = []behaviour{
	{"graph/runs-at-each-launch", []need{can(event.CapCaptureLaunch)}, func(k *kit) {
		s := k.stream()
		x, y := upload(k, s, float32(1), 2), upload(k, s, float32(0), 0)
		run := k.kernel("saxpy")
		g := k.captured(s, func() error {
			return run.Launch(s, compute.Linear(2, 32), int32(2), float32(3), x, y)
		})
		holds(k, s, y, 0, 0)
		for range 4 {
			k.NoError(g.Launch(s))
		}
		holds(k, s, y, 12, 24)
	}},
	{"graph/arguments-change", []need{can(event.CapCaptureLaunch)}, func(k *kit) {
		s := k.stream()
		x, y := upload(k, s, int32(0), 0), upload(k, s, int32(0), 0)
		run := k.kernel("number")
		c := compute.Linear(2, 32)
		g := k.captured(s, func() error { return run.Launch(s, c, int32(2), int32(1), x) })
		launches := g.Kernels()
		k.Len(launches, 1)
		k.Equal("number", launches[0].Kernel().Name())
		k.NoError(g.Launch(s))
		k.NoError(launches[0].Set(c, int32(2), int32(10), y))
		k.refused(launches[0].Set(c, int32(2), int64(10), y), compute.ErrArgument)
		k.NoError(g.Launch(s))
		holds(k, s, x, 1, 2)
		holds(k, s, y, 10, 11)
		k.NoError(g.Update(s, func() error { return run.Launch(s, c, int32(1), int32(5), x) }))
		k.NoError(g.Launch(s))
		holds(k, s, x, 5, 2)
	}},
	{"graph/another-shape", []need{can(event.CapCaptureLaunch)}, func(k *kit) {
		s := k.stream()
		x := upload(k, s, int32(0), 0)
		run := k.kernel("number")
		c := compute.Linear(2, 32)
		g := k.captured(s, func() error { return run.Launch(s, c, int32(2), int32(1), x) })
		k.NoError(g.Launch(s))
		k.NoError(g.Update(s, func() error {
			return errors.Join(run.Launch(s, c, int32(2), int32(3), x),
				run.Launch(s, c, int32(1), int32(9), x))
		}))
		k.Len(g.Kernels(), 2)
		k.NoError(g.Launch(s))
		holds(k, s, x, 9, 4)
	}},
	{"graph/keeps-what-it-uses", []need{can(event.CapCaptureLaunch)}, func(k *kit) {
		s := k.stream()
		x, err := compute.From(s, []float32{1, 2})
		k.NoError(err)
		y := upload(k, s, float32(0), 0)
		m := k.load()
		run, err := m.Kernel("saxpy")
		k.NoError(err)
		g := k.captured(s, func() error {
			return run.Launch(s, compute.Linear(2, 32), int32(2), float32(3), x, y)
		})
		k.NoError(x.Close())
		k.NoError(m.Close())
		z := upload(k, s, float32(-1), -1) // may get the memory, if it is free too early
		k.NoError(g.Launch(s))
		holds(k, s, y, 3, 6)
		holds(k, s, z, -1, -1)
	}},
	{"graph/streams-join-and-part", []need{can(event.CapCaptureLaunch)}, func(k *kit) {
		s, t := k.stream(), k.stream()
		x, y := upload(k, s, int32(0), 0), upload(k, s, int32(0), 0)
		run := k.kernel("number")
		c := compute.Linear(2, 32)
		fork, join := k.event(), k.event()
		k.NoError(s.Sync())
		g := k.captured(s, func() error {
			return errors.Join(fork.Record(s), t.WaitEvent(fork),
				run.Launch(s, c, int32(2), int32(1), x),
				run.Launch(t, c, int32(2), int32(5), y),
				join.Record(t), s.WaitEvent(join))
		})
		k.NoError(g.Launch(s))
		holds(k, s, x, 1, 2)
		holds(k, s, y, 5, 6)
	}},
	{"graph/pinned-copies", []need{can(event.CapCapture)}, func(k *kit) {
		s := k.stream()
		b := upload(k, s, int32(0), 0)
		p, err := compute.AllocPinned[int32](k.Device, 2)
		k.NoError(err)
		g := k.captured(s, func() error { return b.CopyFromPinned(s, p) })
		for i := range int32(3) {
			p.Data()[0], p.Data()[1] = i, 2*i
			k.NoError(g.Launch(s))
			holds(k, s, b, i, 2*i)
		}
		k.NoError(p.Close())
	}},
	{"graph/what-a-capture-forbids", []need{can(event.CapCaptureLaunch)}, func(k *kit) {
		s := k.stream()
		b := upload(k, s, int32(1))
		run := k.kernel("number")
		g := k.captured(s, func() error {
			k.NoError(run.Launch(s, compute.Linear(1, 1), int32(1), int32(2), b))
			_, err := compute.Alloc[int32](s, 1)
			k.refused(err, event.ErrCaptured, "before the capture")
			k.refused(b.CopyFrom(s, []int32{1}), event.ErrCaptured, "Pinned")
			k.refused(b.CopyTo(s, []int32{1}), event.ErrCaptured, "Pinned")
			k.refused(b.Close(), event.ErrCaptured, "after the capture")
			_, err = compute.Capture(s, func() error { return nil })
			k.refused(err, event.ErrCaptured)
			return nil
		})
		k.NoError(g.Launch(s))
		holds(k, s, b, 2)
	}},
	{"graph/a-capture-that-fails", []need{can(event.CapCapture)}, func(k *kit) {
		s := k.stream()
		b := upload(k, s, int32(1))
		run := k.kernel("number")
		failure := errors.New("no more")
		_, err := compute.Capture(s, func() error {
			return errors.Join(run.Launch(s, compute.Linear(1, 1), int32(1), int32(2), b), failure)
		})
		k.ErrorIs(err, failure)
		k.NoError(run.Launch(s, compute.Linear(1, 1), int32(1), int32(3), b))
		holds(k, s, b, 3)
		_, err = compute.Capture(k.Device.DefaultStream(), func() error { return nil })
		k.refused(err, event.ErrInvalidOption, "NewStream")
		_, err = compute.Capture(nil, func() error { return nil })
		k.refused(err, event.ErrNilStream)
	}},
	{"graph/closed", []need{can(event.CapCaptureLaunch)}, func(k *kit) {
		s := k.stream()
		b := upload(k, s, int32(1))
		run := k.kernel("number")
		g := k.captured(s, func() error {
			return run.Launch(s, compute.Linear(1, 1), int32(1), int32(2), b)
		})
		hold := k.gate(s)
		k.NoError(g.Launch(s))
		k.within("Graph.Close", func() { k.NoError(g.Close()) })
		k.refused(g.Launch(s), event.ErrClosed)
		k.refused(g.Update(s, func() error { return nil }), event.ErrClosed)
		hold.pass()
		holds(k, s, b, 2)
	}},
}

// captured captures a graph, which is closed at the end of the test.
func (k *kit) captured(s *event.Stream, f func() error) *compute.Graph {
	k.t.Helper()
	g, err := compute.Capture(s, f)
	k.NoError(err)
	k.t.Cleanup(func() { k.closed(g.Close()) })
	return g
}
