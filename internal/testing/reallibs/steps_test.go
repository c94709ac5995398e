package reallibs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/reallibs"
)

const (
	absentSymbol   = "symbol not found"
	notInitialized = "CUDA_ERROR_NOT_INITIALIZED"
)

// cudaSteps is what the driver says to each call on a machine without a device. Only cuInit and
// what asks it say that there is none.
var cudaSteps = map[string]string{
	"cuInit(1)":                       "CUDA_ERROR_INVALID_VALUE",
	"cuInit":                          "CUDA_ERROR_NO_DEVICE",
	"cuInit again":                    "CUDA_ERROR_NO_DEVICE",
	"Available":                       "CUDA_ERROR_NO_DEVICE",
	"cuEventQuery(0)":                 "CUDA_ERROR_INVALID_HANDLE",
	"cuEventDestroy_v2(0)":            "CUDA_ERROR_INVALID_HANDLE",
	"cuGetErrorName(77777)":           "CUDA_ERROR_INVALID_VALUE",
	"cuEventElapsedTime_v2":           absentSymbol,
	"cuGetProcAddress_v2":             "ok",
	"cuGetProcAddress_v2 of nonsense": "ok",
}

// hipSteps are the calls to which the runtime does not say that there is no device, and the first
// release that has those that came later.
var hipSteps = map[string]string{"hipDriverGetVersion": "ok"}
var hipCame = map[string]string{
	"hipLaunchHostFunc":           "5.7.1",
	"hipGetDevicePropertiesR0600": "6.4.3",
	"hipGetProcAddress":           "6.4.3",
	"hipEventRecordWithFlags":     "6.4.3",
}

// steps checks what the library said to each call.
func steps(t *testing.T, l *reallibs.Library, f *facts) {
	if l.API == "nvml" {
		nvmlSteps(t, l, f)
		return
	}
	require.Greater(t, len(f.Steps), 15)
	for _, s := range f.Steps {
		if l.API == "cuda" {
			want, ok := cudaSteps[s.Call]
			if !ok {
				require.True(t, strings.HasPrefix(s.Call, "uninitialized: ") ||
					strings.HasPrefix(s.Call, "no device: "), s.Call)
				want = notInitialized
			}
			assert.Equal(t, want, s.Outcome, "%s: %s", s.Call, s.Text)
			assert.Equal(t, want == "CUDA_ERROR_NO_DEVICE", s.NoDevice, s.Call)
			switch s.Call {
			case "cuGetProcAddress_v2":
				assert.Equal(t, "GetProcAddressSuccess", s.Text)
			case "cuGetProcAddress_v2 of nonsense":
				assert.Equal(t, "GetProcAddressSymbolNotFound", s.Text)
			}
			continue
		}
		want := hipSteps[s.Call]
		if fake.Newer(hipCame[s.Call], l.Version) {
			want = absentSymbol
		}
		if want != "" {
			assert.Equal(t, want, s.Outcome, "%s: %s", s.Call, s.Text)
			assert.False(t, s.NoDevice, s.Call)
			continue
		}
		assert.True(t, s.NoDevice, "%s: %s", s.Call, s.Text)
		codes := []string{"hipErrorNoDevice"}
		if strings.HasPrefix(l.Version, "5.") && s.Call != "hipGetDeviceCount" && s.Call != "Available" {
			codes = append(codes, "hipErrorInvalidDevice") // 5.2 always, 5.7 while it is not initialized
		}
		assert.Contains(t, codes, s.Outcome, "%s: %s", s.Call, s.Text)
	}
}
