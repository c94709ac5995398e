package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func TestCopiesRunInStreamOrder(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	p, q := cuMemory(t, 4), cuMemory(t, 8)
	upload(t, p, []byte{9, 9, 9, 9})
	g := m.Gate(uintptr(s))
	host := []byte{1, 2, 3, 4}
	require.NoError(t, cudrv.MemcpyHtoDAsync(p, unsafe.Pointer(&host[0]), 4, s))
	host[0] = 100 // pageable memory is read when the call returns
	require.NoError(t, cudrv.MemsetD16Async(q, 0x0506, 4, s))
	require.NoError(t, cudrv.MemcpyDtoDAsync(q+2, p, 4, s))
	assert.Equal(t, []byte{9, 9, 9, 9}, download(t, p, 4), "not yet")
	g.Open()
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, []byte{6, 5, 1, 2, 3, 4, 6, 5}, download(t, q, 8))
	assert.Empty(t, m.Misuse())
}

func TestCopiesToPageableMemoryWait(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	p := cuMemory(t, 4)
	g := m.Gate(uintptr(s))
	require.NoError(t, cudrv.MemsetD8Async(p, 3, 4, s))
	host := make([]byte, 4)
	assert.True(t, waits(t, true, g, func() error {
		return cudrv.MemcpyDtoHAsync(unsafe.Pointer(&host[0]), p, 4, s)
	}))
	assert.Equal(t, []byte{3, 3, 3, 3}, host)
}

func TestPinnedCopiesAreAsynchronous(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	p := cuMemory(t, 4)
	pinned := cuPinned(t, 4)
	registered := make([]byte, 8)
	require.NoError(t, cudrv.MemHostRegister(unsafe.Pointer(&registered[0]), 8, 0))
	from := unsafe.Slice((*byte)(pinned), 4)
	copy(from, []byte{1, 2, 3, 4})
	g := m.Gate(uintptr(s))
	require.NoError(t, cudrv.MemcpyHtoDAsync(p, pinned, 4, s))
	require.NoError(t, cudrv.MemcpyDtoHAsync(unsafe.Pointer(&registered[2]), p, 4, s))
	from[0] = 100 // seen: the memory is read when the stream gets there
	assert.Equal(t, make([]byte, 8), registered)
	g.Open()
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, []byte{0, 0, 100, 2, 3, 4, 0, 0}, registered)
	require.NoError(t, cudrv.MemHostUnregister(unsafe.Pointer(&registered[0])))
	assert.Equal(t, 2, m.CUDALive().Memory)
	assert.Empty(t, m.Misuse())
}

func TestSynchronousCopies(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	p, q := cuMemory(t, 4), cuMemory(t, 4)
	pinned := cuPinned(t, 4)
	host := make([]byte, 4)
	s := cudaStream(t, 0) // the default stream waits for it
	for name, x := range map[string]struct {
		waits bool
		call  func() error
	}{
		"from pageable memory": {true, func() error {
			return cudrv.MemcpyHtoD(p, unsafe.Pointer(&host[0]), 4)
		}},
		"from pinned memory": {true, func() error { return cudrv.MemcpyHtoD(p, pinned, 4) }},
		"to pinned memory":   {true, func() error { return cudrv.MemcpyDtoH(pinned, p, 4) }},
		"within a device":    {false, func() error { return cudrv.MemcpyDtoD(p, q, 4) }},
		"fill":               {false, func() error { return cudrv.MemsetD32(p, 1, 1) }},
		"fill of the host's": {true, func() error {
			return cudrv.MemsetD8(cudrv.Deviceptr(uintptr(pinned)), 1, 4)
		}},
		"free": {true, func() error { return cudrv.MemFree(cuMemory(t, 4)) }},
	} {
		g := m.Gate(uintptr(s))
		assert.Equal(t, x.waits, waits(t, x.waits, g, func() (err error) {
			onThread(func() {
				if err = cudrv.CtxSetCurrent(c); err == nil {
					err = x.call()
				}
			})
			return err
		}), name)
		require.NoError(t, cudrv.CtxSynchronize())
	}
}

func TestWorkFindsFreedMemory(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	pinned := cuPinned(t, 4)
	p := cuMemory(t, 4)
	g := m.Gate(uintptr(s))
	require.NoError(t, cudrv.MemcpyHtoDAsync(p, pinned, 4, s))
	require.NoError(t, cudrv.MemFreeHost(pinned), "which does not wait")
	g.Open()
	assert.ErrorIs(t, cudrv.StreamSynchronize(s), cudrv.ErrIllegalAddress)
	assert.ErrorIs(t, second(cudrv.MemAlloc(4)), cudrv.ErrIllegalAddress, "the context is lost")
	require.Len(t, m.Misuse(), 1)
	assert.Contains(t, reasons(m)[0], "cuMemcpyHtoDAsync_v2")
	assert.Contains(t, reasons(m)[0], "are freed")
	assert.ErrorIs(t, cudrv.MemFree(p), cudrv.ErrIllegalAddress)
	assert.Zero(t, m.CUDALive().Memory, "the memory is freed nevertheless")
}

