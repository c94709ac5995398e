package reallibs_test

import (
	"os"
	"regexp"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/nvrtc"
)

func init() { inside["nvrtc"] = testNVRTC }

// kernels are in both vendors' languages.
const kernels = `
#include "scale.h"
template <typename T> __global__ void scale(T *x, T f) { x[threadIdx.x] = scaled(x[threadIdx.x], f); }
namespace limits { __constant__ int most = 7; }
`

const scaleHeader = `
template <typename T> __device__ T scaled(T x, T f) { return x * f; }
`

// elfMark is how code for a GPU begins.
const elfMark = "\x7fELF"

func nvProgram(t *testing.T, source string) nvrtc.Program {
	_, headers, err := nvrtc.Strings(scaleHeader)
	require.NoError(t, err)
	n, names, err := nvrtc.Strings("scale.h")
	require.NoError(t, err)
	prog, err := nvrtc.CreateProgram(source, "kernels.cu", n, headers, names)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, nvrtc.DestroyProgram(&prog))
		assert.Zero(t, prog)
	})
	return prog
}

func nvCompile(t *testing.T, prog nvrtc.Program, options ...string) error {
	n, list, err := nvrtc.Strings(options...)
	require.NoError(t, err)
	return nvrtc.CompileProgram(prog, n, list)
}

// testNVRTC compiles kernels without a GPU and without a driver.
func testNVRTC(t *testing.T) {
	require.NoError(t, nvrtc.Available())
	chosen(t, os.Getenv(release), nvrtc.Path())
	major, minor, err := nvrtc.Version()
	require.NoError(t, err)
	assert.Equal(t, load(t, "nvrtc").Number(os.Getenv(release)), int(10_000*major+100*minor))

	t.Run("architectures", func(t *testing.T) {
		n, err := nvrtc.GetNumSupportedArchs()
		require.NoError(t, err)
		archs := make([]int32, n)
		require.NoError(t, nvrtc.GetSupportedArchs(&archs[0]))
		assert.Contains(t, archs, int32(80))
		assert.IsIncreasing(t, archs)
	})
	t.Run("code", func(t *testing.T) {
		for arch, target := range map[string]string{"sm_80": "sm_80", "sm_86": "sm_86",
			"compute_80": "sm_80"} {
			prog := nvProgram(t, kernels)
			for _, name := range []string{"scale<float>", "scale<int>", "&limits::most"} {
				require.NoError(t, nvrtc.AddNameExpression(prog, name))
			}
			require.NoError(t, nvCompile(t, prog, "--gpu-architecture="+arch, "-std=c++17"))
			log, err := nvrtc.Log(prog)
			require.NoError(t, err)
			assert.Empty(t, log)
			ptx, err := nvrtc.Output(prog, nvrtc.GetPTXSize, nvrtc.GetPTX)
			require.NoError(t, err)
			assert.Contains(t, string(ptx), ".target "+target)
			assert.Contains(t, string(ptx), ".entry _Z5scaleIfEvPT_S0_(")
			assert.Equal(t, byte(0), ptx[len(ptx)-1])
			cubin, err := nvrtc.Output(prog, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
			require.NoError(t, err)
			if arch == "compute_80" {
				assert.Nil(t, cubin)
			} else {
				assert.Equal(t, elfMark, string(cubin[:4]))
			}
			for name, want := range map[string]string{"scale<float>": "_Z5scaleIfEvPT_S0_",
				"scale<int>": "_Z5scaleIiEvPT_S0_", "&limits::most": "_ZN6limits4mostE"} {
				lowered, err := nvrtc.GetLoweredName(prog, name)
				require.NoError(t, err)
				assert.Equal(t, want, lowered)
			}
			_, err = nvrtc.GetLoweredName(prog, "scale<char>")
			assert.ErrorIs(t, err, nvrtc.ErrNameExpressionNotValid)
			assert.ErrorIs(t, nvrtc.AddNameExpression(prog, "scale<char>"),
				nvrtc.ErrNoNameExpressionsAfterCompilation)
		}
	})
	t.Run("a wrong source", func(t *testing.T) {
		prog := nvProgram(t, "__global__ void k(int *x) {\n  *x = unknown;\n}")
		assert.ErrorIs(t, nvCompile(t, prog, "--gpu-architecture=sm_80"), nvrtc.ErrCompilation)
		log, err := nvrtc.Log(prog)
		require.NoError(t, err)
		assert.Regexp(t, regexp.MustCompile(`^kernels\.cu\(2\): error: .*"unknown"`), log)
	})
	t.Run("wrong options", func(t *testing.T) {
		prog := nvProgram(t, kernels)
		assert.ErrorIs(t, nvCompile(t, prog, "--gpu-architecture=sm_1"), nvrtc.ErrInvalidOption)
		log, err := nvrtc.Log(prog)
		require.NoError(t, err)
		assert.Contains(t, log, "gpu-architecture")
		assert.ErrorIs(t, nvCompile(t, 0), nvrtc.ErrInvalidProgram)
	})
	t.Run("link-time code", func(t *testing.T) {
		if !nvrtc.Has("nvrtcGetLTOIR") {
			assert.Equal(t, "12.0", nvrtc.Since("nvrtcGetLTOIR"))
			return
		}
		prog := nvProgram(t, kernels)
		require.NoError(t, nvCompile(t, prog, "--gpu-architecture=compute_80", "-dlto"))
		code, err := nvrtc.Output(prog, nvrtc.GetLTOIRSize, nvrtc.GetLTOIR)
		require.NoError(t, err)
		assert.NotEmpty(t, code)
	})
	t.Run("images", func(t *testing.T) { testNVRTCImages(t) })
	t.Run("cancelling", func(t *testing.T) { testNVRTCCancels(t) })
	t.Run("names of codes", func(t *testing.T) {
		for _, code := range []nvrtc.Result{nvrtc.Success, nvrtc.ErrOutOfMemory, nvrtc.ErrCompilation,
			nvrtc.ErrInternalError} {
			name, err := nvrtc.GetErrorString(code)
			require.NoError(t, err)
			assert.Equal(t, code.Name(), name)
		}
	})
}

// A callback on the compiler's thread cancels, and another compilation goes through.
func testNVRTCCancels(t *testing.T) {
	if fake.Newer("12.8", os.Getenv(release)) {
		assert.ErrorIs(t, nvrtc.SetFlowCallback(0, nil), nvrtc.ErrSymbolNotFound)
		return
	}
	var calls, cancel atomic.Int32
	cancel.Store(1)
	ref := nvrtc.NewFlowCallback(func(reserved unsafe.Pointer) int32 {
		calls.Add(1)
		return cancel.Load()
	})
	t.Cleanup(ref.Release) // after the program's end
	prog := nvProgram(t, kernels)
	require.NoError(t, nvrtc.SetFlowCallback(prog, ref))
	assert.ErrorIs(t, nvCompile(t, prog, "--gpu-architecture=sm_80"), nvrtc.ErrCancelled)
	assert.Positive(t, calls.Load())
	cancel.Store(0)
	assert.NoError(t, nvCompile(t, prog, "--gpu-architecture=sm_80"))
	assert.ErrorIs(t, nvrtc.SetFlowCallback(prog, nil), nvrtc.ErrInvalidInput)
}
