package backend_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// cuda and hip open device 0 of a release.
func cuda(t *testing.T, release string, without ...string) (*recorder, backend.Backend) {
	t.Helper()
	r := record(t, nvidia, release, without...)
	b, _ := r.devices(t)
	return r, b
}

func rocm(t *testing.T, release string, without ...string) (*recorder, backend.Backend) {
	t.Helper()
	r := record(t, amd, release, without...)
	b, _ := r.devices(t)
	return r, b
}

func TestPTXIsCompiledWithLogs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		image   []byte
		options backend.JIT
		want    map[uint32]uintptr
	}{
		"PTX":              {ptx, backend.JIT{}, map[uint32]uintptr{}},
		"PTX with its NUL": {append([]byte(string(ptx)), 0), backend.JIT{}, map[uint32]uintptr{}},
		"options": {ptx, backend.JIT{MaxRegisters: 32, Optimization: 2, LineInfo: true, Debug: true},
			map[uint32]uintptr{0: 32, 7: 2, 13: 1, 11: 1}},
		"not optimized": {ptx, backend.JIT{Optimization: -1}, map[uint32]uintptr{7: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			r, b := cuda(t, "12.0")
			m, log, err := b.Load(tt.image, tt.options)
			require.NoError(t, err)
			assert.Equal(t, backend.Module{Word: 0x31}, m)
			assert.Equal(t, "ptxas info", log)
			assert.Equal(t, string(ptx), r.text)
			delete(r.jit, 4)
			delete(r.jit, 6)
			assert.Equal(t, tt.want, r.jit)
		})
	}
	t.Run("a fatbin may have PTX", func(t *testing.T) {
		r, b := cuda(t, "12.0")
		_, _, err := b.Load([]byte("\x50\xed\x55\xba\x01\x00"), backend.JIT{MaxRegisters: 32})
		require.NoError(t, err)
		assert.EqualValues(t, 32, r.jit[0])
	})
	t.Run("errors come first in the log", func(t *testing.T) {
		r, b := cuda(t, "12.0")
		r.errorLog, r.jitCode = "line 3: syntax error\n", 218
		m, log, err := b.Load(ptx, backend.JIT{})
		assert.ErrorIs(t, err, backend.ErrImage)
		assert.ErrorContains(t, err, "cuModuleLoadDataEx")
		assert.Equal(t, "line 3: syntax error\nptxas info", log)
		assert.Zero(t, m)
	})
}

func TestOptionsThatWouldBeIgnoredAreRefused(t *testing.T) {
	t.Parallel()
	r, b := cuda(t, "13.0")
	_, _, err := b.Load(cubin, backend.JIT{Debug: true})
	assert.ErrorIs(t, err, driver.ErrUnsupported)
	assert.ErrorContains(t, err, "cubin")
	assert.Empty(t, r.took())
	q, a := rocm(t, "6.4")
	_, _, err = a.Load(cubin, backend.JIT{MaxRegisters: 8})
	assert.ErrorIs(t, err, driver.ErrUnsupported)
	assert.ErrorContains(t, err, "leave them out")
	assert.Empty(t, q.took())
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	_, b := cuda(t, "13.0")
	a, err := b.Attributes(function)
	require.NoError(t, err)
	assert.Equal(t, backend.Attributes{Registers: 104, Shared: 101, Local: 103, Constant: 102,
		MaxThreads: 100, SharedMost: 108, BinaryTarget: 106}, a)
	r, b := rocm(t, "7.2")
	r.unknown = []int{2, 8}
	a, err = b.Attributes(function)
	require.NoError(t, err)
	assert.Equal(t, backend.Attributes{Registers: 104, Shared: 101, Local: 103, Constant: -1,
		MaxThreads: 100, SharedMost: -1, BinaryTarget: -1}, a)
	r.codes["hipFuncGetAttribute"] = 801 // chipStar
	a, err = b.Attributes(function)
	require.NoError(t, err)
	assert.Equal(t, backend.Attributes{Registers: -1, Shared: -1, Local: -1, Constant: -1,
		MaxThreads: -1, SharedMost: -1, BinaryTarget: -1}, a)
	r.codes["hipFuncGetAttribute"] = unknownError
	a, err = b.Attributes(function)
	assert.ErrorContains(t, err, "hipFuncGetAttribute")
	assert.Zero(t, a)
}

