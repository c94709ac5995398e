package compute_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// hold keeps a stream busy until it is released, at the end if not before.
func (r *rig) hold(s *event.Stream) (release func()) {
	if r.machine != nil { // an old driver has no host functions
		release = r.machine.Gate(s).Open
		r.Cleanup(release)
		return release
	}
	gate := make(chan struct{})
	release = sync.OnceFunc(func() { close(gate) })
	require.NoError(r, s.HostFunc(func() error { <-gate; return nil }))
	r.Cleanup(release)
	return release
}

// freed waits until nothing of the device is allocated.
func (r *rig) freed() {
	r.Helper()
	var u compute.Usage
	assert.True(r, eventually(func() bool {
		runtime.GC()
		u, _ = compute.UsageOf(r.device)
		return u.Buffers+u.PinnedBuffers == 0 && u.Bytes+u.PinnedBytes == 0
	}), "%+v", &u)
}

// allocated wants so many buffers to be there.
func (r *rig) allocated(n int) {
	r.Helper()
	u, err := compute.UsageOf(r.device)
	require.NoError(r, err)
	assert.Equal(r, n, u.Buffers+u.PinnedBuffers)
}

func TestMemoryOutlivesItsClose(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("saxpy", saxpyGo)
		x, err := compute.AllocOn[float32](r.device, 2)
		require.NoError(t, err)
		p, err := compute.AllocPinned[float32](r.device, 2)
		require.NoError(t, err)
		y := buffer(r, float32(0), 0)
		require.NoError(t, x.Fill(r.stream, 1))
		require.NoError(t, r.stream.Sync())
		copy(p.Data(), []float32{3, 4})
		data := p.Data()

		busy := r.newStream()
		release := r.hold(busy)
		require.NoError(t, x.CopyFromPinned(busy, p))
		require.NoError(t, k.Launch(busy, compute.Linear(2, 32), int32(2), float32(2), x, y))
		require.NoError(t, y.CopyToPinned(busy, p))
		require.NoError(t, x.Close())
		require.NoError(t, p.Close())
		require.NoError(t, k.Module().Close())
		r.allocated(3)
		assert.ErrorIs(t, x.Fill(busy, 1), event.ErrClosed)
		assert.ErrorIs(t, y.CopyToPinned(busy, p), event.ErrClosed)
		assert.ErrorIs(t,
			k.Launch(busy, compute.Linear(2, 32), int32(2), float32(2), y, y), event.ErrClosed)
		_, err = k.Occupancy(32, 0)
		assert.ErrorIs(t, err, event.ErrClosed)
		_, err = k.Module().Kernel("saxpy")
		assert.ErrorIs(t, err, event.ErrClosed)
		assert.Nil(t, p.Data())
		assert.Equal(t, float32(3), data[0], "it is not freed yet")
		release()
		require.NoError(t, busy.Sync())
		assert.Equal(t, []float32{6, 8}, read(r, y))
		require.NoError(t, y.Close())
		r.freed()
	})
}

func TestStreamsClosedBeforeBuffers(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("saxpy", saxpyGo)
		x, err := compute.Alloc[float32](r.stream, 2)
		require.NoError(t, err)
		require.NoError(t, r.stream.Sync())
		last, err := r.stream.RecordNew()
		require.NoError(t, err)
		defer func() { require.NoError(t, last.Close()) }()
		for range 3 {
			s, err := r.device.NewStream()
			require.NoError(t, err)
			require.NoError(t, s.WaitEvent(last))
			require.NoError(t, x.Fill(s, 2))
			require.NoError(t, k.Launch(s, compute.Linear(2, 32), int32(2), float32(2), x, x))
			require.NoError(t, last.Record(s))
			require.NoError(t, s.Close())
		}
		require.NoError(t, r.device.Sync())
		assert.Equal(t, []float32{6, 6}, read(r, x))
		require.NoError(t, x.Close())
		r.freed()
	})
}

