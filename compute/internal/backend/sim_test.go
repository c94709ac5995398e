package backend_test

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// saxpy is y += a*x, in C's order of parameters.
func saxpy(b *kernel.Block, n int32, a float32, x, y []float32) {
	lo, hi := b.Span(int(n))
	for i := lo; i < hi; i++ {
		y[i] += a * x[i]
	}
}

var saxpyImage = images.Kernel{Name: "saxpy",
	Params: []images.Param{images.Int32, images.Float32, images.Pointer, images.Pointer}}

// rig is two devices of a simulated driver.
type rig struct {
	*testing.T
	m        *sim.Machine
	drivers  []driver.Driver
	b, peer  backend.Backend
	image    []byte
	function backend.Function
	stream   driver.Object
}

// onEachDriver runs a test on all simulated drivers, and checks that it leaves nothing behind.
func onEachDriver(t *testing.T, f func(*rig)) {
	open := func(t *testing.T, m *sim.Machine, image []byte, live func() sim.Handles,
		find func() ([]driver.Driver, error)) {
		ds, err := find()
		require.NoError(t, err)
		r := &rig{T: t, m: m, drivers: ds, image: image}
		r.b = must(backend.New(ds[0]))(t)
		r.peer = must(backend.New(ds[1]))(t)
		for _, d := range ds {
			require.NoError(t, d.(driver.GPU).Enter(func() error { return nil }))
		}
		before := live()
		r.stream = must(ds[0].CreateStream(true, 0))(t)
		module := must(second(r.b.Load(image, backend.JIT{})))(t)
		r.function = must(r.b.Function(module, "saxpy"))(t)
		f(r)
		require.NoError(t, ds[0].SyncStream(r.stream))
		require.NoError(t, r.b.Unload(module))
		require.NoError(t, ds[0].DestroyStream(r.stream))
		runtime.KeepAlive(image)
		assert.Equal(t, before, live())
		assert.Empty(t, m.Misuse())
		assert.Empty(t, m.KernelFailures())
	}
	for _, profile := range sim.CUDAProfiles() {
		t.Run("CUDA "+profile, func(t *testing.T) {
			m := sim.NewMachine(sim.Options{})
			t.Cleanup(m.InstallCUDA(profile))
			m.Kernel("saxpy", saxpy)
			open(t, m, images.PTX("7.8", "sm_80", saxpyImage), m.CUDALive, driver.OpenCUDA)
		})
	}
	for _, profile := range sim.HIPProfiles() {
		if profile == "cpu" { // runs no code objects
			continue
		}
		t.Run("HIP "+profile, func(t *testing.T) {
			m := sim.NewMachine(sim.Options{})
			t.Cleanup(m.InstallHIP(profile))
			m.Kernel("saxpy", saxpy)
			open(t, m, images.CodeObject("gfx942:sramecc+:xnack-", saxpyImage), m.HIPLive,
				driver.OpenHIP)
		})
	}
}

// must requires that there is no error beside a value.
func must[A any](a A, err error) func(testing.TB) A {
	return func(t testing.TB) A {
		t.Helper()
		require.NoError(t, err)
		return a
	}
}

func second[A, B any](a A, _ B, err error) (A, error) { return a, err }

// config covers n elements.
func config(n int) *backend.Config {
	return &backend.Config{Grid: kernel.Dim{X: uint32(n+255) / 256, Y: 1, Z: 1},
		Block: kernel.Dim{X: 256, Y: 1, Z: 1}}
}

// arguments returns a frame for saxpy.
func (r *rig) arguments(n int, a float32, x, y uintptr) *backend.Frame {
	p := r.b.Frame()
	count := int32(n)
	p.Add(unsafe.Pointer(&count), 4)
	p.Add(unsafe.Pointer(&a), 4)
	p.AddWord(uint64(x))
	p.AddWord(uint64(y))
	return p
}

func (r *rig) launch(n int, a float32, x, y uintptr) {
	r.Helper()
	p := r.arguments(n, a, x, y)
	defer r.b.PutFrame(p)
	require.NoError(r, r.b.Launch(r.stream, r.function, config(n), p))
}

// pinned returns n floats of pinned memory.
func (r *rig) pinned(n int) []float32 {
	p := must(r.b.AllocPinned(uintptr(4 * n)))(r)
	return unsafe.Slice((*float32)(p), n)
}

func (r *rig) freePinned(v []float32) {
	require.NoError(r, r.b.FreePinned(unsafe.Pointer(&v[0])))
}