func TestSharedMemoryIsNeverLowered(t *testing.T) {
	t.Parallel()
	r, b := cuda(t, "13.0")
	require.NoError(t, b.AllowShared(function, 108))
	assert.Equal(t, "{ cuFuncGetAttribute(_ 8 f) }", r.took())
	require.NoError(t, b.AllowShared(function, 109))
	assert.Equal(t, "{ cuFuncGetAttribute(_ 8 f) cuFuncSetAttribute(f 8 109) }", r.took())
	for _, symbol := range []string{"cuFuncGetAttribute", "cuFuncSetAttribute"} {
		r.codes = map[string]int32{symbol: unknownError}
		assert.ErrorContains(t, b.AllowShared(function, 200), symbol)
	}
	q, a := rocm(t, "7.2")
	require.NoError(t, a.AllowShared(function, 1000))
	assert.Empty(t, q.took())
}

func TestReady(t *testing.T) {
	t.Parallel()
	for release, calls := range map[string]string{"12.4": "{ cuFuncLoad(f) }",
		"12.3": "{ cuFuncGetAttribute(_ 4 f) }"} {
		t.Run(release, func(t *testing.T) {
			r, b := cuda(t, release)
			require.NoError(t, b.Ready(function))
			assert.Equal(t, calls, r.took())
			r.codes = map[string]int32{"cuFuncLoad": unknownError, "cuFuncGetAttribute": unknownError}
			assert.ErrorContains(t, b.Ready(function), "cuFunc")
		})
	}
	r, b := rocm(t, "7.2")
	require.NoError(t, b.Ready(function))
	assert.Empty(t, r.took())
}

func TestClusters(t *testing.T) {
	t.Parallel()
	r, b := cuda(t, "13.0")
	both := with(func(c *backend.Config) { cluster(c); c.Cooperative = true })
	for want, c := range map[string]backend.Config{
		"{ cuLaunchKernelEx([7 8 9 32 2 1 512] on 5 4:[2 1 1] f [5 6] 0) }":           with(cluster),
		"{ cuLaunchKernelEx([7 8 9 32 2 1 512] on 5 4:[2 1 1] 2:[1 0 0] f [5 6] 0) }": both,
	} {
		_, err := launch(b, c)
		require.NoError(t, err)
		assert.Equal(t, want, r.took())
	}
	r.codes["cuLaunchKernelEx"] = unknownError
	_, err := launch(b, both)
	assert.ErrorContains(t, err, "cuLaunchKernelEx")
	r.took()
	n, err := b.Clusters(function, &both)
	require.NoError(t, err)
	assert.Equal(t, 16, n)
	assert.Equal(t, "{ cuOccupancyMaxActiveClusters(_ f [7 8 9 32 2 1 512] on 0 4:[2 1 1] "+
		"2:[1 0 0]) }", r.took())

	q, a := rocm(t, "7.2")
	_, err = launch(a, both)
	assert.ErrorIs(t, err, driver.ErrUnsupported)
	_, err = a.Clusters(function, &both)
	assert.ErrorIs(t, err, driver.ErrUnsupported)
	assert.Empty(t, q.took())
}

// A thread that has the device's context or device keeps it.
func TestLaunchWhereTheDeviceIsCurrent(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		b, _ := r.devices(t)
		ds, err := v.open(0, 1)
		require.NoError(t, err)
		require.NoError(t, ds[0].(driver.GPU).Enter(func() error {
			r.took()
			_, err := launch(b, shape)
			assert.NotContains(t, r.took(), "{")
			return err
		}))
	})
}