// A thousand streams that each use a buffer and a kernel once leave nothing with them.
func TestShortLivedStreams(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("saxpy", saxpyGo)
		x := buffer(r, float32(1), 2)
		require.NoError(t, r.stream.Sync())
		const most = 16
		for i := range 1000 {
			s, err := r.device.NewStream()
			require.NoError(t, err)
			require.NoError(t, k.Launch(s, compute.Linear(2, 32), int32(2), float32(0), x, x))
			require.NoError(t, s.Sync())
			require.NoError(t, s.Close())
			if i%100 == 99 && r.machine != nil {
				assert.True(t, eventually(func() bool { return r.streams() < most }),
					"%d native streams after %d", r.streams(), i+1)
			}
		}
		assert.Equal(t, []float32{1, 2}, read(r, x))
	})
}

// called counts the calls of a function.
func (r *rig) called(name string) (n int) {
	for _, c := range r.machine.Log() {
		if c.Name == name {
			n++
		}
	}
	return n
}

// streams counts the native streams that were created and not destroyed.
func (r *rig) streams() (n int) {
	for _, c := range r.machine.Log() {
		switch c.Name {
		case "cuStreamCreate", "cuStreamCreateWithPriority", "hipStreamCreateWithFlags",
			"hipStreamCreateWithPriority":
			n++
		case "cuStreamDestroy_v2", "hipStreamDestroy":
			n--
		}
	}
	return n
}

// What is dropped without Close is freed when the collector has found it, and not before the work
// that uses it is done.
func TestDropped(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		s := r.newStream()
		release := r.hold(s)
		before, err := compute.UsageOf(r.device)
		require.NoError(t, err)
		got := func() *compute.Buffer[float32] {
			k, err := r.load(map[string]compute.HostKernel{"saxpy": saxpyGo}).Kernel("saxpy")
			require.NoError(t, err)
			x, err := compute.AllocOn[float32](r.device, 2)
			require.NoError(t, err)
			y, err := compute.AllocOn[float32](r.device, 2)
			require.NoError(t, err)
			require.NoError(t, x.Fill(s, 1))
			require.NoError(t, y.Fill(s, 1))
			saxpy := func(s *event.Stream) error {
				return k.Launch(s, compute.Linear(2, 32), int32(2), float32(2), x, y)
			}
			captured := saxpy
			if !r.device.Capabilities().Has(event.CapCaptureLaunch) {
				require.NoError(t, saxpy(s))
				require.NoError(t, x.Fill(s, 3))
				captured = func(s *event.Stream) error { return y.CopyFromBuffer(s, x) }
			}
			g, err := compute.Capture(r.stream, func() error { return captured(r.stream) })
			require.NoError(t, err)
			require.NoError(t, g.Launch(s))
			return y
		}()
		for range 5 {
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
		release()
		require.NoError(t, s.Sync())
		assert.Equal(t, []float32{3, 3}, read(r, got))
		require.NoError(t, got.Close())
		r.freed()
		after, err := compute.UsageOf(r.device)
		require.NoError(t, err)
		assert.Equal(t, before.Lost+1, after.Lost)
		if r.machine != nil {
			assert.True(t, eventually(func() bool {
				runtime.GC()
				return r.called("cuModuleUnload")+r.called("hipModuleUnload") == 1
			}), "the module stays loaded")
		}
	})
}

func TestCloseInACapture(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		if r.device.Capabilities()&event.CapCapture == 0 {
			t.Skip("this driver can't capture")
		}
		x, err := compute.AllocOn[float32](r.device, 2)
		require.NoError(t, err)
		g, err := compute.Capture(r.stream, func() error {
			require.NoError(t, x.Fill(r.stream, 7))
			assert.ErrorIs(t, x.Close(), event.ErrCaptured)
			_, err := compute.Alloc[float32](r.stream, 2)
			assert.ErrorIs(t, err, event.ErrCaptured)
			assert.ErrorIs(t, x.CopyFrom(r.stream, []float32{1, 2}), event.ErrCaptured)
			assert.ErrorIs(t, x.CopyTo(r.stream, make([]float32, 2)), event.ErrCaptured)
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, x.Fill(r.stream, 1), "it was not closed")
		require.NoError(t, x.Close())
		require.NoError(t, x.Close())
		r.allocated(1)
		require.NoError(t, g.Launch(r.stream), "the graph keeps it")
		require.NoError(t, r.stream.Sync())
		require.NoError(t, g.Close())
		assert.ErrorIs(t, g.Launch(r.stream), event.ErrClosed)
		r.freed()
	})
}

