package sim

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

func saxpyGo(b *kernel.Block, n int32, a float32, x, y []float32) {
	lo, hi := b.Span(int(n))
	for i := lo; i < hi; i++ {
		y[i] += a * x[i]
	}
}

// floats is device memory for n floats.
func floats(t *testing.T, n int) cudrv.Deviceptr {
	t.Helper()
	p, err := cudrv.MemAlloc(uintptr(4 * n))
	require.NoError(t, err)
	return p
}

// memoryOf returns the floats behind a device pointer.
func memoryOf(t *testing.T, f *face, at uintptr, n int) []float32 {
	t.Helper()
	b := f.bytes(at, uintptr(4*n))
	require.NotNil(t, b)
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), n)
}

func params(n int32, a float32, x, y cudrv.Deviceptr) *cudrv.Params {
	return cudrv.NewParams().Int32(n).Float32(a).Deviceptr(x).Deviceptr(y)
}

func TestCUDALaunchRunsTheGoFunction(t *testing.T) {
	const n = 1000
	type launching func(fn cudrv.Function, s cudrv.Stream, x, y cudrv.Deviceptr) error
	for name, launch := range map[string]launching{
		"LaunchKernel": func(fn cudrv.Function, s cudrv.Stream, x, y cudrv.Deviceptr) error {
			return cudrv.LaunchKernel(fn, 4, 1, 1, 256, 1, 1, 0, s, params(n, 2, x, y).Pointers(), nil)
		},
		"extra": func(fn cudrv.Function, s cudrv.Stream, x, y cudrv.Deviceptr) error {
			var e cudrv.LaunchExtra
			e.Int32(n).Float32(2).Deviceptr(x).Deviceptr(y)
			return cudrv.LaunchKernel(fn, 4, 1, 1, 256, 1, 1, 0, s, nil, e.List())
		},
		"LaunchKernelEx": func(fn cudrv.Function, s cudrv.Stream, x, y cudrv.Deviceptr) error {
			a := cudrv.LaunchAttribute{Id: cudrv.LaunchAttributeClusterDimension}
			*a.Value.ClusterDim() = cudrv.LaunchAttributeValueClusterDim{X: 2, Y: 1, Z: 1}
			c := cudrv.LaunchConfig{GridDimX: 4, GridDimY: 1, GridDimZ: 1, BlockDimX: 256,
				BlockDimY: 1, BlockDimZ: 1, HStream: s, Attrs: &a, NumAttrs: 1}
			return cudrv.LaunchKernelEx(&c, fn, params(n, 2, x, y).Pointers(), nil)
		},
		"cooperative": func(fn cudrv.Function, s cudrv.Stream, x, y cudrv.Deviceptr) error {
			return cudrv.LaunchCooperativeKernel(fn, 4, 1, 1, 256, 1, 1, 0, s,
				params(n, 2, x, y).Pointers())
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{Log: true}, newestCUDA)
			m.Kernel("saxpy", saxpyGo)
			fn := cudaFunction(t, saxpyKernel)
			s := cudaStream(t, 1)
			x, y := floats(t, n), floats(t, n)
			xs, ys := memoryOf(t, m.cuda, uintptr(x), n), memoryOf(t, m.cuda, uintptr(y), n)
			for i := range xs {
				xs[i], ys[i] = float32(i), 1
			}
			gate := m.Gate(uintptr(s))
			require.NoError(t, launch(fn, s, x, y))
			assert.EqualValues(t, 1, ys[1], "it waits for its turn")
			gate.Open()
			require.NoError(t, cudrv.StreamSynchronize(s))
			for i := range ys {
				require.Equal(t, float32(2*i+1), ys[i])
			}
			assert.Empty(t, m.Misuse())
			assert.Empty(t, m.KernelFailures())
			assert.NotEmpty(t, m.Log())
		})
	}
}

func TestCUDALaunchOfAnUnknownKernelDoesNothing(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	fn := cudaFunction(t, saxpyKernel)
	s := cudaStream(t, 1)
	gate := m.Gate(uintptr(s))
	require.NoError(t, cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s,
		params(1, 1, 0, 0).Pointers(), nil))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s))
	gate.Open()
	assert.NoError(t, cudrv.StreamSynchronize(s))
	assert.Empty(t, m.Misuse())
}

