package reallibs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/testing/reallibs"
	"github.com/gpuevent/gpuevent/nvml"
)

// probeNVML makes calls before and after an initialization that finds no driver. NVML has no names
// for its result codes, only texts.
func probeNVML(f *facts) {
	f.Names = nil
	does := func(call string, err error) {
		f.step(call, err, nvml.IsNoDevice,
			map[string]error{"symbol not found": nvml.ErrSymbolNotFound,
				"library not found": nvml.ErrLibraryNotFound})
	}
	calls := func(when string) {
		_, err := nvml.DeviceGetCount()
		does(when+"nvmlDeviceGetCount_v2", err)
		_, err = nvml.DeviceGetHandleByIndex(0)
		does(when+"nvmlDeviceGetHandleByIndex_v2", err)
		_, err = nvml.SystemGetDriverVersion()
		does(when+"nvmlSystemGetDriverVersion", err)
		_, err = nvml.SystemGetCudaDriverVersion()
		does(when+"nvmlSystemGetCudaDriverVersion", err)
		mem := nvml.NewMemoryV2()
		does(when+"nvmlDeviceGetMemoryInfo_v2", nvml.DeviceGetMemoryInfoV2(0, &mem))
		_, err = nvml.List(func(n *uint32, first *nvml.ProcessInfo) error {
			return nvml.DeviceGetComputeRunningProcesses(0, n, first)
		})
		does(when+"nvmlDeviceGetComputeRunningProcesses_v3", err)
	}
	calls("uninitialized: ")
	does("nvmlInit_v2", nvml.Init())
	does("nvmlInit_v2 again", nvml.Init())
	does("nvmlInitWithFlags", nvml.InitWithFlags(nvml.InitFlagNoGpus))
	does("Available", nvml.Available())
	calls("uninitialized still: ")
	does("nvmlShutdown", nvml.Shutdown())
	_, err := nvml.DeviceGetGpuUptimeV1(0)
	does("nvmlDeviceGetGpuUptime_v1", err)
	text, err := nvml.SystemGetNVMLVersion()
	does("nvmlSystemGetNVMLVersion", err)
	f.Steps[len(f.Steps)-1].Text = text
	text, err = nvml.ErrorString(nvml.ErrDriverNotLoaded)
	does("nvmlErrorString", err)
	f.Steps[len(f.Steps)-1].Text = text
}

// nvmlSteps checks what NVML says to each call on a machine without a driver.
func nvmlSteps(t *testing.T, l *reallibs.Library, f *facts) {
	noDriver := "NVML_ERROR_DRIVER_NOT_LOADED"
	wants := map[string]string{
		"nvmlInit_v2":               noDriver,
		"nvmlInit_v2 again":         noDriver,
		"nvmlInitWithFlags":         noDriver,
		"Available":                 noDriver,
		"nvmlShutdown":              "ok",
		"nvmlDeviceGetGpuUptime_v1": absentSymbol,
		"nvmlSystemGetNVMLVersion":  "ok",
		"nvmlErrorString":           "ok",
	}
	for _, s := range f.Steps {
		want, ok := wants[s.Call]
		if !ok {
			assert.True(t, strings.HasPrefix(s.Call, "uninitialized"), s.Call)
			want = "NVML_ERROR_UNINITIALIZED"
		}
		assert.Equal(t, want, s.Outcome, "%s: %s", s.Call, s.Text)
		assert.Equal(t, want == noDriver, s.NoDevice, s.Call)
		switch s.Call {
		case "nvmlSystemGetNVMLVersion":
			assert.Regexp(t, `^\d+\.`+l.Version+"$", s.Text)
		case "nvmlErrorString":
			assert.NotEmpty(t, s.Text)
		}
	}
	assert.Len(t, f.Steps, len(wants)+12)
}
