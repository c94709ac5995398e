package sim

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func cuPool(t *testing.T) cudrv.MemoryPool {
	t.Helper()
	p, err := cudrv.DeviceGetDefaultMemPool(0)
	require.NoError(t, err)
	return p
}

// attributes returns what a pool has used and reserved, now and at most.
func attributes(t *testing.T, p cudrv.MemoryPool) (n [4]uint64) {
	t.Helper()
	for i, a := range []cudrv.MemPoolAttribute{cudrv.MempoolAttrUsedMemCurrent,
		cudrv.MempoolAttrUsedMemHigh, cudrv.MempoolAttrReservedMemCurrent,
		cudrv.MempoolAttrReservedMemHigh} {
		require.NoError(t, cudrv.MemPoolGetAttribute(p, a, unsafe.Pointer(&n[i])))
	}
	return n
}

func cuAsync(t *testing.T, size uintptr, s cudrv.Stream) cudrv.Deviceptr {
	t.Helper()
	p, err := cudrv.MemAllocAsync(size, s)
	require.NoError(t, err)
	return p
}

func setThreshold(t *testing.T, p cudrv.MemoryPool, n uint64) {
	t.Helper()
	require.NoError(t, cudrv.MemPoolSetAttribute(p, cudrv.MempoolAttrReleaseThreshold,
		unsafe.Pointer(&n)))
}

func TestPoolMemoryIsInStreamOrder(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s, other := cudaStream(t, cudrv.StreamNonBlocking), cudaStream(t, cudrv.StreamNonBlocking)
	g := m.Gate(uintptr(s))
	p := cuAsync(t, 8, s)
	require.NoError(t, cudrv.MemsetD8Async(p, 1, 8, s))
	ready := cudaEvent(t, 0)
	require.NoError(t, cudrv.EventRecord(ready, s))
	require.NoError(t, cudrv.StreamWaitEvent(other, ready, 0))
	require.NoError(t, cudrv.MemsetD8Async(p+4, 2, 4, other), "behind the allocation")
	g.Open()
	require.NoError(t, cudrv.StreamSynchronize(other))
	assert.Equal(t, []byte{1, 1, 1, 1, 2, 2, 2, 2}, download(t, p, 8))
	cuPinned(t, 4)
	assert.Equal(t, 2, m.CUDALiveOn(0).Memory)
	assert.Zero(t, m.CUDALiveOn(1).Memory)

	g = m.Gate(uintptr(s))
	require.NoError(t, cudrv.MemsetD8Async(p, 3, 8, s))
	require.NoError(t, cudrv.MemFreeAsync(p, s))
	assert.Equal(t, 2, m.CUDALive().Memory, "the stream is not there yet")
	assert.Empty(t, m.Misuse())
	assert.ErrorIs(t, cudrv.MemsetD8Async(p, 3, 8, s), cudrv.ErrInvalidValue)
	assert.Contains(t, reasons(m)[0], "are freed")
	g.Open()
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, 1, m.CUDALive().Memory, "the pinned memory")
	assert.Len(t, m.Misuse(), 1)
}

func TestPoolMemoryOutOfOrder(t *testing.T) {
	for name, use := range map[string]func(m *Machine, s, other cudrv.Stream) cudrv.Deviceptr{
		"before the allocation": func(m *Machine, s, other cudrv.Stream) cudrv.Deviceptr {
			g := m.Gate(uintptr(s))
			t.Cleanup(g.Open)
			p, _ := cudrv.MemAllocAsync(8, s)
			_ = cudrv.MemsetD8Async(p, 1, 8, other)
			return p
		},
		"behind the free": func(m *Machine, s, other cudrv.Stream) cudrv.Deviceptr {
			p, _ := cudrv.MemAllocAsync(8, s)
			g := m.Gate(uintptr(other))
			_ = cudrv.MemsetD8Async(p, 1, 8, other)
			_ = cudrv.MemFreeAsync(p, s)
			g.Open()
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{}, newestCUDA)
			s, other := cudaStream(t, cudrv.StreamNonBlocking), cudaStream(t, cudrv.StreamNonBlocking)
			use(m, s, other)
			assert.ErrorIs(t, cudrv.StreamSynchronize(other), cudrv.ErrIllegalAddress)
			require.NotEmpty(t, m.Misuse())
			assert.Equal(t, "cuMemsetD8Async", m.Misuse()[0].Call)
		})
	}
}