func TestCUDALaunchLimits(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	module := loadCUDA(t, images.PTX("7.8", "sm_80", images.Kernel{Name: "plain"},
		images.Kernel{Name: "fixed", Block: [3]uint32{32, 2, 1}},
		images.Kernel{Name: "small", MaxThreads: 64}, saxpyKernel))
	function := func(name string) cudrv.Function {
		fn, err := cudrv.ModuleGetFunction(module, name)
		require.NoError(t, err)
		return fn
	}
	plain, small, saxpy := function("plain"), function("small"), function("saxpy")
	fixed := function("fixed")
	type dim [3]uint32
	one := dim{1, 1, 1}
	launch := func(fn cudrv.Function, g, b dim, shared uint32, p *unsafe.Pointer) error {
		return cudrv.LaunchKernel(fn, g[0], g[1], g[2], b[0], b[1], b[2], shared, 0, p, nil)
	}
	good := params(1, 1, 0, 0).Pointers()
	for name, c := range map[string]struct {
		fn          cudrv.Function
		grid, block dim
		shared      uint32
		params      *unsafe.Pointer
		want        error
	}{
		"as large as can be": {plain, dim{1<<31 - 1, 65535, 65535}, dim{1024, 1, 1}, 48 << 10, nil,
			nil},
		"a deep block":          {plain, one, dim{16, 1, 64}, 0, nil, nil},
		"no blocks":             {plain, dim{1, 0, 1}, one, 0, nil, cudrv.ErrInvalidValue},
		"no threads":            {plain, one, dim{1, 1, 0}, 0, nil, cudrv.ErrInvalidValue},
		"too many threads":      {plain, one, dim{1025, 1, 1}, 0, nil, cudrv.ErrInvalidValue},
		"threads that overflow": {plain, one, dim{1 << 16, 1 << 16, 1}, 0, nil, cudrv.ErrInvalidValue},
		"a block too deep":      {plain, one, dim{1, 1, 65}, 0, nil, cudrv.ErrInvalidValue},
		"too many blocks":       {plain, dim{1 << 31, 1, 1}, one, 0, nil, cudrv.ErrInvalidValue},
		"too many rows":         {plain, dim{1, 65536, 1}, one, 0, nil, cudrv.ErrInvalidValue},
		"too much memory":       {plain, one, one, 48<<10 + 1, nil, cudrv.ErrInvalidValue},
		"more than its bounds":  {small, one, dim{65, 1, 1}, 0, nil, cudrv.ErrLaunchOutOfResources},
		"its size":              {fixed, one, dim{32, 2, 1}, 0, nil, nil},
		"another size":          {fixed, one, dim{64, 1, 1}, 0, nil, cudrv.ErrInvalidValue},
		"no parameters":         {saxpy, one, one, 0, nil, cudrv.ErrInvalidValue},
		"parameters":            {saxpy, one, one, 0, good, nil},
		"no function":           {0, one, one, 0, nil, cudrv.ErrInvalidHandle},
	} {
		assert.Equal(t, c.want, bare(launch(c.fn, c.grid, c.block, c.shared, c.params)), name)
	}
	var e cudrv.LaunchExtra
	e.Int32(1).Float32(1).Deviceptr(0)
	assert.Equal(t, cudrv.ErrInvalidValue,
		bare(cudrv.LaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, 0, nil, e.List())), "too few bytes")
	e.Deviceptr(0)
	assert.NoError(t, cudrv.LaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, 0, nil, e.List()))
	assert.Equal(t, cudrv.ErrInvalidValue,
		bare(cudrv.LaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, 0, good, e.List())), "both")

	require.NoError(t, cudrv.FuncSetAttribute(plain, cudrv.FuncAttributeMaxDynamicSharedSizeBytes,
		227<<10))
	assert.NoError(t, launch(plain, one, one, 227<<10, nil), "on request")

	atOnce := uint32(64 * 2)
	assert.NoError(t, cudrv.LaunchCooperativeKernel(plain, atOnce, 1, 1, 1024, 1, 1, 0, 0, nil))
	assert.Equal(t, cudrv.ErrCooperativeLaunchTooLarge,
		bare(cudrv.LaunchCooperativeKernel(plain, atOnce+1, 1, 1, 1024, 1, 1, 0, 0, nil)))

	cluster := func(grid, size uint32) error {
		a := [2]cudrv.LaunchAttribute{{Id: cudrv.LaunchAttributePriority},
			{Id: cudrv.LaunchAttributeClusterDimension}}
		*a[1].Value.ClusterDim() = cudrv.LaunchAttributeValueClusterDim{X: size, Y: 1, Z: 1}
		return bare(cudrv.LaunchKernelEx(&cudrv.LaunchConfig{GridDimX: grid, GridDimY: 1, GridDimZ: 1,
			BlockDimX: 1, BlockDimY: 1, BlockDimZ: 1, Attrs: &a[0], NumAttrs: 2}, plain, nil, nil))
	}
	assert.NoError(t, cluster(16, 8))
	assert.Equal(t, cudrv.ErrInvalidClusterSize, cluster(15, 8), "the grid is no multiple")
	assert.Equal(t, cudrv.ErrInvalidClusterSize, cluster(16, 16))
	require.NoError(t, cudrv.FuncSetAttribute(plain,
		cudrv.FuncAttributeNonPortableClusterSizeAllowed, 1))
	assert.NoError(t, cluster(16, 16))
	assert.Equal(t, cudrv.ErrInvalidClusterSize, cluster(32, 32))
	assert.NoError(t, cudrv.CtxSynchronize(), "no mistake is sticky")
	assert.Len(t, m.Misuse(), 1, "the missing function")
}

func TestCUDAKernelFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fn     any
		at     func(t *testing.T) cudrv.Deviceptr
		want   error
		misuse int
	}{
		"index": {func(_ *kernel.Block, x []float32) { x[len(x)] = 1 }, nil,
			cudrv.ErrIllegalAddress, 0},
		"panic": {func(_ *kernel.Block, _ []float32) { panic("trap") }, nil,
			cudrv.ErrLaunchFailed, 0},
		"misaligned": {func(_ *kernel.Block, _ []float64) {},
			func(t *testing.T) cudrv.Deviceptr { return floats(t, 4) + 4 },
			cudrv.ErrMisalignedAddress, 0},
		"null": {func(_ *kernel.Block, x []float32) { x[0] = 1 },
			func(*testing.T) cudrv.Deviceptr { return 0 }, cudrv.ErrIllegalAddress, 0},
		"no memory": {func(_ *kernel.Block, _ []float32) {},
			func(*testing.T) cudrv.Deviceptr { return 0x123450 }, cudrv.ErrIllegalAddress, 1},
		"freed": {func(_ *kernel.Block, _ []float32) {}, func(t *testing.T) cudrv.Deviceptr {
			at := floats(t, 4)
			require.NoError(t, cudrv.MemFree(at))
			return at
		}, cudrv.ErrIllegalAddress, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{}, newestCUDA)
			m.Kernel("k", c.fn)
			fn := cudaFunction(t, images.Kernel{Name: "k", Params: pointers(1)})
			s := cudaStream(t, 1)
			var at cudrv.Deviceptr
			if c.at == nil {
				at = floats(t, 4)
			} else {
				at = c.at(t)
			}
			p := cudrv.NewParams().Deviceptr(at).Pointers()
			require.NoError(t, cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, p, nil))
			assert.Equal(t, c.want, bare(cudrv.StreamSynchronize(s)))
			assert.Equal(t, c.want, bare(cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, p, nil)), "sticky")
			failures := m.KernelFailures()
			require.Len(t, failures, 1)
			assert.ErrorContains(t, failures[0], "kernel k")
			assert.Len(t, m.Misuse(), c.misuse)
		})
	}
}

func TestCUDALaunchCopiesItsValues(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var mu sync.Mutex
	var got []int32
	m.Kernel("k", func(_ *kernel.Block, n int32) { mu.Lock(); got = append(got, n); mu.Unlock() })
	fn := cudaFunction(t, images.Kernel{Name: "k", Params: []images.Param{images.Int32}})
	s := cudaStream(t, 1)
	gate := m.Gate(uintptr(s))
	p := cudrv.NewParams()
	for i := range int32(3) {
		p.Reset().Int32(i)
		require.NoError(t, cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, p.Pointers(), nil))
	}
	p.Reset().Int32(7)
	gate.Open()
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, []int32{0, 1, 2}, got)
}

