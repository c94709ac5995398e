package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
)

// cuManaged allocates managed memory.
func cuManaged(t *testing.T, size uintptr) cudrv.Deviceptr {
	t.Helper()
	p, err := cudrv.MemAllocManaged(size, cudrv.MemAttachGlobal)
	require.NoError(t, err)
	return p
}

func TestManagedMemory(t *testing.T) {
	for _, profile := range CUDAProfiles() {
		t.Run(profile, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{Memory: 64}, profile)
			for _, flags := range []cudrv.MemAttachFlags{0, cudrv.MemAttachSingle, 3} {
				assert.ErrorIs(t, second(cudrv.MemAllocManaged(8, flags)), cudrv.ErrInvalidValue)
			}
			assert.ErrorIs(t, second(cudrv.MemAllocManaged(0, 1)), cudrv.ErrInvalidValue)
			assert.ErrorIs(t, second(cudrv.MemAllocManaged(65, 1)), cudrv.ErrOutOfMemory)
			p := cuManaged(t, 64)
			assert.ErrorIs(t, second(cudrv.MemAlloc(1)), cudrv.ErrOutOfMemory)
			assert.Equal(t, 1, m.CUDALive().Memory)

			// The host reads at the device's address what the device has written.
			require.NoError(t, cudrv.MemsetD8(p, 7, 64))
			host := unsafe.Slice((*byte)(pointerTo(uintptr(p))), 64)
			assert.EqualValues(t, 7, host[63])
			host[0] = 9
			assert.Equal(t, []byte{9, 7}, download(t, p, 2))

			for a, want := range map[cudrv.PointerAttribute]uint64{
				cudrv.PointerAttributeIsManaged:     1,
				cudrv.PointerAttributeMemoryType:    uint64(cudrv.MemorytypeDevice),
				cudrv.PointerAttributeHostPointer:   uint64(p),
				cudrv.PointerAttributeDevicePointer: uint64(p),
			} {
				var n uint64
				require.NoError(t, cudrv.PointerGetAttribute(unsafe.Pointer(&n), a, p))
				assert.Equal(t, want, n, a)
			}
			assert.ErrorIs(t, cudrv.MemFreeHost(pointerTo(uintptr(p))), cudrv.ErrInvalidValue)
			assert.Len(t, m.Misuse(), 1, "another function frees it")
			require.NoError(t, cudrv.MemFree(p))
			assert.ErrorIs(t, cudrv.MemFree(p), cudrv.ErrInvalidValue)
			assert.Equal(t, 0, m.CUDALive().Memory)
			cuMemory(t, 64)
		})
	}
}

// rangeAttribute returns an attribute of managed memory, as numbers.
func rangeAttribute(t *testing.T, p cudrv.Deviceptr, a cudrv.MemRangeAttribute,
	n int) []int32 {
	t.Helper()
	values := make([]int32, n)
	require.NoError(t, cudrv.MemRangeGetAttribute(unsafe.Pointer(&values[0]), uintptr(4*n), a, p, 8))
	return values
}

func locationOf(kind cudrv.MemLocationType, id int32) cudrv.MemLocation {
	l := cudrv.MemLocation{Type: kind}
	*l.Id() = id
	return l
}