func (r *rig) sync() { require.NoError(r, r.drivers[0].SyncStream(r.stream)) }

func TestSaxpyOnTheSimulator(t *testing.T) {
	const n, size = 1000, 4000
	onEachDriver(t, func(r *rig) {
		limits := must(r.b.Limits())(r)
		params, ok, err := r.b.Params(r.function)
		require.NoError(r, err)
		if ok {
			require.Len(r, params, 4)
			assert.EqualValues(r, 8, params[3].Size)
		}
		a := must(r.b.Attributes(r.function))(r)
		assert.Positive(r, a.MaxThreads)
		assert.Positive(r, must(r.b.Occupancy(r.function, 256, 0))(r))
		_, threads, err := r.b.Suggest(r.function, 0, 0)
		require.NoError(r, err)
		assert.LessOrEqual(r, uint32(threads), limits.Threads)
		require.NoError(r, r.b.Ready(r.function))

		hx, hy := r.pinned(n), r.pinned(n)
		for i := range hx {
			hx[i] = float32(i)
		}
		x := must(r.b.Alloc(size))(r)
		y := uintptr(0)
		if limits.Pools {
			y = must(r.b.AllocOn(r.stream, size))(r)
		} else {
			y = must(r.b.Alloc(size))(r)
		}
		require.NoError(r, r.b.CopyIn(r.stream, x, unsafe.Pointer(&hx[0]), size))
		require.NoError(r, r.b.Fill(r.stream, y, 0x3f800000, 4, n)) // 1.0
		r.launch(n, 2, x, y)
		require.NoError(r, r.b.CopyOut(r.stream, unsafe.Pointer(&hy[0]), y, size))
		r.sync()
		for i, v := range hy {
			require.Equal(r, 2*float32(i)+1, v)
		}
		if limits.Pools {
			require.NoError(r, r.b.FreeOn(r.stream, y))
			r.sync()
			require.NoError(r, r.b.Trim())
		} else {
			require.NoError(r, r.b.Free(y))
		}
		require.NoError(r, r.b.Free(x))
		r.freePinned(hx)
		r.freePinned(hy)
	})
}

func TestPeersOnTheSimulator(t *testing.T) {
	const n, size = 100, 400
	onEachDriver(t, func(r *rig) {
		can := must(r.b.CanPeer(r.peer))(r)
		if can {
			require.NoError(r, r.b.Peer(r.peer))
			require.NoError(r, r.b.Peer(r.peer), "a second time")
		}
		here := must(r.b.Alloc(size))(r)
		there := must(r.peer.Alloc(size))(r)
		h := r.pinned(n)
		h[n-1] = 7
		require.NoError(r, r.b.CopyIn(r.stream, here, unsafe.Pointer(&h[0]), size))
		require.NoError(r, r.b.CopyPeer(r.stream, there, r.peer, here, r.b, size))
		require.NoError(r, r.b.Fill(r.stream, here, 0, 1, size))
		require.NoError(r, r.b.CopyPeer(r.stream, here, r.b, there, r.peer, size))
		r.sync()
		h[n-1] = 0
		require.NoError(r, r.b.CopyOut(r.stream, unsafe.Pointer(&h[0]), here, size))
		r.sync()
		assert.Equal(r, float32(7), h[n-1])
		require.NoError(r, r.b.Free(here))
		require.NoError(r, r.peer.Free(there))
		r.freePinned(h)
	})
}

