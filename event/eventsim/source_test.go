package eventsim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// couple is a parameter by value, which the simulated compiler knows from the Go function only.
type couple struct{ A, B int32 }

// addTo is a source whose kernel adds a and b of the couple to each number.
func addTo(sign int32) compute.Source {
	return compute.Source{
		Text: `struct couple { int a, b; };
extern "C" __global__ void add(int n, couple p, int *x) {}
extern "C" __global__ void other(int n, int *x) {}`,
		Host: map[string]compute.HostKernel{
			"add": func(b *compute.Block, n int32, p couple, x []int32) {
				lo, hi := b.Span(int(n))
				for i := lo; i < hi; i++ {
					x[i] += sign * (p.A + p.B)
				}
			},
		},
	}
}

func compile(t *testing.T, d *event.Device, s compute.Source) *compute.Module {
	t.Helper()
	m, err := compute.Compile(t.Context(), d, s, compute.WithoutCache())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.Close()) })
	return m
}

func kernelOf(t *testing.T, m *compute.Module, name string) *compute.Kernel {
	t.Helper()
	k, err := m.Kernel(name)
	require.NoError(t, err)
	return k
}

func numbers(t *testing.T, s *event.Stream, x ...int32) *compute.Buffer[int32] {
	t.Helper()
	b, err := compute.From(s, x)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b
}

func contents(t *testing.T, s *event.Stream, b *compute.Buffer[int32]) []int32 {
	t.Helper()
	x := make([]int32, b.Len())
	require.NoError(t, b.CopyTo(s, x))
	return x
}

// Kernels of a source run its Go functions, each module its own, and Machine.Kernel comes first.
func TestSourceHostRuns(t *testing.T) {
	t.Parallel()
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			m := eventsim.New(t, eventsim.Config{Backend: b})
			d := m.Device(0)
			s := stream(t, d)
			plus, minus := compile(t, d, addTo(1)), compile(t, d, addTo(-1))
			x := numbers(t, s, 1, 2, 3)
			launch := func(module *compute.Module) {
				require.NoError(t, kernelOf(t, module, "add").Launch(s, compute.Linear(3, 2), int32(3),
					couple{4, 6}, x))
			}
			launch(plus)
			assert.Equal(t, []int32{11, 12, 13}, contents(t, s, x))
			launch(minus)
			assert.Equal(t, []int32{1, 2, 3}, contents(t, s, x))
			m.Kernel("add", func(b *compute.Block, _ int32, _ couple, x []int32) {
				if b.First() == 0 { // blocks run at once
					x[0] = 100
				}
			})
			launch(plus)
			assert.Equal(t, []int32{100, 2, 3}, contents(t, s, x))
		})
	}
}

// A kernel without a Go function fails the test, unless nil is given for it.
func TestMissingKernel(t *testing.T) {
	m, err := eventsim.Open(eventsim.Config{})
	require.NoError(t, err)
	s := get(m.Device(0).NewStream())
	module := get(compute.Compile(t.Context(), m.Device(0), addTo(1), compute.WithoutCache()))
	x := get(compute.Alloc[int32](s, 4))
	k := kernelOf(t, module, "other")
	require.NoError(t, k.Launch(s, compute.Linear(4, 4), int32(4), x))
	missing := m.MissingKernels()
	assert.ErrorContains(t, missing, "kernel other was launched and did nothing")
	do(x.Close())
	do(module.Close())
	do(s.Close())
	assert.EqualError(t, m.Close(), missing.Error())

	quiet := eventsim.New(t, eventsim.Config{})
	quiet.Kernel("other", nil)
	s = stream(t, quiet.Device(0))
	x = numbers(t, s, 1)
	require.NoError(t, kernelOf(t, compile(t, quiet.Device(0), addTo(1)), "other").
		Launch(s, compute.Linear(1, 1), int32(1), x))
	assert.Equal(t, []int32{1}, contents(t, s, x))
}

// A slice without elements is fine for a kernel that reads none, at the end of a buffer too.
func TestEmptySliceAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			m := eventsim.New(t, eventsim.Config{Backend: b})
			lengths := make(chan int, 2)
			m.Kernel("other", func(_ *compute.Block, _ int32, x []int32) { lengths <- len(x) })
			s := stream(t, m.Device(0))
			module := compile(t, m.Device(0), addTo(1))
			x := numbers(t, s, 1, 2, 3)
			k := kernelOf(t, module, "other")
			require.NoError(t, k.Launch(s, compute.Linear(1, 1), int32(0), get(x.Slice(3, 3))))
			require.NoError(t, s.Sync())
			assert.Equal(t, 0, <-lengths)
			assert.NoError(t, m.KernelErrors())

			require.NoError(t, k.Launch(s, compute.Linear(1, 1), int32(1), get(x.Slice(2, 3))))
			require.NoError(t, s.Sync())
			assert.Equal(t, 1, <-lengths)
		})
	}
}

// A fault that never comes fails the test, with the name of the function that was meant.
func TestIdleFault(t *testing.T) {
	m, err := eventsim.Open(eventsim.Config{})
	require.NoError(t, err)
	s := get(m.Device(0).NewStream())
	m.Fail(eventsim.Fault{Call: "cuEventRecordWithFlags", Err: cudrv.ErrOutOfMemory})
	m.Fail(eventsim.Fault{Call: "cuEventRecord", Err: cudrv.ErrOutOfMemory, At: 3})
	m.Fail(eventsim.Fault{Call: "cuEventCreate", Err: cudrv.ErrOutOfMemory})
	_, err = s.RecordNew()
	require.ErrorIs(t, err, cudrv.ErrOutOfMemory)
	e := get(s.RecordNew())
	do(e.Close())
	do(s.Close())
	idle := m.IdleFaults()
	assert.ErrorContains(t, idle, "the fault of cuEventRecordWithFlags at call 1 never came: it was "+
		"not called since; cuEventRecord was called 1 time(s)")
	assert.ErrorContains(t, idle, "the fault of cuEventRecord at call 3 never came: it was called 1 "+
		"time(s) since")
	assert.NotContains(t, idle.Error(), "the fault of cuEventCreate")
	assert.EqualError(t, m.Close(), idle.Error())

	healed := eventsim.New(t, eventsim.Config{Backend: event.HIP})
	healed.Fail(eventsim.Fault{Call: "hipMalloc", Err: hip.ErrOutOfMemory})
	healed.Heal()
	assert.PanicsWithValue(t, `eventsim: Machine.Fail: "hipMaloc" is no function of the simulated `+
		"hip; names are the exported ones, such as hipMalloc",
		func() { healed.Fail(eventsim.Fault{Call: "hipMaloc", Err: hip.ErrOutOfMemory}) })
}
