package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func TestPeers(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	f := m.cuda
	p := cuMemory(t, 4)
	upload(t, p, []byte{1, 2, 3, 4})
	other, err := cudrv.DevicePrimaryCtxRetain(1)
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(other))
	s := cudaStream(t, cudrv.StreamNonBlocking)
	q := cuMemory(t, 4)
	require.NoError(t, cudrv.MemcpyPeerAsync(q, other, p, c, 4, s), "needs no access")
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, []byte{1, 2, 3, 4}, download(t, q, 4))

	here, _ := f.here()
	assert.ErrorIs(t, cudrv.CtxEnablePeerAccess(other, 0), cudrv.ErrInvalidContext)
	assert.ErrorIs(t, cudrv.CtxEnablePeerAccess(c, 1), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, cudrv.CtxDisablePeerAccess(c), cudrv.ErrPeerAccessNotEnabled)
	require.NoError(t, cudrv.CtxEnablePeerAccess(c, 0))
	l, err := f.leaseRest("kernel", here, uintptr(p))
	require.NoError(t, err)
	f.endLease(l)
	assert.ErrorIs(t, cudrv.CtxEnablePeerAccess(c, 0), cudrv.ErrPeerAccessAlreadyEnabled)
	require.NoError(t, cudrv.CtxDisablePeerAccess(c))
	assert.Empty(t, m.Misuse())
	_, err = f.leaseRest("kernel", here, uintptr(p))
	assert.Equal(t, illegalAddress, codeOf(err))
	assert.Contains(t, reasons(m)[0], "no access")
}

func TestPoolAccess(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	f := m.cuda
	pool, p := cuPool(t), uintptr(cuAsync(t, 4, 0))
	there := cudrv.MemAccessDesc{Flags: cudrv.MemAccessFlagsProtReadwrite,
		Location: cudrv.MemLocation{Type: cudrv.MemLocationTypeDevice}}
	*there.Location.Id() = 1
	require.NoError(t, cudrv.MemPoolSetAccess(pool, &there, 1))
	second := f.activate(f.devices[1])
	l, err := f.leaseRest("kernel", second, p)
	require.NoError(t, err)
	f.endLease(l)
	here := there
	*here.Location.Id(), here.Flags = 0, cudrv.MemAccessFlagsProtNone
	assert.ErrorIs(t, cudrv.MemPoolSetAccess(pool, &here, 1), cudrv.ErrInvalidValue, "its own device")
	there.Flags = cudrv.MemAccessFlagsProtNone
	require.NoError(t, cudrv.MemPoolSetAccess(pool, &there, 1))
	_, err = f.leaseRest("kernel", second, p)
	assert.Error(t, err)
}

func TestNoPeers(t *testing.T) {
	m, c := cudaMachine(t, Options{NoPeers: true}, newestCUDA)
	can, err := cudrv.DeviceCanAccessPeer(0, 1)
	require.NoError(t, err)
	assert.Zero(t, can)
	other, err := cudrv.DevicePrimaryCtxRetain(1)
	require.NoError(t, err)
	p := cuMemory(t, 4)
	require.NoError(t, cudrv.CtxSetCurrent(other))
	assert.ErrorIs(t, cudrv.CtxEnablePeerAccess(c, 0), cudrv.ErrPeerAccessUnsupported)
	require.NoError(t, cudrv.MemcpyPeer(cuMemory(t, 4), other, p, c, 4), "through the host")
	assert.Empty(t, m.Misuse())
}

func TestHIPPeers(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		assert.ErrorIs(t, hip.DeviceEnablePeerAccess(0, 0), hip.ErrInvalidDevice, "itself")
		assert.ErrorIs(t, hip.DeviceDisablePeerAccess(1), hip.ErrPeerAccessNotEnabled)
		require.NoError(t, hip.DeviceEnablePeerAccess(1, 0))
		assert.ErrorIs(t, hip.DeviceEnablePeerAccess(1, 0), hip.ErrPeerAccessAlreadyEnabled)
		require.NoError(t, hip.DeviceDisablePeerAccess(1))
	})
	m := hipMachine(t, Options{NoPeers: true}, "7.2")
	assert.ErrorIs(t, hip.DeviceEnablePeerAccess(1, 0), hip.ErrInvalidDevice)
	assert.Empty(t, m.Misuse())
}