func TestPoolKeepsMemory(t *testing.T) {
	_, _ = cudaMachine(t, Options{Memory: 100}, newestCUDA)
	pool, s := cuPool(t), cudaStream(t, cudrv.StreamNonBlocking)
	free := func() uintptr {
		free, _, err := cudrv.MemGetInfo()
		require.NoError(t, err)
		return free
	}
	p, q := cuAsync(t, 40, s), cuAsync(t, 30, s)
	assert.Equal(t, [4]uint64{70, 70, 70, 70}, attributes(t, pool))
	assert.ErrorIs(t, second(cudrv.MemAllocAsync(31, s)), cudrv.ErrOutOfMemory)
	require.NoError(t, cudrv.MemFreeAsync(p, s))
	assert.Equal(t, [4]uint64{30, 70, 70, 70}, attributes(t, pool))
	assert.EqualValues(t, 30, free(), "the pool keeps it")
	assert.ErrorIs(t, second(cudrv.MemAlloc(31)), cudrv.ErrOutOfMemory)
	again := cuAsync(t, 40, s)
	assert.NotEqual(t, p, again)
	require.NoError(t, cudrv.MemFreeAsync(again, s))
	setThreshold(t, pool, 50)
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, [4]uint64{30, 70, 50, 70}, attributes(t, pool))
	require.NoError(t, cudrv.MemPoolTrimTo(pool, 40))
	assert.EqualValues(t, 60, free())
	require.NoError(t, cudrv.MemPoolTrimTo(pool, 0))
	assert.EqualValues(t, 70, free(), "what is used stays")
	setThreshold(t, pool, math.MaxUint64)
	require.NoError(t, cudrv.MemFree(q))
	require.NoError(t, cudrv.CtxSynchronize())
	assert.EqualValues(t, 70, free())
	setThreshold(t, pool, 0)
	require.NoError(t, cudrv.CtxSynchronize())
	assert.EqualValues(t, 100, free())
	zero := uint64(0)
	require.NoError(t, cudrv.MemPoolSetAttribute(pool, cudrv.MempoolAttrUsedMemHigh,
		unsafe.Pointer(&zero)))
	require.NoError(t, cudrv.MemPoolSetAttribute(pool, cudrv.MempoolAttrReservedMemHigh,
		unsafe.Pointer(&zero)))
	assert.Equal(t, [4]uint64{}, attributes(t, pool))
	assert.ErrorIs(t, cudrv.MemPoolSetAttribute(pool, cudrv.MempoolAttrUsedMemCurrent,
		unsafe.Pointer(&zero)), cudrv.ErrInvalidValue)
	var reuse int32
	require.NoError(t, cudrv.MemPoolGetAttribute(pool, cudrv.MempoolAttrReuseAllowOpportunistic,
		unsafe.Pointer(&reuse)))
	assert.EqualValues(t, 1, reuse)
	assert.ErrorIs(t, cudrv.MemPoolGetAttribute(pool, 99, unsafe.Pointer(&zero)),
		cudrv.ErrInvalidValue)
}

func TestHIPPools(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		if p.plays(chipPoolsUnsupported) {
			return // see the quirk's probe
		}
		s := hipStream(t)
		pool, err := hip.DeviceGetDefaultMemPool(0)
		require.NoError(t, err)
		at, err := hip.MallocFromPoolAsync(8, pool, s)
		require.NoError(t, err)
		require.NoError(t, hip.MemsetD8Async(hipAddress(at), 1, 8, s))
		var used uint64
		require.NoError(t, hip.MemPoolGetAttribute(pool, hip.MemPoolAttrUsedMemCurrent,
			unsafe.Pointer(&used)))
		assert.EqualValues(t, 8, used)
		assert.Equal(t, 1, m.HIPLiveOn(0).Memory)
		require.NoError(t, hip.FreeAsync(at, s))
		require.NoError(t, hip.StreamSynchronize(s))
		null, err := hip.MallocAsync(0, s)
		require.NoError(t, err)
		assert.Nil(t, null)
		assert.ErrorIs(t, hip.FreeAsync(nil, s), hip.ErrInvalidValue)
		assert.Zero(t, m.HIPLive().Memory)
	})
}

// graphWithMemory captures an allocation, a fill of it and, on demand, its free.
func graphWithMemory(t *testing.T, s cudrv.Stream, free bool, flags cudrv.GraphInstantiateFlags) (
	cudrv.Graph, cudrv.GraphExec, cudrv.Deviceptr) {
	t.Helper()
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeGlobal))
	p := cuAsync(t, 8, s)
	require.NoError(t, cudrv.MemsetD8Async(p, 5, 8, s))
	if free {
		require.NoError(t, cudrv.MemFreeAsync(p, s))
	}
	g, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	x, err := cudrv.GraphInstantiateWithFlags(g, flags)
	require.NoError(t, err)
	return g, x, p
}