func TestThresholdIsSetOnce(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		b, _ := r.devices(t)
		set := map[*vendor]string{nvidia: "cuMemPoolSetAttribute", amd: "hipMemPoolSetAttribute"}[v]
		r.codes[set] = unknownError
		_, err := b.AllocOn(stream, 64)
		assert.ErrorContains(t, err, set, "a failure is not remembered")
		assert.NotContains(t, r.took(), "AllocAsync")
		r.codes = nil
		_, err = b.AllocOn(stream, 64)
		require.NoError(t, err)
		assert.Contains(t, r.took(), set)
		_, err = b.AllocOn(stream, 64)
		require.NoError(t, err)
		assert.NotContains(t, r.took(), set)
	})
}

func TestPeers(t *testing.T) {
	t.Parallel()
	r := record(t, nvidia, "13.0")
	b, peer := r.devices(t)
	q, a := rocm(t, "7.2")
	r.codes["cuCtxEnablePeerAccess"] = enabled
	assert.NoError(t, b.Peer(peer), "as good as success")
	r.took()

	for _, pair := range [][2]backend.Backend{{b, a}, {a, b}} {
		can, err := pair[0].CanPeer(pair[1])
		assert.NoError(t, err)
		assert.False(t, can)
		assert.ErrorIs(t, pair[0].Peer(pair[1]), driver.ErrDeviceMismatch)
		err = pair[0].CopyPeer(stream, 1, pair[0], 2, pair[1], 3)
		assert.ErrorIs(t, err, driver.ErrDeviceMismatch)
		assert.ErrorContains(t, err, "copy through the host")
		err = pair[0].CopyPeer(stream, 1, pair[1], 2, pair[0], 3)
		assert.ErrorIs(t, err, driver.ErrDeviceMismatch)
	}
	assert.Empty(t, r.took()+q.took())

	r.outputs["cuDeviceCanAccessPeer"] = []uint64{0}
	can, err := b.CanPeer(peer)
	assert.NoError(t, err)
	assert.False(t, can)
}

func TestPeersWithoutPools(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		delete(r.attributes, 115)
		delete(r.attributes, 88)
		b, peer := r.devices(t)
		require.NoError(t, b.Peer(peer))
		assert.NotContains(t, r.took(), "MemPool")
		require.NoError(t, b.Trim(), "there is nothing to trim")
		assert.NotContains(t, r.took(), "MemPool")
	})
}

func TestLast(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		release string
		without string
		calls   string
	}{
		"third form": {"13.0", "cuStreamGetCaptureInfo_v2",
			"{ cuStreamGetCaptureInfo_v3(5 _ _ _ _ _ _) }"},
		"second form": {"12.2", "", "{ cuStreamGetCaptureInfo_v2(5 _ _ _ _ _) }"},
	} {
		t.Run(name, func(t *testing.T) {
			r, b := cuda(t, tt.release, tt.without)
			n, err := b.Last(stream)
			require.NoError(t, err)
			assert.Equal(t, node, n)
			assert.Equal(t, tt.calls, r.took())
		})
	}
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		b, _ := r.devices(t)
		for _, count := range []uint64{0, 2} {
			for _, symbol := range []string{"cuStreamGetCaptureInfo_v3", "hipStreamGetCaptureInfo_v2"} {
				r.outputs[symbol] = []uint64{1, 5, 0x60, uint64(lastNodes), count}
			}
			n, err := b.Last(stream)
			assert.ErrorIs(t, err, backend.ErrNoNode)
			assert.Zero(t, n)
		}
	})
}

