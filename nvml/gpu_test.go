package nvml_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/nvml"
)

// Where there are GPUs, each answers the questions that need no root, or says that it can't. A
// wrong version of a struct, or a parameter in the wrong place, would be another error.
func TestRealDevices(t *testing.T) {
	if err := nvml.Available(); err != nil {
		t.Skipf("this test needs an NVIDIA GPU: %v", err)
	}
	require.NoError(t, nvml.Init())
	defer func() { assert.NoError(t, nvml.Shutdown()) }()
	n, err := nvml.DeviceGetCount()
	require.NoError(t, err)
	for i := range n {
		dev, err := nvml.DeviceGetHandleByIndex(i)
		require.NoError(t, err)
		name, err := nvml.DeviceGetName(dev)
		require.NoError(t, err)
		assert.NotEmpty(t, name)
		uuid, err := nvml.DeviceGetUUID(dev)
		require.NoError(t, err)
		same, err := nvml.DeviceGetHandleByUUID(uuid)
		assert.NoError(t, err)
		assert.Equal(t, dev, same)
		index, err := nvml.DeviceGetIndex(dev)
		assert.NoError(t, err)
		assert.Equal(t, i, index)

		answered := 0
		for call, err := range queries(dev) {
			if err == nil {
				answered++
				continue
			}
			assert.True(t, unanswered(err), "%s of %s: %v", call, name, err)
		}
		assert.Greater(t, answered, 10, name)
		memory(t, dev)
		fields(t, dev)
	}
}

// unanswered reports whether a device or its driver just does not offer a value.
func unanswered(err error) bool {
	for _, e := range []error{nvml.ErrNotSupported, nvml.ErrNoPermission, nvml.ErrSymbolNotFound,
		nvml.ErrNoData, nvml.ErrNotFound, nvml.ErrFunctionNotFound, nvml.ErrDeprecated} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// queries asks a device with structs of all kinds.
func queries(dev nvml.Device) map[string]error {
	out := map[string]error{}
	for name, ask := range map[string]func() error{
		"utilization": func() error { _, err := nvml.DeviceGetUtilizationRates(dev); return err },
		"power":       func() error { _, err := nvml.DeviceGetPowerUsage(dev); return err },
		"power limit": func() error { _, err := nvml.DeviceGetEnforcedPowerLimit(dev); return err },
		"PCI":         func() error { _, err := nvml.DeviceGetPciInfo(dev); return err },
		"ECC":         func() error { _, _, err := nvml.DeviceGetEccMode(dev); return err },
		"clock":       func() error { _, err := nvml.DeviceGetClockInfo(dev, nvml.ClockSm); return err },
		"state":       func() error { _, err := nvml.DeviceGetPerformanceState(dev); return err },
		"BAR1":        func() error { _, err := nvml.DeviceGetBAR1MemoryInfo(dev); return err },
		"cores":       func() error { _, err := nvml.DeviceGetNumGpuCores(dev); return err },
		"brand":       func() error { _, err := nvml.DeviceGetBrand(dev); return err },
		"energy":      func() error { _, err := nvml.DeviceGetTotalEnergyConsumption(dev); return err },
		"MIG":         func() error { _, _, err := nvml.DeviceGetMigMode(dev); return err },
		"pstates":     func() error { _, err := nvml.DeviceGetDynamicPstatesInfo(dev); return err },
		"PCI, extended": func() error {
			v := nvml.NewPciInfoExtV1()
			return nvml.DeviceGetPciInfoExt(dev, &v)
		},
		"temperature": func() error {
			v := nvml.NewTemperatureV1()
			v.SensorType = nvml.TemperatureGpu
			return nvml.DeviceGetTemperatureV(dev, &v)
		},
		"margin": func() error {
			v := nvml.NewMarginTemperatureV1()
			return nvml.DeviceGetMarginTemperature(dev, &v)
		},
		"clock offset": func() error {
			v := nvml.NewClockOffsetV1()
			return nvml.DeviceGetClockOffsets(dev, &v)
		},
		"SRAM": func() error {
			v := nvml.NewEccSramErrorStatusV1()
			return nvml.DeviceGetSramEccErrorStatus(dev, &v)
		},
		"GPM": func() error {
			v := nvml.NewGpmSupport()
			return nvml.GpmQueryDeviceSupport(dev, &v)
		},
		"branch": func() error {
			v := nvml.NewSystemDriverBranchInfoV1()
			return nvml.SystemGetDriverBranch(&v, uint32(len(v.Branch)))
		},
		"clocks": func() error {
			_, err := nvml.List(func(n, first *uint32) error {
				return nvml.DeviceGetSupportedMemoryClocks(dev, n, first)
			})
			return err
		},
		"processes": func() error {
			_, err := nvml.List(func(n *uint32, first *nvml.ProcessInfo) error {
				return nvml.DeviceGetComputeRunningProcesses(dev, n, first)
			})
			return err
		},
	} {
		out[name] = ask()
	}
	return out
}

// memory compares the two forms of the question for memory.
func memory(t *testing.T, dev nvml.Device) {
	first, err := nvml.DeviceGetMemoryInfo(dev)
	if unanswered(err) { // memory is the host's
		return
	}
	require.NoError(t, err)
	second := nvml.NewMemoryV2()
	require.NoError(t, nvml.DeviceGetMemoryInfoV2(dev, &second))
	assert.Equal(t, first.Total, second.Total)
	assert.Equal(t, second.Total, second.Reserved+second.Free+second.Used)
	second.Version = 0
	assert.ErrorIs(t, nvml.DeviceGetMemoryInfoV2(dev, &second), nvml.ErrArgumentVersionMismatch)
}

// fields reads a value that every device has, and one that none has.
func fields(t *testing.T, dev nvml.Device) {
	values := []nvml.FieldValue{{FieldId: nvml.FiDevEccCurrent}, {FieldId: 1 << 20}}
	require.NoError(t, nvml.DeviceGetFieldValues(dev, int32(len(values)), &values[0]))
	assert.NotZero(t, values[1].NvmlReturn)
}
