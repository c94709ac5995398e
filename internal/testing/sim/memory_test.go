package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func cuMemory(t *testing.T, size uintptr) cudrv.Deviceptr {
	t.Helper()
	p, err := cudrv.MemAlloc(size)
	require.NoError(t, err)
	return p
}

// upload and download copy all of a slice, and wait.
func upload(t *testing.T, to cudrv.Deviceptr, b []byte) {
	t.Helper()
	require.NoError(t, cudrv.MemcpyHtoD(to, unsafe.Pointer(&b[0]), uintptr(len(b))))
	require.NoError(t, cudrv.CtxSynchronize())
}

func download(t *testing.T, from cudrv.Deviceptr, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	require.NoError(t, cudrv.MemcpyDtoH(unsafe.Pointer(&b[0]), from, uintptr(n)))
	return b
}

// reasons returns what is noted as misuse.
func reasons(m *Machine) []string {
	var texts []string
	for _, c := range m.Misuse() {
		texts = append(texts, c.String())
	}
	return texts
}

func TestBlocksAreFound(t *testing.T) {
	var b blocks
	add := func(at, size uintptr) *block {
		n := &block{at: at, size: size}
		b.insert(n)
		return n
	}
	second, first, third := add(200, 50), add(100, 100), add(300, 1)
	assert.Equal(t, blocks{first, second, third}, b)
	for address, want := range map[uintptr]*block{
		99: nil, 100: first, 199: first, 200: second, 249: second, 250: nil, 300: third, 301: nil} {
		assert.Same(t, want, b.of(address), address)
	}
	assert.True(t, first.holds(150, 50))
	assert.False(t, first.holds(150, 51))
	assert.False(t, first.holds(150, ^uintptr(0)))
	assert.Nil(t, b.overlap(250, 50))
	assert.Same(t, second, b.overlap(240, 60))
	assert.Same(t, third, b.overlap(250, 51))
	b.remove(second)
	assert.Nil(t, b.of(200))
	assert.Equal(t, blocks{first, third}, b)
}

func TestDeviceAddresses(t *testing.T) {
	end := uintptr(0)
	for _, size := range []uintptr{1, 512, 1 << 30, 3} {
		at := deviceAddress(size)
		assert.True(t, isDeviceAddress(at) && isDeviceAddress(at+size))
		assert.Zero(t, at%256)
		assert.Greater(t, at, end)
		end = at + size
	}
	var v int
	assert.False(t, isDeviceAddress(uintptr(unsafe.Pointer(&v))))
	m, c := cudaMachine(t, Options{}, newestCUDA)
	assert.False(t, isDeviceAddress(uintptr(c)), "nor is a handle")
	assert.Nil(t, m.cuda.handles.find(end))
}

func TestMemoryIsLazy(t *testing.T) {
	m, _ := cudaMachine(t, Options{Memory: 1 << 42}, newestCUDA)
	p := cuMemory(t, 1<<41)
	free, total, err := cudrv.MemGetInfo()
	require.NoError(t, err)
	assert.EqualValues(t, uint64(1)<<41, free)
	assert.EqualValues(t, uint64(1)<<42, total)
	start, size, err := cudrv.MemGetAddressRange(p + 5)
	require.NoError(t, err)
	assert.Equal(t, p, start)
	assert.EqualValues(t, uint64(1)<<41, size)
	assert.ErrorIs(t, second(cudrv.MemAlloc(1<<41+1)), cudrv.ErrOutOfMemory)
	require.NoError(t, cudrv.MemFree(p))
	cuMemory(t, 1<<42) // is there again
	assert.Empty(t, m.Misuse())
}

func TestMemoryHasNoUsefulContents(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	p := cuMemory(t, 16)
	for _, b := range download(t, p, 16) {
		assert.EqualValues(t, fresh, b)
	}
	pinned := cuPinned(t, 16)
	b := unsafe.Slice((*byte)(pinned), 16)
	b[3] = 7
	require.NoError(t, cudrv.MemFreeHost(pinned))
	assert.EqualValues(t, poison, b[3])
	for range 100 {
		assert.NotEqual(t, pinned, cuPinned(t, 16), "nor is the address used at once")
	}
	assert.Empty(t, m.Misuse())
}