func TestGraphsThatAllocate(t *testing.T) {
	t.Parallel()
	const allocates, kernels = 10, 0
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		b, _ := r.devices(t)
		for _, tt := range []struct {
			nodes []uint64
			flags string
		}{{nil, " 60 0) }"}, {[]uint64{kernels, kernels}, " 60 0) }"},
			{[]uint64{kernels, allocates, kernels}, " 60 1) }"}} {
			r.nodes = tt.nodes
			_, err := b.Instantiate(graph)
			require.NoError(t, err)
			assert.Contains(t, r.took(), "GraphInstantiateWithFlags(_"+tt.flags)
		}
		r.nodes = []uint64{kernels}
		for _, symbol := range []string{"GraphGetNodes", "GraphNodeGetType"} {
			r.codes = map[string]int32{"cu" + symbol: unknownError, "hip" + symbol: unknownError}
			_, err := b.Instantiate(graph)
			assert.ErrorContains(t, err, symbol)
			assert.NotContains(t, r.took(), "Instantiate")
		}
	})
	r, b := cuda(t, "11.6", "cuGraphInstantiateWithFlags")
	x, err := b.Instantiate(graph)
	require.NoError(t, err)
	assert.Equal(t, backend.Exec{Word: 0x71}, x)
	assert.Equal(t, "{ cuGraphGetNodes(60 nil _) cuGraphInstantiate_v2(_ 60 _ nil 0) }", r.took())
	r.nodes = []uint64{allocates}
	_, err = b.Instantiate(graph)
	assert.ErrorIs(t, err, driver.ErrUnsupported)
}

func TestUpdatesOfOldDrivers(t *testing.T) {
	t.Parallel()
	r, b := cuda(t, "11.8")
	p := frame(b)
	defer b.PutFrame(p)
	require.NoError(t, b.SetKernel(exec, node, function, &shape, p))
	assert.Equal(t, "{ cuGraphExecKernelNodeSetParams(70 d 15 [7 8 9 32 2 1 512] [5 6]) }", r.took())
	require.NoError(t, b.Update(exec, graph))
	assert.Equal(t, "{ cuGraphExecUpdate(70 60 _ _) }", r.took())
}

func TestGraphsThatDiffer(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		b, _ := r.devices(t)
		r.codes = map[string]int32{"cuGraphExecUpdate_v2": differs, "hipGraphExecUpdate": differs}
		err := b.Update(exec, graph)
		require.ErrorIs(t, err, backend.ErrDiffers)
		assert.Contains(t, err.(*driver.Error).Detail, "GraphExecUpdate")
		r.codes = map[string]int32{"cuGraphExecUpdate_v2": unknownError,
			"hipGraphExecUpdate": unknownError}
		assert.NotErrorIs(t, b.Update(exec, graph), backend.ErrDiffers)
	})
}

func TestClassesOfFailures(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		b, _ := r.devices(t)
		for code, class := range map[int32]error{noMemory: backend.ErrOutOfMemory,
			notFound: backend.ErrNotFound, 200: backend.ErrImage, 209: backend.ErrImage,
			400: driver.ErrHandle, 801: driver.ErrUnsupported} {
			r.codes = map[string]int32{"cuMemAlloc_v2": code, "hipMalloc": code,
				"cuLaunchKernel": code, "hipModuleLaunchKernel": code}
			_, err := b.Alloc(64)
			assert.ErrorIs(t, err, class)
			_, err = launch(b, shape)
			assert.ErrorIs(t, err, class)
		}
		r.codes = map[string]int32{"cuFuncGetParamInfo": 801, "hipKernelGetParamInfo": 801}
		params, ok, err := b.Params(function)
		assert.NoError(t, err)
		assert.False(t, ok)
		assert.Nil(t, params)
		assert.ErrorIs(t, b.Fill(stream, 1, 2, 8, 1), driver.ErrUnsupported)
	})
}