// A graph that was captured launching another one keeps what that uses, also if the other does
// something else later.
func TestGraphInAGraph(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.needsGraphCapture(t)
		x, err := compute.AllocOn[float32](r.device, 2)
		require.NoError(t, err)
		y := buffer(r, float32(0), 0)
		require.NoError(t, r.stream.Sync())
		inner, err := compute.Capture(r.stream, func() error {
			if err := x.Fill(r.stream, 7); err != nil {
				return err
			}
			return y.CopyFromBuffer(r.stream, x)
		})
		require.NoError(t, err)
		outer, err := compute.Capture(r.stream, func() error { return inner.Launch(r.stream) })
		require.NoError(t, err)
		require.NoError(t, inner.Update(r.stream, func() error { return y.Fill(r.stream, 1) }))
		require.NoError(t, x.Close())
		require.NoError(t, inner.Launch(r.stream))
		assert.Equal(t, []float32{1, 1}, read(r, y))
		require.NoError(t, inner.Close())
		require.NoError(t, r.stream.Sync())
		require.NoError(t, outer.Launch(r.stream))
		assert.Equal(t, []float32{7, 7}, read(r, y))
		require.NoError(t, outer.Close())
		require.NoError(t, y.Close())
		r.freed()
	})
}

// A launch of a graph's old work can't be changed any more.
func TestSetOfOldWork(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		r.needsLaunchCapture(t)
		k := r.kernel("saxpy", saxpyGo)
		x := buffer(r, float32(1), 2)
		launch := func() error {
			return k.Launch(r.stream, compute.Linear(2, 32), int32(2), float32(1), x, x)
		}
		g, err := compute.Capture(r.stream, launch)
		require.NoError(t, err)
		defer g.Close()
		old := g.Kernels()[0]
		require.NoError(t, g.Update(r.stream, func() error {
			if err := x.Zero(r.stream); err != nil {
				return err
			}
			return launch()
		}))
		assert.ErrorIs(t, old.Set(compute.Linear(2, 32), int32(2), float32(1), x, x), event.ErrClosed)
		require.NoError(t, g.Kernels()[0].Set(compute.Linear(2, 32), int32(2), float32(1), x, x))
		require.NoError(t, g.Launch(r.stream))
		assert.Equal(t, []float32{0, 0}, read(r, x))
	})
}

func faultyGo(b *compute.Block, n int32, x []float32) { x[n]++ }

// The kernels in flight are named by the error of the wait.
func TestFailingKernels(t *testing.T) {
	for _, to := range targets {
		t.Run(to.name, func(t *testing.T) {
			if to.backend == event.Host {
				t.Skip("a failed kernel fails the host device of this process: TestKernelFailure")
			}
			b := newBench(to, sim.Options{})
			defer b.Remove()
			b.open()
			m := b.load(map[string]compute.HostKernel{"faulty": faultyGo, "saxpy": saxpyGo})
			faulty, saxpy := must(m.Kernel("faulty")), must(m.Kernel("saxpy"))
			x := b.floats(1, 2)
			unrecorded := must(b.device.NewEvent())
			b.Later(unrecorded.Close)
			require.NoError(t, b.stream.Sync())
			g := b.hold(b.stream)
			require.NoError(t, saxpy.Launch(b.stream, compute.Linear(2, 32), int32(2), float32(1), x, x))
			require.NoError(t, faulty.Launch(b.stream, compute.Config{}, int32(1<<20), x))
			g.Open()
			err := b.stream.Wait(context.Background())
			require.Error(t, err)
			var d *event.DriverError
			require.ErrorAs(t, err, &d)
			assert.Contains(t, d.Kernels, "faulty")
			var want error = cudrv.ErrIllegalAddress
			if to.backend == event.HIP {
				want = hip.ErrIllegalAddress
			}
			assert.ErrorIs(t, err, want)
			assert.ErrorIs(t, x.Fill(b.stream, 1), want, "all later calls fail")
			err = saxpy.Launch(b.stream, compute.Linear(2, 32), int32(2), float32(1), x, x)
			require.ErrorAs(t, err, &d)
			assert.Equal(t, saxpy.String(), d.Object, "the launch that fails")
			assert.Contains(t, d.Kernels, "faulty", "the kernel that has failed")
			err = unrecorded.Record(b.stream)
			require.ErrorAs(t, err, &d)
			assert.Contains(t, d.Kernels, "faulty", "in the error of an event without a stream")
			b.CloseAll()
			assert.True(t, eventually(func() bool { return b.usage() == compute.Usage{} }))
		})
	}
}

