package eventtest

import (
	"errors"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

var launchBehaviours = []behaviour{
	{"launch/a-kernel-computes", nil, func(k *kit) {
		s := k.stream()
		x, y := upload(k, s, 1, 2, 3, 4, float32(5)), upload(k, s, 10, 20, 30, 40, float32(50))
		run := k.kernel("saxpy")
		k.NoError(run.Launch(s, compute.Linear(4, 3), int32(4), float32(2), x, y))
		holds(k, s, y, 12, 24, 36, 48, 50)
	}},
	{"launch/in-the-streams-order", nil, func(k *kit) {
		s := k.stream()
		x := upload(k, s, make([]int32, 300)...)
		m := k.module()
		number, err := m.Kernel("number")
		k.NoError(err)
		apply, err := m.Kernel("apply")
		k.NoError(err)
		want := make([]int32, 300)
		for round := range int32(5) {
			k.NoError(number.Launch(s, compute.Linear(300, 64), int32(300), round, x))
			k.NoError(apply.Launch(s, compute.Linear(300, 64), int32(300), pair{1, 2}, x))
		}
		for i := range want {
			want[i] = 2 * (4 + int32(i) + 1)
		}
		holds(k, s, x, want...)
	}},
	{"launch/values-are-copied-during-the-call", nil, func(k *kit) {
		s := k.stream()
		x := upload(k, s, int32(1), 2)
		run := k.kernel("apply")
		g := k.gate(s)
		p := pair{10, 2}
		k.NoError(run.Launch(s, compute.Linear(2, 32), int32(2), p, x))
		p = pair{}
		g.pass()
		holds(k, s, x, 22, 24)
		k.Zero(p)
	}},
	{"launch/is-not-done-before-its-stream-gets-there", nil, func(k *kit) {
		s := k.stream()
		x := upload(k, s, make([]int32, 4)...)
		run := k.kernel("number")
		g := k.gate(s)
		k.NoError(run.Launch(s, compute.Linear(4, 4), int32(4), int32(1), x))
		e := k.record(s)
		k.isDone(false, e)
		g.open()
		k.NoError(e.Wait(k.ctx()))
		holds(k, s, x, 1, 2, 3, 4)
	}},
	{"launch/dynamic-shared-memory", nil, func(k *kit) {
		s := k.stream()
		values, want := make([]int32, 1000), []int32{0, 0, 0, 0}
		for i := range values {
			values[i] = int32(i)
			want[i/256] += int32(i)
		}
		x, sums := upload(k, s, values...), upload(k, s, make([]int32, 4)...)
		c := compute.Linear(1000, 256)
		c.Shared = 4 * 256
		k.NoError(k.kernel("sum").Launch(s, c, int32(1000), x, sums))
		holds(k, s, sums, want...)
	}},
	{"launch/a-slice-of-a-buffer", nil, func(k *kit) {
		s := k.stream()
		x := upload(k, s, make([]int32, 6)...)
		part, err := x.Slice(2, 5)
		k.NoError(err)
		k.NoError(k.kernel("number").Launch(s, compute.Linear(part.Len(), 2), int32(part.Len()),
			int32(7), part))
		holds(k, s, x, 0, 0, 7, 8, 9, 0)
		holds(k, s, part, 7, 8, 9)
	}},
	{"launch/of-nothing-does-nothing", nil, func(k *kit) {
		s := k.stream()
		x := upload(k, s, int32(1))
		k.NoError(k.kernel("number").Launch(s, compute.Linear(0, 256), int32(0), int32(7), x))
		holds(k, s, x, 1)
	}},
	{"launch/wrong-arguments-are-refused", nil, func(k *kit) {
		s := k.stream()
		x := upload(k, s, int32(1))
		run := k.kernel("number")
		c := compute.Linear(1, 32)
		good := []any{int32(1), int32(2), x}
		k.NoError(run.Launch(s, c, good...))
		refusals := func() {
			k.refused(run.Launch(s, c), compute.ErrArgument, "0 arguments", "takes 3")
			k.refused(run.Launch(s, c, int32(1), int32(2)), compute.ErrArgument, "2 arguments")
			k.refused(run.Launch(s, c, 1, int32(2), x), compute.ErrArgument, "argument 0", "int32")
			k.refused(run.Launch(s, c, int64(1), int32(2), x), compute.ErrArgument, "argument 0")
			k.refused(run.Launch(s, c, x, int32(2), x), compute.ErrArgument, "argument 0")
			k.refused(run.Launch(s, c, int32(1), int32(2), int32(3)), compute.ErrArgument, "argument 2")
			k.refused(run.Launch(s, c, int32(1), int32(2), new(int32)), compute.ErrArgument,
				"Go pointer")
			k.refused(run.Launch(nil, c, good...), event.ErrNilStream)
			k.refused(run.Launch(s, compute.Linear(1, 1<<20), good...), compute.ErrConfig)
		}
		refusals()
		if k.Calls != nil { // what was closed before may still be destroyed meanwhile
			k.eventually("a round without a call of the driver", func() bool {
				before := k.Calls()
				refusals()
				return k.Calls() == before
			})
		}
		holds(k, s, x, 2)
	}},
	{"launch/unknown-kernels", nil, func(k *kit) {
		_, err := k.module().Kernel("nothing")
		k.refused(err, compute.ErrNotFound, "nothing")
	}},
	{"launch/a-module-may-be-closed-while-its-kernels-wait", nil, func(k *kit) {
		s := k.stream()
		x := upload(k, s, int32(0), 0)
		m := k.load()
		run, err := m.Kernel("number")
		k.NoError(err)
		g := k.gate(s)
		k.NoError(run.Launch(s, compute.Linear(2, 32), int32(2), int32(5), x))
		k.within("Module.Close", func() { k.NoError(m.Close()) })
		k.refused(run.Launch(s, compute.Linear(2, 32), int32(2), int32(6), x), event.ErrClosed)
		g.pass()
		holds(k, s, x, 5, 6)
	}},
	{"launch/a-buffer-may-be-closed-while-kernels-wait", nil, func(k *kit) {
		s, t := k.stream(), k.stream()
		x, y := upload(k, s, float32(1), 2), upload(k, s, float32(3), 4)
		run := k.kernel("saxpy")
		k.NoError(t.WaitStream(s))
		g := k.gate(t)
		k.NoError(run.Launch(t, compute.Linear(2, 32), int32(2), float32(10), x, y))
		k.within("Buffer.Close", func() { k.NoError(x.Close()) })
		z := upload(k, s, float32(-1), -1) // may get the memory, if it is free too early
		g.pass()
		holds(k, t, y, 13, 24)
		holds(k, s, z, -1, -1)
	}},
	{"launch/occupancy", nil, func(k *kit) {
		run := k.kernel("saxpy")
		n, err := run.Occupancy(128, 0)
		if errors.Is(err, event.ErrUnsupported) {
			_, _, err = run.Suggest(0)
			k.refused(err, event.ErrUnsupported)
			return
		}
		k.NoError(err)
		k.Positive(n)
		blocks, threads, err := run.Suggest(0)
		k.NoError(err)
		k.Positive(blocks)
		k.Positive(threads)
		if n := run.Attributes().MaxThreads; n != -1 { // which is unknown
			k.Positive(n)
		}
	}},
}