// chipStar returns 719 for a kernel that a module lacks; a lost device returns it for every call.
func TestUnknownKernelOfAnotherVendor(t *testing.T) {
	t.Parallel()
	r, b := rocm(t, "7.2")
	r.codes["hipModuleGetFunction"] = 719
	_, err := b.Function(backend.Module{}, "none")
	assert.ErrorIs(t, err, backend.ErrNotFound)
	r.codes["hipStreamQuery"] = 719
	_, err = b.Function(backend.Module{}, "none")
	assert.NotErrorIs(t, err, backend.ErrNotFound)
	assert.ErrorContains(t, err, "719")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	newest := backend.Limits{
		Grid:    kernel.Dim{X: math.MaxInt32, Y: 65535, Z: 65535},
		Block:   kernel.Dim{X: 1024, Y: 1024, Z: 64},
		Threads: 1024, Shared: 49152, SharedMost: 232448, Processors: 132, Warp: 32,
		Clusters: true, Cooperative: true, Pools: true, ParameterBytes: 32764, Major: 9, Minor: 0,
		DriverMajor: 13, DriverMinor: 0, CanUpdateKernels: true, FreesGraphMemory: true,
		PointersAreShared: true,
	}
	changed := func(change func(*backend.Limits)) backend.Limits {
		l := newest
		change(&l)
		return l
	}
	for name, tt := range map[string]struct {
		release string
		unknown []int
		without []string
		want    backend.Limits
	}{
		"newest": {"13.0", nil, nil, newest},
		"before long parameters": {"12.0", nil, nil, changed(func(l *backend.Limits) {
			l.ParameterBytes, l.DriverMajor = 4096, 12
		})},
		"before clusters": {"11.7", []int{120}, nil, changed(func(l *backend.Limits) {
			l.ParameterBytes, l.DriverMajor, l.DriverMinor, l.Clusters = 4096, 11, 7, false
		})},
		"no pools": {"13.0", []int{115}, nil, changed(func(l *backend.Limits) {
			l.Pools, l.FreesGraphMemory = false, false
		})},
		"functions missing": {"13.0", nil, []string{"cuLaunchKernelEx", "cuLaunchCooperativeKernel",
			"cuMemAllocAsync", "cuGraphExecKernelNodeSetParams", "cuGraphExecKernelNodeSetParams_v2"},
			changed(func(l *backend.Limits) {
				l.Clusters, l.Cooperative, l.Pools, l.FreesGraphMemory = false, false, false, false
				l.CanUpdateKernels = false
			})},
		"shared memory can't be raised": {"13.0", []int{97}, nil, changed(func(l *backend.Limits) {
			l.SharedMost = 49152
		})},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t, nvidia, tt.release, tt.without...)
			for _, a := range tt.unknown {
				delete(r.attributes, a)
			}
			b, _ := r.devices(t)
			got, err := b.Limits()
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assert.NotContains(t, r.took(), "{", "no context is needed")
			_, err = b.Limits()
			require.NoError(t, err)
			assert.Empty(t, r.took(), "they are known")
		})
	}
	r := record(t, amd, "7.2")
	r.codes["hipDeviceGetAttribute"] = unknownError
	b, _ := r.devices(t)
	got, err := b.Limits()
	assert.ErrorContains(t, err, "hipDeviceGetAttribute")
	assert.Zero(t, got)
	r.codes = nil
	got, err = b.Limits()
	require.NoError(t, err, "a failure is not remembered")
	assert.Equal(t, backend.Limits{
		Grid:    kernel.Dim{X: math.MaxInt32, Y: 65536, Z: 65536},
		Block:   kernel.Dim{X: 1024, Y: 1024, Z: 1024},
		Threads: 1024, Shared: 65536, SharedMost: 65536, Processors: 304, Warp: 64,
		Cooperative: true, Pools: true, GridTimesBlock: math.MaxUint32, CanUpdateKernels: true,
		FreesGraphMemory: true, PointersAreShared: true,
	}, got)
}

func TestLaunchesAtTheSameTime(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		r := record(t, v, v.newest)
		b, _ := r.devices(t)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 50 {
					_, err := launch(b, shape)
					assert.NoError(t, err)
				}
			})
		}
		wg.Wait()
		threads, _ := r.left()
		assert.Empty(t, threads)
	})
}