// Memory that a kernel uses stays as it is until the kernel ends, though it is freed.
func TestFreeDuringUse(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	f := m.cuda
	c, _ := f.here()
	p := uintptr(cuPinned(t, 4))
	l, err := f.leaseRest("kernel", c, p+1)
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 0, 0}, l.bytes)
	require.NoError(t, cudrv.MemFreeHost(pointerTo(p)))
	assert.Contains(t, reasons(m)[0], "freed while work uses them")
	assert.Equal(t, []byte{0, 0, 0}, l.bytes)
	f.endLease(l)
	assert.Equal(t, []byte{poison, poison, poison}, l.bytes)
	_, err = f.resolve(p)
	assert.ErrorContains(t, err, "are freed")
	_, err = f.leaseRest("kernel", c, p)
	assert.ErrorIs(t, err, workError(700))
}

func TestResolve(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	p := cuMemory(t, 10)
	upload(t, p, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	b, err := m.cuda.resolve(uintptr(p) + 7)
	require.NoError(t, err)
	assert.Equal(t, []byte{7, 8, 9}, b)
	_, err = m.cuda.resolve(uintptr(p) + 10)
	assert.ErrorContains(t, err, "no memory")
	assert.Equal(t, illegalAddress, codeOf(err))
}

func TestCapturedCopiesReadAtEachLaunch(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	p := cuMemory(t, 4)
	host, back := []byte{1, 2, 3, 4}, make([]byte, 4)
	s := cuCapture(t, 1, cudrv.StreamCaptureModeGlobal)
	require.NoError(t, cudrv.MemcpyHtoDAsync(p, unsafe.Pointer(&host[0]), 4, s))
	require.NoError(t, cudrv.MemsetD8Async(p, 9, 1, s))
	require.NoError(t, cudrv.MemcpyDtoHAsync(unsafe.Pointer(&back[0]), p, 4, s), "does not wait")
	g, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	x, err := cudrv.GraphInstantiateWithFlags(g, 0)
	require.NoError(t, err)
	for i := range 3 {
		host[3] = byte(40 + i)
		require.NoError(t, cudrv.GraphLaunch(x, s))
		require.NoError(t, cudrv.StreamSynchronize(s))
		assert.Equal(t, []byte{9, 2, 3, byte(40 + i)}, back)
	}
	require.NoError(t, cudrv.MemFree(p))
	require.NoError(t, cudrv.GraphLaunch(x, s))
	assert.ErrorIs(t, cudrv.StreamSynchronize(s), cudrv.ErrIllegalAddress)
	assert.Contains(t, reasons(m)[0], "are freed")
}

func TestMemoryCallsInCaptures(t *testing.T) {
	_, _ = cudaMachine(t, Options{}, newestCUDA)
	p := cuMemory(t, 4)
	unsafeCalls := map[string]func() error{
		"alloc":    func() error { return second(cudrv.MemAlloc(4)) },
		"free":     func() error { return cudrv.MemFree(p) },
		"pinned":   func() error { return second(cudrv.MemHostAlloc(4, 0)) },
		"register": func() error { return cudrv.MemHostRegister(unsafe.Pointer(new(int64)), 8, 0) },
		"copy":     func() error { return cudrv.MemcpyDtoD(p, p+2, 2) },
	}
	for name, call := range unsafeCalls {
		s := cuCapture(t, 1, cudrv.StreamCaptureModeGlobal)
		assert.ErrorIs(t, call(), cudrv.ErrStreamCaptureUnsupported, name)
		assert.ErrorIs(t, second(cudrv.StreamEndCapture(s)), cudrv.ErrStreamCaptureInvalidated, name)
	}
	s := cuCapture(t, 0, cudrv.StreamCaptureModeGlobal)
	assert.ErrorIs(t, cudrv.MemcpyDtoD(p, p+2, 2), cudrv.ErrStreamCaptureImplicit)
	assert.ErrorIs(t, second(cudrv.StreamEndCapture(s)), cudrv.ErrStreamCaptureInvalidated)
}

func TestHIPCopies(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		s := hipStream(t)
		from, to := hipMemory(t, 4), hipMemory(t, 4)
		host, back := []byte{1, 2, 3, 4}, make([]byte, 4)
		require.NoError(t, hip.MemcpyHtoDAsync(hipAddress(from), unsafe.Pointer(&host[0]), 4, s))
		require.NoError(t, hip.MemcpyPeerAsync(to, 0, from, 0, 4, s))
		require.NoError(t, hip.MemsetD16Async(hipAddress(to), 0x0807, 1, s))
		require.NoError(t, hip.MemcpyAsync(unsafe.Pointer(&back[0]), to, 4, hip.MemcpyDefault, s))
		assert.Equal(t, []byte{7, 8, 3, 4}, back)
		require.NoError(t, hip.Memcpy(to, unsafe.Pointer(&host[0]), 4, hip.MemcpyHostToDevice))
		require.NoError(t, hip.MemcpyDtoH(unsafe.Pointer(&back[0]), hipAddress(to), 4))
		assert.Equal(t, host, back)
		clear(back)
		require.NoError(t, hip.Memcpy(unsafe.Pointer(&back[0]), unsafe.Pointer(&host[0]), 4,
			hip.MemcpyHostToHost))
		assert.Equal(t, host, back)
		assert.Empty(t, m.Misuse())
	})
}
