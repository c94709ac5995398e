package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
)

// poolOf describes a pool of a device.
func poolOf(device int32, limit uintptr) *cudrv.MemPoolProps {
	p := &cudrv.MemPoolProps{AllocType: cudrv.MemAllocationTypePinned, MaxSize: limit,
		Location: cudrv.MemLocation{Type: cudrv.MemLocationTypeDevice}}
	*p.Location.Id() = device
	return p
}

func TestMadePool(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	free := func() uintptr {
		n, _, err := cudrv.MemGetInfo()
		require.NoError(t, err)
		return n
	}
	all := free()
	p, err := cudrv.MemPoolCreate(poolOf(0, 100))
	require.NoError(t, err)
	assert.NotEqual(t, cuPool(t), p)
	a, err := cudrv.MemAllocFromPoolAsync(60, p, s)
	require.NoError(t, err)
	assert.ErrorIs(t, second(cudrv.MemAllocFromPoolAsync(60, p, s)), cudrv.ErrOutOfMemory)
	assert.Equal(t, [4]uint64{60, 60, 60, 60}, attributes(t, p))
	assert.Zero(t, attributes(t, cuPool(t)), "the default pool has nothing to do with it")
	require.NoError(t, cudrv.MemPoolDestroy(p))
	assert.ErrorIs(t, cudrv.MemPoolDestroy(p), cudrv.ErrInvalidValue)
	assert.Equal(t, all-60, free(), "what is in use stays")
	require.NoError(t, cudrv.MemFreeAsync(a, s))
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, all, free())
	assert.Equal(t, 0, m.CUDALive().Memory)
}

// A wait gives back what a pool does not use.
func TestMadePoolIsTrimmed(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	p, err := cudrv.MemPoolCreate(poolOf(0, 0))
	require.NoError(t, err)
	a, err := cudrv.MemAllocFromPoolAsync(64, p, s)
	require.NoError(t, err)
	require.NoError(t, cudrv.MemFreeAsync(a, s))
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, [4]uint64{0, 64, 0, 64}, attributes(t, p))
}

func TestMadePoolRefusals(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	for name, c := range map[string]struct {
		change func(*cudrv.MemPoolProps)
		want   error
	}{
		"no type":         {func(p *cudrv.MemPoolProps) { p.AllocType = 0 }, cudrv.ErrInvalidValue},
		"no device":       {func(p *cudrv.MemPoolProps) { *p.Location.Id() = 7 }, cudrv.ErrInvalidValue},
		"on the host":     {func(p *cudrv.MemPoolProps) { p.Location.Type = 2 }, cudrv.ErrNotSupported},
		"other processes": {func(p *cudrv.MemPoolProps) { p.HandleTypes = 1 }, cudrv.ErrNotSupported},
	} {
		p := poolOf(0, 0)
		c.change(p)
		assert.ErrorIs(t, second(cudrv.MemPoolCreate(p)), c.want, name)
	}
	assert.ErrorIs(t, second(cudrv.MemPoolCreate(nil)), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, cudrv.MemPoolDestroy(cuPool(t)), cudrv.ErrInvalidValue, "the default one")
}