func TestGraphMemory(t *testing.T) {
	m, _ := cudaMachine(t, Options{Memory: 10}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	g, x, p := graphWithMemory(t, s, false, 0)
	assert.ErrorIs(t, second(cudrv.GraphInstantiateWithFlags(g, 0)), cudrv.ErrNotSupported,
		"one at a time")
	assert.Zero(t, m.CUDALive().Memory)
	require.NoError(t, cudrv.GraphLaunch(x, s))
	assert.Equal(t, 1, m.CUDALive().Memory)
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, []byte{5, 5, 5, 5, 5, 5, 5, 5}, download(t, p, 8))
	assert.ErrorIs(t, second(cudrv.MemAlloc(4)), cudrv.ErrOutOfMemory)
	assert.Empty(t, m.Misuse())

	assert.ErrorIs(t, cudrv.GraphLaunch(x, s), cudrv.ErrInvalidValue, "not freed")
	assert.Contains(t, reasons(m)[0], "are not freed")
	require.NoError(t, cudrv.MemFreeAsync(p, s))
	assert.Zero(t, m.CUDALive().Memory)
	require.NoError(t, cudrv.GraphLaunch(x, s), "may allocate again")
	require.NoError(t, cudrv.StreamSynchronize(s))
	require.NoError(t, cudrv.MemFree(p))
	assert.Len(t, m.Misuse(), 1)
	assert.ErrorIs(t, cudrv.MemFree(p), cudrv.ErrInvalidValue)
	require.NoError(t, cudrv.GraphExecDestroy(x))
	require.NoError(t, cudrv.GraphDestroy(g))
	assert.ErrorIs(t, second(cudrv.MemAlloc(4)), cudrv.ErrOutOfMemory, "kept for other graphs")
	require.NoError(t, cudrv.DeviceGraphMemTrim(0))
	cuMemory(t, 10) // all is there again
}

// What a graph has allocated stays with the device's graphs when the graph is gone and the memory
// is freed, until it is trimmed. Another graph takes it.
func TestGraphMemoryStaysUntilTrimmed(t *testing.T) {
	cudaMachine(t, Options{Memory: 10}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	marks := func() (n [4]uint64) {
		for i := range n {
			require.NoError(t, cudrv.DeviceGetGraphMemAttribute(0, cudrv.GraphMemAttribute(i),
				unsafe.Pointer(&n[i])))
		}
		return n
	}
	for range 2 {
		g, x, p := graphWithMemory(t, s, false, 0)
		require.NoError(t, cudrv.GraphLaunch(x, s))
		require.NoError(t, cudrv.GraphExecDestroy(x))
		require.NoError(t, cudrv.GraphDestroy(g))
		require.NoError(t, cudrv.StreamSynchronize(s))
		assert.Equal(t, [4]uint64{8, 8, 8, 8}, marks())
		require.NoError(t, cudrv.MemFreeAsync(p, s))
		require.NoError(t, cudrv.StreamSynchronize(s))
		assert.Equal(t, [4]uint64{8, 8, 8, 8}, marks(), "freed")
	}
	assert.ErrorIs(t, second(cudrv.MemAlloc(4)), cudrv.ErrOutOfMemory)
	require.NoError(t, cudrv.DeviceGraphMemTrim(0))
	assert.Equal(t, [4]uint64{0, 8, 0, 8}, marks(), "trimmed")
	cuMemory(t, 10)
}

func TestGraphFreesItsMemory(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	_, x, p := graphWithMemory(t, s, true, 0)
	_, auto, q := graphWithMemory(t, s, false, cudrv.GraphInstantiateFlagAutoFreeOnLaunch)
	for range 3 {
		require.NoError(t, cudrv.GraphLaunch(x, s))
		require.NoError(t, cudrv.GraphLaunch(auto, s))
	}
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, 1, m.CUDALive().Memory)
	assert.Equal(t, []byte{5, 5}, download(t, q, 2))
	require.NoError(t, cudrv.MemFree(q))
	assert.Empty(t, m.Misuse())
	require.NoError(t, cudrv.MemsetD8Async(p, 1, 8, s))
	assert.ErrorIs(t, cudrv.StreamSynchronize(s), cudrv.ErrIllegalAddress, "used outside")
}

func TestCapturedFreeOfOtherMemory(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	p := cuAsync(t, 8, 0)
	s := cuCapture(t, 1, cudrv.StreamCaptureModeGlobal)
	assert.ErrorIs(t, cudrv.MemFreeAsync(p, s), cudrv.ErrInvalidValue)
	assert.Contains(t, reasons(m)[0], "not an allocation of the graph")
	cuAsync(t, 8, s)
	require.NoError(t, cudrv.StreamDestroy(s))
	assert.Len(t, m.cuda.memory.live, 1, "the capture's memory ends with it")
}