func countGo(b *compute.Block, n int32, x []int32) {
	for i := range b.Threads(int(n)) {
		compute.AtomicAdd(&x[i], 1)
	}
}

func TestLaunchesFromManyGoroutines(t *testing.T) {
	const goroutines, launches, n = 16, 50, 64
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("count", countGo)
		x := buffer(r, make([]int32, n)...)
		require.NoError(t, r.stream.Sync())
		streams := []*event.Stream{r.newStream(), r.newStream(), r.newStream(), r.newStream()}
		var all sync.WaitGroup
		for i := range goroutines {
			all.Go(func() {
				for range launches {
					s := streams[i%len(streams)]
					assert.NoError(t, k.Launch(s, compute.Linear(n, 16), int32(n), x))
				}
			})
		}
		all.Wait()
		require.NoError(t, r.device.Sync())
		for _, v := range read(r, x) {
			require.Equal(t, int32(goroutines*launches), v)
		}
	})
}

// An object that is closed during a driver call that uses it ends after the call, and Close does
// not wait for the call.
func TestCloseWaitsForCallsInProgress(t *testing.T) {
	for _, to := range drivers() {
		t.Run(to.name, func(t *testing.T) {
			b := newBench(to, sim.Options{})
			defer b.Remove()
			b.open()
			launch, copied := "cuLaunchKernel", "cuMemcpyHtoDAsync_v2"
			if to.backend == event.HIP {
				launch, copied = "hipModuleLaunchKernel", "hipMemcpyHtoDAsync"
			}
			before := b.handles()
			k := b.saxpy()
			x, y := b.floats(1, 2), b.floats(3, 4)
			z := must(compute.AllocOn[float32](b.device, 2))
			p := must(compute.AllocPinned[float32](b.device, 2))
			ensure(b.stream.Sync())
			held := b.handles()

			arrived, gate := make(chan struct{}), make(chan struct{})
			for _, call := range []string{launch, copied} {
				b.Machine.Before(call, func() { arrived <- struct{}{}; <-gate })
			}
			results := make(chan error)
			do := func() error {
				return k.Launch(b.stream, compute.Linear(2, 32), int32(2), float32(1), x, y)
			}
			go func() { results <- do() }()
			<-arrived
			go func() { results <- z.CopyFromPinned(b.stream, p) }()
			<-arrived

			require.NoError(t, x.Close())
			require.NoError(t, y.Close())
			require.NoError(t, k.Module().Close())
			require.NoError(t, z.Close())
			require.NoError(t, p.Close())
			assert.ErrorIs(t, do(), event.ErrClosed)
			assert.ErrorIs(t, z.CopyFromPinned(b.stream, p), event.ErrClosed)
			buffers := func() int { u := b.usage(); return u.Buffers + u.PinnedBuffers }
			assert.Equal(t, held, b.handles(), "ended during the calls")
			assert.Equal(t, 4, buffers())

			close(gate)
			require.NoError(t, <-results)
			require.NoError(t, <-results)
			assert.True(t, eventually(func() bool { return b.handles() == before && buffers() == 0 }),
				"%+v", b.handles())
			b.Machine.ClearFaults()
			assert.Empty(t, b.CloseAll())
			assert.Empty(t, b.Machine.Misuse())
			assert.Empty(t, b.Reports())
		})
	}
}

func saxpyGo(b *compute.Block, n int32, a float32, x, y []float32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

func TestSmoke(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("saxpy", saxpyGo)
		x, y := buffer(r, make([]float32, 1000)...), buffer(r, make([]float32, 1000)...)
		require.NoError(t, x.Fill(r.stream, 2))
		require.NoError(t, y.Fill(r.stream, 1))
		c := compute.Linear(1000, 256)
		require.NoError(t, k.Launch(r.stream, c, int32(1000), float32(3), x, y))
		for _, v := range read(r, y) {
			require.Equal(t, float32(7), v)
		}
		assert.ErrorIs(t, k.Launch(r.stream, c, int64(1000), float32(3), x, y), compute.ErrArgument)
		assert.ErrorIs(t, k.Launch(r.stream, c, int32(1000), float32(3), x), compute.ErrArgument)
	})
}
