package sim

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// sharedBy installs a driver with machines of two devices each, and returns the number of the first
// device of each.
func sharedBy(t *testing.T, amd bool, profile string, machines ...*Machine) (*Shared, []int32) {
	t.Helper()
	s := NewShared(amd, profile)
	t.Cleanup(s.Install())
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	var first []int32
	for _, m := range machines {
		first = append(first, int32(s.Add(m)))
	}
	return s, first
}

// inContext makes the primary context of a device current on the calling thread.
func inContext(t *testing.T, device int32) cudrv.Context {
	t.Helper()
	c, err := cudrv.DevicePrimaryCtxRetain(cudrv.Device(device))
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(c))
	return c
}

func TestSharedCUDA(t *testing.T) {
	a, b := NewMachine(Options{Log: true}), NewMachine(Options{Memory: 64})
	s, first := sharedBy(t, false, newestCUDA, a, b)
	assert.ErrorIs(t, cudrv.Init(0), cudrv.ErrNoDevice)
	assert.ErrorIs(t, second(cudrv.DeviceGetName(0)), cudrv.ErrInvalidDevice)
	assert.Equal(t, []int32{1024, 1026}, first)
	for _, d := range []int32{1024, 1025, 1026, 1027} {
		_, err := cudrv.DeviceGetName(cudrv.Device(d))
		assert.NoError(t, err)
	}
	inContext(t, first[0])
	ours := cudaEvent(t, 0)
	theirContext := inContext(t, first[1]+1)
	theirs := cudaEvent(t, 0)
	require.NoError(t, cudrv.EventQuery(ours), "the event tells the machine, whatever is current")
	assert.Equal(t, 1, a.CUDALive().Events)
	assert.Equal(t, 1, b.CUDALive().Events)
	assert.Equal(t, 1, b.DeviceOf(uintptr(theirs))-int(first[1]))

	p, err := cudrv.MemAlloc(40)
	require.NoError(t, err)
	assert.ErrorIs(t, second(cudrv.MemAlloc(40)), cudrv.ErrOutOfMemory)
	assert.Equal(t, 1, b.CUDALiveOn(1).Memory)
	require.NoError(t, cudrv.CtxSetCurrent(0))
	require.NoError(t, cudrv.MemFree(p), "memory tells the machine")

	b.FaultAt("cuEventQuery", 1, 999)
	assert.NoError(t, cudrv.EventQuery(ours))
	assert.ErrorIs(t, cudrv.EventQuery(theirs), cudrv.ErrUnknown)
	assert.Equal(t, Call{"cuEventQuery", 0, 0, threadID()}, a.Log()[len(a.Log())-1])

	require.NoError(t, cudrv.CtxSetCurrent(theirContext))
	s.Remove(b)
	assert.ErrorIs(t, cudrv.EventQuery(theirs), cudrv.ErrDeinitialized)
	current, err := cudrv.CtxGetCurrent()
	require.NoError(t, err)
	assert.Zero(t, current, "the thread forgets it")
	assert.NoError(t, cudrv.EventDestroy(ours))
	assert.EqualValues(t, 1028, s.Add(NewMachine(Options{})), "numbers are not used again")
}

func TestSharedHIP(t *testing.T) {
	a, b := NewMachine(Options{}), NewMachine(Options{})
	s, first := sharedBy(t, true, "7.2", a, b)
	assert.ErrorIs(t, second(hip.GetDeviceCount()), hip.ErrNoDevice)
	assert.ErrorIs(t, second(hip.EventCreate()), hip.ErrNoDevice)
	device, err := hip.GetDevice()
	require.NoError(t, err)
	assert.Zero(t, device, "of a thread that chose none")
	require.NoError(t, hip.SetDevice(first[1]))
	e := hipEvent(t, 0)
	require.NoError(t, hip.SetDevice(0), "as before")
	assert.Equal(t, 1, b.HIPLiveOn(0).Events)
	assert.Zero(t, a.HIPLive().Events)
	assert.NoError(t, hip.EventQuery(e))
	assert.ErrorIs(t, hip.SetDevice(5), hip.ErrInvalidDevice)

	require.NoError(t, hip.SetDevice(first[1]))
	s.Remove(b)
	assert.ErrorIs(t, hip.EventQuery(e), hip.ErrDeinitialized)
	device, err = hip.GetDevice()
	require.NoError(t, err)
	assert.Zero(t, device)
	require.NoError(t, hip.SetDevice(first[1]+1), "a thread may go back to what is gone")
	require.NoError(t, hip.SetDevice(first[0]))
	require.NoError(t, hip.DeviceSynchronize())
	require.NoError(t, hip.SetDevice(0))
}

func TestFaultBreaksOneContext(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	e := cudaEvent(t, 0)
	other := inContext(t, 1)
	m.Fault(Fault{Call: "cuEventRecord", Code: 700, Breaks: true})
	assert.ErrorIs(t, cudrv.EventRecord(e, 0), cudrv.ErrIllegalAddress)
	assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrIllegalAddress)
	assert.NoError(t, cudrv.CtxSynchronize())
	m.LoseCUDA(1, 999)
	assert.ErrorIs(t, cudrv.CtxSynchronize(), cudrv.ErrUnknown)
	require.NoError(t, cudrv.DevicePrimaryCtxReset(1))
	assert.NotEqual(t, other, inContext(t, 1))
	assert.ErrorIs(t, cudrv.CtxSynchronize(), cudrv.ErrUnknown, "a reset does not bring it back")
}

func TestLogKeepsTheLatest(t *testing.T) {
	m := hipMachine(t, Options{Log: true, LogLimit: 3}, "7.2")
	for range 10 {
		_, _ = hip.GetDevice()
	}
	require.NoError(t, hip.DeviceSynchronize())
	log := m.Log()
	require.Len(t, log, 3)
	assert.Equal(t, "hipDeviceSynchronize", log[2].Name)
}
