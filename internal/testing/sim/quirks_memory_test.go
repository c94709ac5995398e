package sim

import (
	"errors"
	"maps"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func init() { maps.Copy(probes, memoryProbes) }

// hipMemory allocates on the current device.
func hipMemory(t *testing.T, size uintptr) unsafe.Pointer {
	t.Helper()
	p, err := hip.Malloc(size)
	require.NoError(t, err)
	return p
}

func hipPinned(t *testing.T, size uintptr) unsafe.Pointer {
	t.Helper()
	p, err := hip.HostMalloc(size, 0)
	require.NoError(t, err)
	return p
}

func cuPinned(t *testing.T, size uintptr) unsafe.Pointer {
	t.Helper()
	p, err := cudrv.MemHostAlloc(size, 0)
	require.NoError(t, err)
	return p
}

func hipAddress(p unsafe.Pointer) hip.Deviceptr { return hip.Deviceptr(uintptr(p)) }

func ended(s hip.Stream) error { return second(hip.StreamEndCapture(s)) }

func pageableCopyWaits(t *testing.T, m *Machine, size uintptr, claim quirk) bool {
	host := make([]byte, size)
	p, s := hipMemory(t, size), hipStream(t)
	return waits(t, m.amd.plays(claim), m.Gate(uintptr(s)), func() error {
		return hip.MemcpyHtoDAsync(hipAddress(p), unsafe.Pointer(&host[0]), size, s)
	})
}

var memoryProbes = map[quirk]probe{
	cudaPoolFreeReturns: {observe: func(t *testing.T, m *Machine) bool {
		s := cudaStream(t, cudrv.StreamNonBlocking)
		p, err := cudrv.MemAllocAsync(8, s)
		require.NoError(t, err)
		return !waits(t, false, m.Gate(uintptr(s)), func() error { return cudrv.MemFree(p) })
	}},
	cudaFillAligned: {observe: func(t *testing.T, m *Machine) bool {
		p, err := cudrv.MemAlloc(16)
		require.NoError(t, err)
		return errors.Is(cudrv.MemsetD32Async(p+2, 1, 1, cudaStream(t, 1)), cudrv.ErrInvalidValue)
	}},
	amdAllocationHeedsCaptures: {observe: func(t *testing.T, _ *Machine) bool {
		hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		refused := errors.Is(second(hip.Malloc(8)), hip.ErrStreamCaptureUnsupported)
		onThread(func() {
			refused = refused && errors.Is(second(hip.Malloc(8)), hip.ErrStreamCaptureUnsupported)
		})
		return refused
	}},
	amdMemoryCallsSpoilCaptures: {observe: func(t *testing.T, _ *Machine) bool {
		p := hipMemory(t, 8)
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		return errors.Is(hip.MemsetD8(hipAddress(p), 1, 8), hip.ErrStreamCaptureImplicit) &&
			errors.Is(ended(s), hip.ErrStreamCaptureInvalidated)
	}},
	amdMallocAsyncNotCaptured: {own: true, observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		require.NoError(t, second(hip.MallocAsync(8, s)))
		return endedGraphNodes(t, s) == 0
	}},
	amdAsyncMemoryHeedsCaptures: {own: true, observe: func(t *testing.T, m *Machine) bool {
		other := hipStream(t)
		p, err := hip.MallocAsync(8, other)
		require.NoError(t, err)
		hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		require.NoError(t, second(hip.MallocAsync(8, other)), "a non-blocking stream captures")
		s := hipCapture(t, 0, hip.StreamCaptureModeRelaxed)
		refused := func(err error) bool { return errors.Is(err, hip.ErrStreamCaptureUnsupported) }
		return refused(second(hip.MallocAsync(8, other))) && refused(hip.FreeAsync(p, other)) &&
			crashes(m, func() { _ = second(hip.MallocAsync(8, 0)) }) &&
			second(hip.MallocAsync(8, s)) == nil
	}},
	amdFreeAsyncAnything: {observe: func(t *testing.T, m *Machine) bool {
		p, s := hipMemory(t, 8), hipStream(t)
		if m.amd.plays(chipPoolsUnsupported) { // all its memory is plain
			return hip.FreeAsync(p, s) != nil
		}
		return waits(t, true, m.Gate(uintptr(s)), func() error { return hip.FreeAsync(p, s) })
	}},
	amdMemoryGraphIsCloned: {own: true, observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		p, err := hip.MallocAsync(8, s)
		require.NoError(t, err)
		g, err := hip.StreamEndCapture(s)
		require.NoError(t, err)
		n := uintptr(0)
		require.NoError(t, hip.GraphGetNodes(g, nil, &n))
		clone, err := hip.GraphClone(g)
		if errors.Is(err, hip.ErrNotSupported) || n == 0 { // 0: allocations are not captured
			return false
		}
		require.NoError(t, err)
		require.NoError(t, hip.GraphDestroy(g))
		x, err := hip.GraphInstantiateWithFlags(clone, 0)
		require.NoError(t, err)
		require.NoError(t, hip.GraphLaunch(x, s))
		require.NoError(t, hip.MemsetD8Async(hipAddress(p), 1, 8, s))
		require.NoError(t, hip.StreamSynchronize(s), "the copy has the graph's memory")
		return true
	}},
	amdHostFreeWaits: {observe: func(t *testing.T, m *Machine) bool {
		p, s := hipPinned(t, 8), hipStream(t)
		claimed := m.amd.plays(amdHostFreeWaits)
		return waits(t, claimed, m.Gate(uintptr(s)), func() error { return hip.HostFree(p) })
	}},
	amdPageableCopyWaits: {observe: func(t *testing.T, m *Machine) bool {
		return pageableCopyWaits(t, m, amdStaging, amdPageableCopyWaits)
	}},
	amdLargePageableCopyWaits: {observe: func(t *testing.T, m *Machine) bool {
		return pageableCopyWaits(t, m, amdStaging+1, amdLargePageableCopyWaits)
	}},
	amdPinnedCopyIsAsynchronous: {observe: func(t *testing.T, m *Machine) bool {
		from, to, s := hipPinned(t, 8), hipPinned(t, 8), hipStream(t)
		claimed := !m.amd.plays(amdPinnedCopyIsAsynchronous)
		return !waits(t, claimed, m.Gate(uintptr(s)), func() error {
			return hip.MemcpyAsync(to, from, 8, hip.MemcpyDefault, s)
		})
	}},
	amdPeerCopyWaits: {observe: func(t *testing.T, m *Machine) bool {
		from := hipMemory(t, 8)
		require.NoError(t, hip.SetDevice(1))
		to := hipMemory(t, 8)
		require.NoError(t, hip.SetDevice(0))
		claimed := m.amd.plays(amdPeerCopyWaits)
		return waits(t, claimed, m.HIPDefaultGate(0), func() error {
			return hip.MemcpyDtoD(hipAddress(to), hipAddress(from), 8)
		})
	}},
	amdInnerFillWaits: {observe: func(t *testing.T, m *Machine) bool {
		at := hipAddress(unsafe.Add(hipMemory(t, 8), 1))
		return waits(t, m.amd.plays(amdInnerFillWaits), m.HIPDefaultGate(0), func() error {
			return hip.MemsetD8(at, 0, 4)
		})
	}},
	amdFillWaits: {observe: func(t *testing.T, m *Machine) bool {
		at := hipAddress(hipMemory(t, 8))
		return waits(t, m.amd.plays(amdFillWaits), m.HIPDefaultGate(0), func() error {
			return hip.MemsetD8(at, 0, 4)
		})
	}},
	amdFaultAborts: {observe: func(t *testing.T, m *Machine) bool {
		p, s := hipPinned(t, 8), hipStream(t)
		g := m.Gate(uintptr(s))
		require.NoError(t, hip.MemsetAsync(p, 1, 8, s))
		m.amd.release("test", m.amd.claim("test", uintptr(p), func(*block) bool { return true }))
		return crashes(m, func() {
			g.Open()
			_ = hip.StreamSynchronize(s)
		})
	}},
	amdOldMemoryTypes: {observe: func(t *testing.T, m *Machine) bool {
		a, err := hip.PointerGetAttributes(hipMemory(t, 8))
		return err == nil && a.Type == 1
	}},
	chipPoolsUnsupported: {observe: func(t *testing.T, _ *Machine) bool {
		p, err := hip.MallocAsync(8, hipStream(t))
		require.NoError(t, err)
		return hip.Free(p) == nil &&
			errors.Is(second(hip.DeviceGetDefaultMemPool(0)), hip.ErrNotSupported)
	}},
}