func TestManagedMemoryIsAdvised(t *testing.T) {
	m, _ := cudaMachine(t, Options{Devices: 2}, newestCUDA)
	p, plain, s := cuManaged(t, 8), cuMemory(t, 8), cudaStream(t, 1)
	get := func(a cudrv.MemRangeAttribute) int32 { return rangeAttribute(t, p, a, 1)[0] }
	assert.EqualValues(t, deviceOfNone, get(cudrv.MemRangeAttributePreferredLocation))
	assert.EqualValues(t, deviceOfNone, get(cudrv.MemRangeAttributeLastPrefetchLocation))
	assert.Zero(t, get(cudrv.MemRangeAttributeReadMostly))

	second := locationOf(cudrv.MemLocationTypeDevice, 1)
	host := locationOf(cudrv.MemLocationTypeHost, 0)
	require.NoError(t, cudrv.MemAdviseV2(p, 8, cudrv.MemAdviseSetReadMostly, second))
	assert.EqualValues(t, 1, get(cudrv.MemRangeAttributeReadMostly))
	require.NoError(t, cudrv.MemAdviseV2(p, 8, cudrv.MemAdviseSetPreferredLocation, second))
	assert.EqualValues(t, 1, get(cudrv.MemRangeAttributePreferredLocation))
	require.NoError(t, cudrv.MemAdviseV2(p, 8, cudrv.MemAdviseSetPreferredLocation, host))
	assert.EqualValues(t, deviceOfHost, get(cudrv.MemRangeAttributePreferredLocation))
	assert.EqualValues(t, cudrv.MemLocationTypeHost,
		get(cudrv.MemRangeAttributePreferredLocationType))
	require.NoError(t, cudrv.MemAdviseV2(p, 8, cudrv.MemAdviseUnsetPreferredLocation, host))
	assert.EqualValues(t, deviceOfNone, get(cudrv.MemRangeAttributePreferredLocation))
	for range 2 {
		require.NoError(t, cudrv.MemAdviseV2(p, 8, cudrv.MemAdviseSetAccessedBy, second))
	}
	require.NoError(t, cudrv.MemAdviseV2(p, 8, cudrv.MemAdviseSetAccessedBy, host))
	assert.Equal(t, []int32{1, deviceOfHost, deviceOfNone},
		rangeAttribute(t, p, cudrv.MemRangeAttributeAccessedBy, 3))

	require.NoError(t, cudrv.MemPrefetchAsyncV2(p, 8, second, 0, s))
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.EqualValues(t, 1, get(cudrv.MemRangeAttributeLastPrefetchLocation))
	addresses, sizes := []cudrv.Deviceptr{p, p + 4}, []uintptr{4, 4}
	to, first := []cudrv.MemLocation{host, second}, []uintptr{0, 1}
	for range 2 {
		require.NoError(t, cudrv.MemPrefetchBatchAsync(&addresses[0], &sizes[0], 2, &to[0], &first[0],
			2, 0, s))
		require.NoError(t, cudrv.StreamSynchronize(s))
		assert.Equal(t, *to[1].Id() == 1, get(cudrv.MemRangeAttributeLastPrefetchLocation) == 1)
		to[0], to[1] = to[1], to[0]
	}
	require.NoError(t, cudrv.MemDiscardBatchAsync(&addresses[0], &sizes[0], 2, 0, s))

	nowhere := locationOf(cudrv.MemLocationTypeDevice, 2)
	for name, err := range map[string]error{
		"no managed memory": cudrv.MemPrefetchAsyncV2(plain, 8, host, 0, s),
		"advised likewise":  cudrv.MemAdviseV2(plain, 8, cudrv.MemAdviseSetReadMostly, host),
		"too long":          cudrv.MemPrefetchAsyncV2(p, 9, host, 0, s),
		"flags":             cudrv.MemPrefetchAsyncV2(p, 8, host, 1, s),
		"no advice":         cudrv.MemAdviseV2(p, 8, 99, host),
		"first is not 0": cudrv.MemPrefetchBatchAsync(&addresses[0], &sizes[0], 2, &to[0], &first[1],
			1, 0, s),
	} {
		assert.ErrorIs(t, err, cudrv.ErrInvalidValue, name)
	}
	assert.ErrorIs(t, cudrv.MemPrefetchAsyncV2(p, 8, nowhere, 0, s), cudrv.ErrInvalidDevice)
	require.NoError(t, cudrv.MemFree(p))
	assert.Empty(t, m.Misuse())
}

// A graph that was built can allocate managed memory.
func TestManagedMemoryOfGraph(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	g := newGraph(t)
	p := cudrv.MemAllocNodeParams{Bytesize: 8, PoolProps: cudrv.MemPoolProps{
		AllocType: cudrv.MemAllocationTypeManaged,
		Location:  locationOf(cudrv.MemLocationTypeDevice, 0)}}
	alloc, err := cudrv.GraphAddMemAllocNode(g, nil, 0, &p)
	require.NoError(t, err)
	got, err := cudrv.GraphMemAllocNodeGetParams(alloc)
	require.NoError(t, err)
	assert.Equal(t, cudrv.MemAllocationTypeManaged, got.PoolProps.AllocType)
	_, err = cudrv.GraphAddMemsetNode(g, &alloc, 1, &cudrv.MemsetNodeParams{Dst: p.Dptr, Value: 7,
		ElementSize: 1, Width: 8, Height: 1}, 0)
	require.NoError(t, err)
	run(t, instantiate(t, g))
	assert.EqualValues(t, 7, *(*byte)(pointerTo(uintptr(p.Dptr) + 7)))
	require.NoError(t, cudrv.MemFree(p.Dptr))
	assert.Empty(t, m.Misuse())
}

// A program makes a pool of managed memory, or takes a device's.
func TestManagedPools(t *testing.T) {
	m, _ := cudaMachine(t, Options{Memory: 64}, newestCUDA)
	s := cudaStream(t, 1)
	device, none := locationOf(cudrv.MemLocationTypeDevice, 0), cudrv.MemLocation{}
	own, err := cudrv.MemGetMemPool(&device, cudrv.MemAllocationTypeManaged)
	require.NoError(t, err)
	assert.NotEqual(t, cuPool(t), own)
	pinned, err := cudrv.MemGetDefaultMemPool(&device, cudrv.MemAllocationTypePinned)
	require.NoError(t, err)
	assert.Equal(t, cuPool(t), pinned)
	assert.ErrorIs(t, cudrv.MemPoolDestroy(own), cudrv.ErrInvalidValue, "the device's")
	made, err := cudrv.MemPoolCreate(&cudrv.MemPoolProps{AllocType: cudrv.MemAllocationTypeManaged,
		Location: none})
	require.NoError(t, err)
	for _, pool := range []cudrv.MemoryPool{own, made} {
		p, err := cudrv.MemAllocFromPoolAsync(8, pool, s)
		require.NoError(t, err)
		require.NoError(t, cudrv.MemsetD8Async(p, 5, 8, s))
		require.NoError(t, cudrv.StreamSynchronize(s))
		assert.EqualValues(t, 5, *(*byte)(pointerTo(uintptr(p) + 7)))
		assert.EqualValues(t, deviceOfNone,
			rangeAttribute(t, p, cudrv.MemRangeAttributePreferredLocation, 1)[0])
		require.NoError(t, cudrv.MemFreeAsync(p, s))
		require.NoError(t, cudrv.StreamSynchronize(s))
	}
	require.NoError(t, cudrv.MemPoolDestroy(made))
	cuMemory(t, 64)
	assert.Empty(t, m.Misuse())
}
