package event

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
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

func TestDefaultGPU(t *testing.T) {
	cuda, hip := sim.CUDAProfiles(), sim.HIPProfiles()
	for name, x := range map[string]struct {
		cuda, hip sim.Options
		want      string
		says      []string
	}{
		"both":      {sim.Options{}, sim.Options{}, "cuda:0", nil},
		"only AMD":  {sim.Options{Devices: -1}, sim.Options{}, "hip:0", nil},
		"only CUDA": {sim.Options{}, sim.Options{Devices: -1}, "cuda:0", nil},
		"none": {sim.Options{Devices: -1}, sim.Options{Devices: -1}, "",
			[]string{"DefaultGPU: ", "; cuda: ", "; hip: ", "Default falls back to the host"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(sim.NewMachine(x.cuda).InstallCUDA(cuda[len(cuda)-1]))
			t.Cleanup(sim.NewMachine(x.hip).InstallHIP(hip[len(hip)-1]))
			d, err := DefaultGPU()
			if x.want != "" {
				require.NoError(t, err)
				assert.Equal(t, x.want, d.String())
				assert.Same(t, d, Default())
				return
			}
			assert.Nil(t, d)
			assert.ErrorIs(t, err, ErrNoDevice)
			assert.ErrorIs(t, err, cudrv.ErrNoDevice, "why there is none on NVIDIA")
			for _, s := range x.says {
				assert.ErrorContains(t, err, s)
			}
			var refused *Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, "DefaultGPU", refused.Op)
			assert.True(t, Default().IsHost())
		})
	}
}

func TestOtherLibraryIsLookedAt(t *testing.T) {
	simulated(t, sim.Options{Devices: -1})
	require.Len(t, Devices(), 1)
	m := sim.NewMachine(sim.Options{})
	undo := m.InstallCUDA("12.4") // as if Load had found another library
	t.Cleanup(func() { undo() })
	assert.Len(t, Devices(), 3)
}

func TestFailuresNameTheCall(t *testing.T) {
	for _, call := range []string{"cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem_v2",
		"cuDeviceGetPCIBusId", "cuDeviceGetAttribute"} {
		m := simulated(t, sim.Options{})
		m.FaultAlways(call, 999)
		err := Unavailable(CUDA)
		assert.ErrorContains(t, err, "cuda:0", call)
		assert.ErrorContains(t, err, call[:len("cuDeviceGet")], call)
	}
}

func TestErrorsOfSeveralCallsAreJoined(t *testing.T) {
	t.Parallel()
	first := &driver.Error{Call: "a", Code: errors.New("1")}
	second := &driver.Error{Call: "b", Code: errors.New("2"), Detail: "so what"}
	err := failed("Op", (*Event)(nil), errors.Join(first, second))
	assert.EqualError(t, err, "Op: event <nil>: a: 1\nOp: event <nil>: b: 2: here: so what")
	var driver *DriverError
	require.ErrorAs(t, err, &driver)
	assert.Equal(t, "a", driver.Call)
}