func TestKernelWithOtherParametersThanTheImage(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	m.Kernel("saxpy", func(*kernel.Block, int64, float32, []float32, []float32) {})
	fn := cudaFunction(t, saxpyKernel)
	assert.Equal(t, cudrv.ErrInvalidValue, bare(cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0,
		params(1, 1, 0, 0).Pointers(), nil)))
	require.Len(t, m.Misuse(), 1)
	assert.Contains(t, m.Misuse()[0].Reason, "the Go function of kernel saxpy has parameters")
	assert.Panics(t, func() { m.Kernel("saxpy", func(int) {}) })

	m.Kernel("saxpy", saxpyGo)
	unread := images.FatbinZstd(images.Part{Target: "sm_90", Data: images.Cubin("sm_90", saxpyKernel)})
	fn, err := cudrv.ModuleGetFunction(loadCUDA(t, unread), "saxpy")
	require.NoError(t, err, "it may be in what is compressed")
	x := floats(t, 1)
	memoryOf(t, m.cuda, uintptr(x), 1)[0] = 2
	require.NoError(t, cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, 0,
		params(1, 3, x, x).Pointers(), nil))
	require.NoError(t, cudrv.CtxSynchronize())
	assert.EqualValues(t, 8, memoryOf(t, m.cuda, uintptr(x), 1)[0])
}

func TestCUDALaunchInAnotherContext(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	fn := cudaFunction(t, images.Kernel{Name: "k"})
	second, err := cudrv.DevicePrimaryCtxRetain(1)
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(second))
	s := cudaStream(t, 1)
	launch := func(s cudrv.Stream) error {
		return bare(cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, nil, nil))
	}
	assert.Equal(t, cudrv.ErrInvalidHandle, launch(s))
	assert.Equal(t, cudrv.ErrInvalidHandle, launch(0))
	assert.Empty(t, m.Misuse())
}

func TestCUDAUnloadWhileLaunchesArePending(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	fn := cudaFunction(t, images.Kernel{Name: "k"})
	module, err := cudrv.FuncGetModule(fn)
	require.NoError(t, err)
	s := cudaStream(t, 1)
	for range 100 {
		require.NoError(t, cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, nil, nil))
	}
	require.NoError(t, cudrv.StreamSynchronize(s))
	gate := m.Gate(uintptr(s))
	require.NoError(t, cudrv.LaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, nil, nil))
	require.NoError(t, cudrv.ModuleUnload(module))
	require.Len(t, m.Misuse(), 1)
	assert.Contains(t, m.Misuse()[0].Reason, "pending")
	assert.Empty(t, m.Crashes())
	gate.Open()
	assert.NoError(t, cudrv.StreamSynchronize(s))
}

func TestCUDAOccupancy(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	fn := cudaFunction(t, images.Kernel{Name: "k"})
	blocks := func(block int32, shared uintptr) int32 {
		n, err := cudrv.OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(fn, block, shared, 0)
		require.NoError(t, err)
		return n
	}
	assert.EqualValues(t, 8, blocks(256, 0))
	assert.EqualValues(t, 32, blocks(1, 0))
	assert.EqualValues(t, 15, blocks(100, 15<<10))
	assert.Zero(t, blocks(1025, 0))
	assert.Equal(t, cudrv.ErrInvalidValue,
		bare(second(cudrv.OccupancyMaxActiveBlocksPerMultiprocessorWithFlags(fn, 0, 0, 0))))

	for limit, want := range map[int32][2]int32{0: {128, 1024}, 100: {32 * 64, 64}} {
		var none cudrv.OccupancyB2DSize
		grid, block, err := cudrv.OccupancyMaxPotentialBlockSizeWithFlags(fn, none, 0, limit, 0)
		require.NoError(t, err)
		assert.Equal(t, want, [2]int32{grid, block})
	}
	n, err := cudrv.OccupancyMaxActiveBlocksPerMultiprocessor(fn, 100, 15<<10)
	require.NoError(t, err)
	assert.EqualValues(t, 15, n)
	grid, block, err := cudrv.OccupancyMaxPotentialBlockSize(fn, nil, 0, 100)
	require.NoError(t, err)
	assert.Equal(t, [2]int32{32 * 64, 64}, [2]int32{grid, block})
	linear := func(block int32) uintptr { return uintptr(block) << 10 }
	_, block, err = cudrv.OccupancyMaxPotentialBlockSizeWithFlags(fn, linear, 0, 0, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 224, block)

	a := cudrv.LaunchAttribute{Id: cudrv.LaunchAttributeClusterDimension}
	*a.Value.ClusterDim() = cudrv.LaunchAttributeValueClusterDim{X: 8, Y: 1, Z: 1}
	c := cudrv.LaunchConfig{GridDimX: 8, GridDimY: 1, GridDimZ: 1, BlockDimX: 1024, BlockDimY: 1,
		BlockDimZ: 1, Attrs: &a, NumAttrs: 1}
	n, err = cudrv.OccupancyMaxActiveClusters(fn, &c)
	require.NoError(t, err)
	assert.EqualValues(t, 2*64/8, n)
}