func TestGraphsOnTheSimulator(t *testing.T) {
	const n, size = 300, 1200
	onEachDriver(t, func(r *rig) {
		if !r.drivers[0].Info().Promises.Has(driver.CanCaptureLaunch) {
			return // it captures no launches
		}
		limits := must(r.b.Limits())(r)
		x, y := must(r.b.Alloc(size))(r), must(r.b.Alloc(size))(r)
		require.NoError(r, r.b.Fill(r.stream, x, 0x3f800000, 4, n))
		require.NoError(r, r.b.Fill(r.stream, y, 0, 4, n))
		r.sync()
		value := func() float32 {
			h := r.pinned(n)
			defer r.freePinned(h)
			require.NoError(r, r.b.CopyOut(r.stream, unsafe.Pointer(&h[0]), y, size))
			r.sync()
			return h[n-1]
		}
		capture := func(a float32, launches int) (backend.Graph, backend.Node) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			require.NoError(r, r.b.BeginCapture(r.stream))
			for range launches {
				r.launch(n, a, x, y)
			}
			last := must(r.b.Last(r.stream))(r)
			assert.NotZero(r, must(r.b.CaptureID(r.stream))(r))
			return must(r.b.EndCapture(r.stream))(r), last
		}
		g, node := capture(2, 1)
		exec := must(r.b.Instantiate(g))(r)
		for range 2 {
			require.NoError(r, r.b.LaunchGraph(r.stream, exec))
		}
		assert.EqualValues(r, 4, value())

		p := r.arguments(n, 10, x, y)
		require.True(r, limits.CanUpdateKernels)
		require.NoError(r, r.b.SetKernel(exec, node, r.function, config(n), p))
		r.b.PutFrame(p)
		require.NoError(r, r.b.LaunchGraph(r.stream, exec))
		assert.EqualValues(r, 14, value())

		other, _ := capture(100, 1)
		require.NoError(r, r.b.Update(exec, other))
		require.NoError(r, r.b.LaunchGraph(r.stream, exec))
		assert.EqualValues(r, 114, value())
		longer, _ := capture(1, 2)
		assert.ErrorIs(r, r.b.Update(exec, longer), backend.ErrDiffers)

		require.NoError(r, r.b.DestroyExec(exec))
		for _, g := range []backend.Graph{g, other, longer} {
			require.NoError(r, r.b.DestroyGraph(g))
		}
		require.NoError(r, r.b.Free(x))
		require.NoError(r, r.b.Free(y))
	})
}

// Memory that a graph allocates and does not free is freed by its next launch.
func TestMemoryOfGraphsOnTheSimulator(t *testing.T) {
	onEachDriver(t, func(r *rig) {
		limits := must(r.b.Limits())(r)
		if !limits.FreesGraphMemory || !limits.Pools {
			return
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		first := must(r.b.AllocOn(r.stream, 64))(r) // sets the pool up
		require.NoError(r, r.b.FreeOn(r.stream, first))
		require.NoError(r, r.b.BeginCapture(r.stream))
		at := must(r.b.AllocOn(r.stream, 64))(r)
		require.NoError(r, r.b.Fill(r.stream, at, 0, 1, 64))
		g := must(r.b.EndCapture(r.stream))(r)
		exec := must(r.b.Instantiate(g))(r)
		for range 3 {
			require.NoError(r, r.b.LaunchGraph(r.stream, exec))
			r.sync()
		}
		require.NoError(r, r.b.FreeOn(r.stream, at), "of the last launch")
		r.sync()
		require.NoError(r, r.b.DestroyExec(exec))
		require.NoError(r, r.b.DestroyGraph(g))
	})
}

// What may spoil the captures of others is done so that it does not.
func TestCapturesOfOthersOnTheSimulator(t *testing.T) {
	onEachDriver(t, func(r *rig) {
		in := r.drivers[0].(driver.GPU)
		begin := func() error {
			return cudrv.StreamBeginCapture(cudrv.Stream(r.stream.Word), cudrv.StreamCaptureModeGlobal)
		}
		end := func() (backend.Graph, error) {
			g, err := cudrv.StreamEndCapture(cudrv.Stream(r.stream.Word))
			return backend.Graph{Word: uintptr(g)}, err
		}
		if r.drivers[0].Info().Backend == driver.HIP {
			begin = func() error {
				return hip.StreamBeginCapture(hip.Stream(r.stream.Word), hip.StreamCaptureModeGlobal)
			}
			end = func() (backend.Graph, error) {
				g, err := hip.StreamEndCapture(hip.Stream(r.stream.Word))
				return backend.Graph{Word: uintptr(g)}, err
			}
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		require.NoError(r, in.Enter(begin))
		var wg sync.WaitGroup
		wg.Go(func() {
			m, _, err := r.b.Load(r.image, backend.JIT{})
			if !assert.NoError(r, err) {
				return
			}
			assert.NoError(r, r.b.Unload(m))
			at, err := r.b.Alloc(64)
			assert.NoError(r, err)
			assert.NoError(r, r.b.Free(at))
			p, err := r.b.AllocPinned(64)
			assert.NoError(r, err)
			assert.NoError(r, r.b.FreePinned(p))
		})
		wg.Wait()
		var g backend.Graph
		require.NoError(r, in.Enter(func() (err error) { g, err = end(); return err }))
		require.NoError(r, r.b.DestroyGraph(g))
	})
}
