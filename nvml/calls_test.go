package nvml_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/nvml"
)

const device = nvml.Device(0x5000)

func TestTextsHaveTheirBuffers(t *testing.T) {
	t.Parallel()
	lib := install(t, "13.5")
	for symbol, c := range map[string]struct {
		call func() (string, error)
		text int // the word with the text's address; the length follows it
		size int
	}{
		"nvmlDeviceGetName":   {func() (string, error) { return nvml.DeviceGetName(device) }, 1, 256},
		"nvmlDeviceGetUUID":   {func() (string, error) { return nvml.DeviceGetUUID(device) }, 1, 256},
		"nvmlDeviceGetSerial": {func() (string, error) { return nvml.DeviceGetSerial(device) }, 1, 256},
		"nvmlDeviceGetVbiosVersion": {
			func() (string, error) { return nvml.DeviceGetVbiosVersion(device) }, 1, 256},
		"nvmlSystemGetDriverVersion": {nvml.SystemGetDriverVersion, 0, 256},
		"nvmlSystemGetProcessName": {
			func() (string, error) { return nvml.SystemGetProcessName(7) }, 1, 1024},
	} {
		var size uintptr
		lib.Handle(symbol, func(a fake.Args) int32 {
			size = a[c.text+1]
			put(a[c.text], []byte("some text\x00"))
			return 0
		})
		got, err := c.call()
		require.NoError(t, err, symbol)
		assert.Equal(t, "some text", got, symbol)
		assert.EqualValues(t, c.size, uint32(size), symbol)
	}
}

func TestStructsAreResults(t *testing.T) {
	t.Parallel()
	lib := install(t, "13.5")
	lib.Handle("nvmlDeviceGetUtilizationRates", func(a fake.Args) int32 {
		assert.EqualValues(t, device, a[0])
		put(a[1], binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, 93), 41))
		return 0
	})
	u, err := nvml.DeviceGetUtilizationRates(device)
	require.NoError(t, err)
	assert.Equal(t, nvml.Utilization{Gpu: 93, Memory: 41}, u)
}

// Structs with a version are the caller's, so that C reads the version in them.
func TestVersionsReachC(t *testing.T) {
	t.Parallel()
	lib := install(t, "13.5")
	mem := nvml.NewMemoryV2()
	lib.Handle("nvmlDeviceGetMemoryInfo_v2", func(a fake.Args) int32 {
		if mem.Version != 0x2000028 {
			return int32(nvml.ErrArgumentVersionMismatch)
		}
		put(a[1]+8, binary.NativeEndian.AppendUint64(nil, 40<<30))
		return 0
	})
	require.NoError(t, nvml.DeviceGetMemoryInfoV2(device, &mem))
	assert.EqualValues(t, uint64(40<<30), mem.Total)
	mem = nvml.MemoryV2{}
	assert.ErrorIs(t, nvml.DeviceGetMemoryInfoV2(device, &mem), nvml.ErrArgumentVersionMismatch)
}

// More processes start between the question for their number and the one for them.
func TestProcessesAreListed(t *testing.T) {
	t.Parallel()
	lib := install(t, "13.5")
	var lengths []uint32
	want := []nvml.ProcessInfo{{Pid: 100, UsedGpuMemory: 1 << 30}, {Pid: 101}, {Pid: 102}}
	var count uint32
	lib.Handle("nvmlDeviceGetComputeRunningProcesses_v3", func(a fake.Args) int32 {
		length := count
		lengths = append(lengths, length)
		switch {
		case len(lengths) == 1:
			assert.Zero(t, a[2])
			a.Put32(1, 1)
			return int32(nvml.ErrInsufficientSize)
		case length < 3:
			a.Put32(1, 3)
			return int32(nvml.ErrInsufficientSize)
		}
		a.Put32(1, 3)
		for i, p := range want {
			at := a[2] + uintptr(24*i)
			fake.Args{at}.Put32(0, int32(p.Pid))
			fake.Args{at + 8}.Put64(0, uintptr(p.UsedGpuMemory))
		}
		return 0
	})
	got, err := nvml.List(func(n *uint32, first *nvml.ProcessInfo) error {
		count = *n
		return nvml.DeviceGetComputeRunningProcesses(device, n, first)
	})
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, []uint32{0, 1, 3}, lengths)
}
