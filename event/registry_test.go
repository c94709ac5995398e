package event

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// simulated installs a machine for the test.
func simulated(t testing.TB, o sim.Options) *sim.Machine {
	m := sim.NewMachine(o)
	cuda, hip := sim.CUDAProfiles(), sim.HIPProfiles()
	undoCUDA, undoHIP := m.InstallCUDA(cuda[len(cuda)-1]), m.InstallHIP(hip[len(hip)-1])
	t.Cleanup(func() {
		undoHIP()
		undoCUDA()
	})
	return m
}

func TestLookingForDevicesWakesNoneUp(t *testing.T) {
	m := simulated(t, sim.Options{})
	require.Len(t, Devices(), 5)
	for _, d := range Devices() {
		assert.NotEmpty(t, d.Name())
		assert.NotEmpty(t, d.String())
	}
	assert.Zero(t, m.CUDACreated().Contexts, "a context takes much of a device's memory")
	least, greatest := Default().PriorityRange()
	assert.Less(t, greatest, least)
	assert.Equal(t, 1, m.CUDACreated().Contexts, "the device asked, and no other")
}

func TestFailedSearchIsNotRepeated(t *testing.T) {
	m := simulated(t, sim.Options{Devices: -1})
	require.Len(t, Devices(), 1)
	searches := m.Calls("cuInit")
	for range 10 {
		assert.True(t, Default().IsHost())
		assert.Len(t, Devices(), 1)
	}
	assert.Equal(t, searches, m.Calls("cuInit"))
	assert.Error(t, Unavailable(CUDA), "who asks by name makes it look again")
	_, err := Open("cuda:0")
	assert.ErrorIs(t, err, ErrNoDevice)
	assert.Equal(t, searches+2, m.Calls("cuInit"))
}

func TestOtherLibraryIsLookedAt(t *testing.T) {
	simulated(t, sim.Options{Devices: -1})
	require.Len(t, Devices(), 1)
	m := sim.NewMachine(sim.Options{})
	undo := m.InstallCUDA("12.4") // as if Load had found another library
	t.Cleanup(undo)
	assert.Len(t, Devices(), 3)
}

// A library may be replaced with nobody looking for devices again: what the old one made must not reach the new one.
func TestDevicesOfAReplacedLibraryAreGone(t *testing.T) {
	before := simulated(t, sim.Options{})
	for _, name := range []string{"cuda:0", "hip:0"} {
		d, err := Open(name)
		require.NoError(t, err)
		require.False(t, d.gone())
		s, err := d.NewStream()
		require.NoError(t, err)
		e, err := d.NewEvent()
		require.NoError(t, err)
		gate := before.Gate(s.Handle())
		require.NoError(t, e.Record(s))
		destroyed := before.Calls("cuEventDestroy_v2") + before.Calls("hipEventDestroy")
		now := simulated(t, sim.Options{})
		assert.True(t, d.gone())
		assert.NoError(t, e.Close())
		assert.NoError(t, s.Close())
		other, err := Open(name)
		require.NoError(t, err)
		assert.NotSame(t, d, other)
		assert.False(t, other.gone())
		assert.True(t, d.gone(), "for good")
		assert.Empty(t, now.Misuse())
		assert.Zero(t, now.Calls("cuEventDestroy_v2")+now.Calls("hipEventDestroy"))
		assert.Equal(t, destroyed, before.Calls("cuEventDestroy_v2")+before.Calls("hipEventDestroy"))
		before = now
		gate.Open()
	}
	assert.False(t, Devices()[len(Devices())-1].gone(), "the host needs no library")
}

func TestFailuresNameTheCall(t *testing.T) {
	for _, call := range []string{"cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetPCIBusId", "cuDeviceGetAttribute"} {
		m := simulated(t, sim.Options{})
		m.FaultAlways(call, 999)
		err := Unavailable(CUDA)
		assert.ErrorContains(t, err, "cuda:0", call)
		assert.ErrorContains(t, err, call[:len("cuDeviceGet")], call)
	}
}

func TestErrorsOfSeveralCallsAreJoined(t *testing.T) {
	t.Parallel()
	first, second := &callError{call: "a", code: errors.New("1")}, &callError{call: "b", code: errors.New("2")}
	err := failed("Op", &Event{native: newNativeEvent(nil, "x[0]", eventHandle{word: 1}, false)}, errors.Join(first, second))
	assert.EqualError(t, err, "Op: x[0]:event@0x1: a: 1\nOp: x[0]:event@0x1: b: 2")
	var driver *DriverError
	require.ErrorAs(t, err, &driver)
	assert.Equal(t, "a", driver.Call)
}