// TestMemoryMistakes makes them in calls.
func TestMemoryMistakes(t *testing.T) {
	cuda := func(what string, want cudrv.Result, do func(p cudrv.Deviceptr) error, note string) {
		t.Run("cuda/"+what, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{}, newestCUDA)
			p := cuMemory(t, 16)
			assert.ErrorIs(t, do(p), want)
			if note == "" {
				assert.Empty(t, m.Misuse())
			} else {
				require.Len(t, m.Misuse(), 1)
				assert.Contains(t, reasons(m)[0], note)
			}
			assert.Empty(t, m.Crashes())
		})
	}
	host := make([]byte, 32)
	at := unsafe.Pointer(&host[0])
	bad := cudrv.ErrInvalidValue
	cuda("nothing is allocated", bad, func(cudrv.Deviceptr) error {
		return second(cudrv.MemAlloc(0))
	}, "")
	cuda("too much", cudrv.ErrOutOfMemory, func(cudrv.Deviceptr) error {
		return second(cudrv.MemAlloc(1 << 40))
	}, "")
	cuda("double free", bad, func(p cudrv.Deviceptr) error {
		_ = cudrv.MemFree(p)
		return cudrv.MemFree(p)
	}, "are freed")
	cuda("free inside", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemFree(p + 8)
	}, "is inside")
	cuda("free of nothing", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemFree(77)
	}, "no memory")
	cuda("host's free", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemFreeHost(pointerTo(uintptr(p)))
	}, "a function for other memory")
	cuda("copy after free", bad, func(p cudrv.Deviceptr) error {
		_ = cudrv.MemFree(p)
		return cudrv.MemcpyHtoDAsync(p, at, 16, 0)
	}, "are freed")
	cuda("copy beyond the end", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemcpyHtoDAsync(p+8, at, 9, 0)
	}, "beyond the end")
	cuda("copy from beyond the end", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemcpyDtoHAsync(at, p, 17, 0)
	}, "beyond the end")
	cuda("copy to a host's address", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemcpyDtoDAsync(cudrv.Deviceptr(uintptr(at)), p, 8, 0)
	}, "no memory")
	cuda("copy from null", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemcpyHtoDAsync(p, nil, 8, 0)
	}, "")
	cuda("copy of nothing", cudrv.Success, func(p cudrv.Deviceptr) error {
		return nothing(cudrv.MemcpyHtoDAsync(p, nil, 0, 0))
	}, "")
	cuda("fill beyond the end", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemsetD32Async(p, 1, 5, 0)
	}, "beyond the end")
	cuda("fill more than there is", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemsetD32Async(p, 1, 1<<62, 0)
	}, "")
	cuda("freed twice in order", bad, func(p cudrv.Deviceptr) error {
		q, err := cudrv.MemAllocAsync(8, 0)
		require.NoError(t, err)
		require.NoError(t, cudrv.MemFreeAsync(q, 0))
		return cudrv.MemFreeAsync(q, 0)
	}, "are freed")
	cuda("free in order of other memory", bad, func(p cudrv.Deviceptr) error {
		return cudrv.MemFreeAsync(p, 0)
	}, "other memory")
	cuda("registered twice", cudrv.ErrHostMemoryAlreadyRegistered, func(cudrv.Deviceptr) error {
		require.NoError(t, cudrv.MemHostRegister(at, 16, 0))
		return cudrv.MemHostRegister(unsafe.Add(at, 8), 16, 0)
	}, "")
	cuda("not registered", cudrv.ErrHostMemoryNotRegistered, func(cudrv.Deviceptr) error {
		return cudrv.MemHostUnregister(at)
	}, "no memory")
	cuda("bad context of a peer", cudrv.ErrInvalidContext, func(p cudrv.Deviceptr) error {
		return cudrv.MemcpyPeer(p, 8, p+8, 8, 4)
	}, "")
	cuda("no pool", bad, func(cudrv.Deviceptr) error {
		return cudrv.MemPoolTrimTo(5, 0)
	}, "memory pool")
}

// nothing turns no error into the code that says so, for comparisons.
func nothing(err error) error {
	if err == nil {
		return cudrv.Success
	}
	return err
}

func TestHIPMemoryMistakes(t *testing.T) {
	host := make([]byte, 32)
	at := unsafe.Pointer(&host[0])
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		d := hipMemory(t, 16)
		null, err := hip.Malloc(0)
		require.NoError(t, err)
		assert.Nil(t, null)
		assert.ErrorIs(t, hip.MemcpyHtoDAsync(hipAddress(at), at, 8, 0), hip.ErrInvalidValue,
			"both are the host's, and the kind says otherwise")
		assert.ErrorIs(t, hip.MemcpyAsync(d, at, 8, 99, 0), hip.ErrInvalidMemcpyDirection)
		assert.ErrorIs(t, hip.MemsetD8Async(hipAddress(at), 1, 8, 0), hip.ErrInvalidValue)
		assert.ErrorIs(t, hip.MemcpyDtoHAsync(at, hipAddress(d), 17, 0), hip.ErrInvalidValue)
		assert.NoError(t, hip.MemsetD32Async(hipAddress(unsafe.Add(d, 2)), 1, 1, 0), "not aligned")
		require.NoError(t, hip.DeviceSynchronize())
		require.NoError(t, hip.Free(d))
		assert.ErrorIs(t, hip.Free(d), hip.ErrInvalidValue)
		assert.ErrorIs(t, hip.MemcpyHtoD(hipAddress(d), at, 8), hip.ErrInvalidValue)
		pinned := hipPinned(t, 8)
		assert.NoError(t, hip.Free(pinned), "one function frees both")
		assert.ErrorIs(t, hip.HostUnregister(at), hip.ErrHostMemoryNotRegistered)
		assert.Equal(t, Handles{Contexts: 2}, m.HIPLive())
		assert.Empty(t, m.Crashes())
	})
}

