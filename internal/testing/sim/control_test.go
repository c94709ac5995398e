package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
)

func TestDelay(t *testing.T) {
	clock := clock.NewManual()
	m := hipMachine(t, Options{Clock: clock}, "7.2")
	s, a, b := hipStream(t), hipEvent(t, 0), hipEvent(t, 0)
	require.NoError(t, hip.EventRecord(a, s))
	m.Delay(uintptr(s), 3*time.Millisecond)
	require.NoError(t, hip.EventRecord(b, s))
	clock.Advance(2 * time.Millisecond)
	assert.Equal(t, hip.ErrNotReady, hip.EventQuery(b))
	clock.Advance(2 * time.Millisecond)
	ms, err := hip.EventElapsedTime(a, b)
	require.NoError(t, err)
	assert.Equal(t, float32(3), ms)
}

func TestHIPDefaultGate(t *testing.T) {
	m := hipMachine(t, Options{}, "7.2")
	g, other := m.HIPDefaultGate(0), m.HIPDefaultGate(1)
	assert.Equal(t, hip.ErrNotReady, hip.StreamQuery(0))
	g.Open()
	assert.NoError(t, hip.StreamQuery(0))
	require.NoError(t, hip.SetDevice(1))
	assert.Equal(t, 1, m.HIPCurrent())
	assert.Equal(t, hip.ErrNotReady, hip.StreamQuery(0))
	other.Open()
	assert.NoError(t, hip.DeviceSynchronize())
}

func TestFailHIP(t *testing.T) {
	m := hipMachine(t, Options{}, "6.4")
	e := hipEvent(t, 0)
	m.FailHIP(0, 719)
	assert.ErrorIs(t, hip.EventRecord(e, 0), hip.ErrLaunchFailure)
	assert.ErrorIs(t, hip.EventDestroy(e), hip.ErrLaunchFailure)
	assert.Equal(t, Handles{Contexts: 2, Events: 1}, m.HIPCreated())
	assert.Equal(t, Handles{Contexts: 2}, m.HIPLive())
	assert.EqualError(t, workError(719), "simulated failure 719")
}

func TestOwners(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	e, s := cudaEvent(t, 0), cudaStream(t, 0)
	for _, h := range []uintptr{uintptr(e), uintptr(s), uintptr(c)} {
		assert.EqualValues(t, c, m.ContextOf(h))
		assert.Zero(t, m.DeviceOf(h))
	}
	assert.Zero(t, m.ContextOf(0))
	assert.Equal(t, -1, m.DeviceOf(0))
	assert.Zero(t, m.EventFlags(uintptr(s)))
	assert.Panics(t, func() { m.Gate(uintptr(e)) })
	assert.Panics(t, func() { m.CUDADefaultGate(1) }, "not retained")
}

func TestPeersAndPointers(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	for peer, want := range map[cudrv.Device]int32{0: 0, 1: 1} {
		can, err := cudrv.DeviceCanAccessPeer(0, peer)
		require.NoError(t, err)
		assert.Equal(t, want, can)
	}
	assert.ErrorIs(t, second(cudrv.DeviceCanAccessPeer(0, 2)), cudrv.ErrInvalidDevice)
	p, err := cudrv.MemHostAlloc(8, 0)
	require.NoError(t, err)
	d, err := cudrv.MemHostGetDevicePointer(p, 0)
	require.NoError(t, err)
	assert.EqualValues(t, uintptr(p), d)
	require.NoError(t, cudrv.MemFreeHost(p))
	assert.ErrorIs(t, second(cudrv.MemHostGetDevicePointer(p, 0)), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, second(cudrv.MemHostAlloc(0, 0)), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, second(cudrv.MemAlloc(17<<30)), cudrv.ErrOutOfMemory)
}

func TestCrashText(t *testing.T) {
	assert.Equal(t, "hipEventQuery(0x10): event is destroyed or none",
		Crash{"hipEventQuery", 16, "event is destroyed or none"}.String())
	assert.Equal(t, "cuEventQuery: null event",
		Crash{Call: "cuEventQuery", Reason: "null event"}.String())
}