func TestPointerAttributes(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	p, pinned := cuMemory(t, 16), cuPinned(t, 8)
	get := func(at cudrv.Deviceptr, a cudrv.PointerAttribute) (n uint64) {
		require.NoError(t, cudrv.PointerGetAttribute(unsafe.Pointer(&n), a, at))
		return n
	}
	host := cudrv.Deviceptr(uintptr(pinned))
	assert.EqualValues(t, 2, get(p+3, cudrv.PointerAttributeMemoryType))
	assert.EqualValues(t, 1, get(host, cudrv.PointerAttributeMemoryType))
	assert.EqualValues(t, c, get(p, cudrv.PointerAttributeContext))
	assert.EqualValues(t, p, get(p+3, cudrv.PointerAttributeRangeStartAddr))
	assert.EqualValues(t, 16, get(p+3, cudrv.PointerAttributeRangeSize))
	assert.EqualValues(t, host+2, get(host+2, cudrv.PointerAttributeHostPointer))
	var n uint64
	at := unsafe.Pointer(&n)
	assert.ErrorIs(t, cudrv.PointerGetAttribute(at, cudrv.PointerAttributeHostPointer, p),
		cudrv.ErrInvalidValue)
	assert.ErrorIs(t, cudrv.PointerGetAttribute(at, cudrv.PointerAttributeMemoryType, 64),
		cudrv.ErrInvalidValue)
	n = 5
	which := cudrv.PointerAttributeMemoryType
	require.NoError(t, cudrv.PointerGetAttributes(1, &which, &at, 64), "0 for what is unknown")
	assert.Zero(t, n)
	assert.Empty(t, m.Misuse())
}

func TestHIPPointerAttributes(t *testing.T) {
	hipMachine(t, Options{}, "7.2")
	require.NoError(t, hip.SetDevice(1))
	p, pinned := hipMemory(t, 16), hipPinned(t, 8)
	a, err := hip.PointerGetAttributes(unsafe.Add(p, 4))
	require.NoError(t, err)
	assert.Equal(t, hip.PointerAttributes{Type: hip.MemoryTypeDevice, Device: 1,
		DevicePointer: unsafe.Add(p, 4)}, a)
	a, err = hip.PointerGetAttributes(pinned)
	require.NoError(t, err)
	assert.Equal(t, hip.MemoryTypeHost, a.Type)
	assert.Equal(t, pinned, a.HostPointer)
	a, err = hip.PointerGetAttributes(unsafe.Pointer(new(int)))
	require.NoError(t, err)
	assert.Equal(t, hip.PointerAttributes{}, a, "not registered")
}

// TestMemoryTellsTheMachine uses memory where nothing is current.
func TestMemoryTellsTheMachine(t *testing.T) {
	a, b := NewMachine(Options{}), NewMachine(Options{})
	_, first := sharedBy(t, false, newestCUDA, a, b)
	inContext(t, first[1])
	s := cudaStream(t, cudrv.StreamNonBlocking)
	p := cuMemory(t, 4)
	require.NoError(t, cudrv.CtxSetCurrent(0))
	start, _, err := cudrv.MemGetAddressRange(p + 1)
	require.NoError(t, err)
	assert.Equal(t, p, start)
	require.NoError(t, cudrv.MemsetD8Async(p, 1, 4, s))
	require.NoError(t, cudrv.StreamSynchronize(s))
	require.NoError(t, cudrv.MemFree(p))
	assert.Zero(t, a.CUDACreated().Memory)
	assert.Zero(t, b.CUDALive().Memory)
}

func TestMemoryEndsWithItsContext(t *testing.T) {
	m, _ := cudaMachine(t, Options{Memory: 16}, newestCUDA)
	c, err := cudrv.CtxCreate(0, 0)
	require.NoError(t, err)
	p := cuMemory(t, 8)
	cuPinned(t, 8)
	cuAsync(t, 8, 0)
	assert.Equal(t, 3, m.CUDALive().Memory)
	require.NoError(t, cudrv.CtxDestroy(c))
	assert.Zero(t, m.CUDALive().Memory)
	assert.ErrorIs(t, cudrv.MemFree(p), cudrv.ErrInvalidValue)
}

func BenchmarkFindMemory(b *testing.B) {
	m := NewMachine(Options{})
	f := m.cuda
	d := f.devices[0]
	var at []uintptr
	for range 10_000 {
		x := &block{at: deviceAddress(64), size: 64, device: d, reached: true}
		f.memory.live.insert(x)
		at = append(at, x.at)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := f.resolve(at[i*7919%len(at)]); err != nil {
			b.Fatal(err)
		}
	}
}
