package reallibs_test

import (
	"debug/elf"
	"os"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hiprtc"
)

func init() { inside["hiprtc"] = testHIPRTC }

// The HIP runtimes of ROCm 6 and older have the functions too.
func TestHIPRTCOfRuntimes(t *testing.T) {
	m := open(t)
	for i := range m.Libraries {
		l := m.Libraries[i]
		if l.API != "hip" || !l.Loadable || !beside(t, l.Path(), "libamd_comgr.so.*") {
			continue
		}
		t.Run(l.Version, func(t *testing.T) {
			t.Parallel()
			l.API = "hiprtc"
			testInside(t, m, &l)
		})
	}
}

func hipProgram(t *testing.T, source string) hiprtc.Program {
	_, headers, err := hiprtc.Strings(scaleHeader)
	require.NoError(t, err)
	n, names, err := hiprtc.Strings("scale.h")
	require.NoError(t, err)
	prog, err := hiprtc.CreateProgram(source, "kernels.hip", n, headers, names)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, hiprtc.DestroyProgram(&prog)) })
	return prog
}

func hipCompile(t *testing.T, prog hiprtc.Program, options ...string) error {
	n, list, err := hiprtc.Strings(append(options, "-std=c++17")...)
	require.NoError(t, err)
	return hiprtc.CompileProgram(prog, n, list)
}

// testHIPRTC compiles kernels without a GPU and without the HIP runtime.
func testHIPRTC(t *testing.T) {
	err := hiprtc.Available()
	if !beside(t, os.Getenv("GPUEVENT_HIPRTC_LIBRARY"), "libamd_comgr.so.*") {
		require.ErrorIs(t, err, hiprtc.ErrLibraryNotFound, "it would crash")
		var e *hiprtc.LibraryError
		require.ErrorAs(t, err, &e)
		assert.Contains(t, e.Attempts[0].Reason, "it needs libamd_comgr.so.3")
		return
	}
	require.NoError(t, err)
	chosen(t, os.Getenv(release), hiprtc.Path())
	major, minor, err := hiprtc.Version()
	require.NoError(t, err)
	assert.Equal(t, [2]int32{9, 0}, [2]int32{major, minor}, "of all releases")

	archs, err := hiprtc.Architectures()
	require.NoError(t, err)
	assert.Subset(t, archs, []string{"gfx90a", "gfx942", "gfx1030", "gfx1100"})

	t.Run("code", func(t *testing.T) {
		for _, arch := range []string{"gfx1100", "gfx90a", "gfx942:sramecc+:xnack-"} {
			prog := hipProgram(t, kernels)
			for _, name := range []string{"scale<float>", "&limits::most"} {
				require.NoError(t, hiprtc.AddNameExpression(prog, name))
			}
			require.NoError(t, hipCompile(t, prog, "--offload-arch="+arch))
			log, err := hiprtc.Log(prog)
			require.NoError(t, err)
			assert.Empty(t, log)
			code, err := hiprtc.Output(prog, hiprtc.GetCodeSize, hiprtc.GetCode)
			require.NoError(t, err)
			f, err := elf.NewFile(strings.NewReader(string(code)))
			require.NoError(t, err)
			assert.EqualValues(t, 224, f.Machine, "an AMD GPU")
			symbols, err := f.DynamicSymbols()
			require.NoError(t, err)
			var names []string
			for _, s := range symbols {
				names = append(names, s.Name)
			}
			for name, want := range map[string]string{"scale<float>": "_Z5scaleIfEvPT_S0_",
				"&limits::most": "_ZN6limits4mostE"} {
				lowered, err := hiprtc.GetLoweredName(prog, name)
				require.NoError(t, err)
				assert.Equal(t, want, lowered)
				assert.Contains(t, names, want)
			}
			_, err = hiprtc.GetLoweredName(prog, "scale<char>")
			assert.ErrorIs(t, err, hiprtc.ErrNameExpressionNotValid)
		}
	})
	t.Run("a wrong source", func(t *testing.T) {
		prog := hipProgram(t, "__global__ void k(int *x) {\n  *x = unknown;\n}")
		assert.ErrorIs(t, hipCompile(t, prog, "--offload-arch=gfx1100"), hiprtc.ErrCompilation)
		log, err := hiprtc.Log(prog)
		require.NoError(t, err)
		assert.Regexp(t, regexp.MustCompile(`kernels\.hip:2:8: error: .*'unknown'`), log)
	})
	t.Run("an unknown architecture", func(t *testing.T) {
		prog := hipProgram(t, kernels)
		for _, option := range []string{"--offload-arch=gfx999", "--gpu-architecture=sm_90",
			"--offload-arch=gfx1100:xnack+", "--offload-arch=gfx90a:other+", "--offload-arch=native",
			"--offload-arch=", "--offload-arch=gfx1100,gfx1101"} {
			err := hipCompile(t, prog, option)
			assert.ErrorIs(t, err, hiprtc.ErrArchitecture, option)
			assert.ErrorContains(t, err, option)
		}
		assert.NoError(t, hipCompile(t, prog, "--gpu-architecture=gfx1100"))
	})
	t.Run("no architecture", func(t *testing.T) {
		assert.ErrorIs(t, hipCompile(t, hipProgram(t, kernels)), hiprtc.ErrCompilation)
	})
	t.Run("images", func(t *testing.T) { testHIPRTCImages(t) })
	t.Run("linking", func(t *testing.T) { testHIPRTCLinks(t) })
	t.Run("names of codes", func(t *testing.T) {
		for _, code := range []hiprtc.Result{hiprtc.Success, hiprtc.ErrOutOfMemory,
			hiprtc.ErrCompilation, hiprtc.ErrLinking} {
			name, err := hiprtc.GetErrorString(code)
			require.NoError(t, err)
			assert.Equal(t, code.Name(), name)
		}
	})
}

// A linker takes the bitcode of a program; to link it, it needs a device.
func testHIPRTCLinks(t *testing.T) {
	prog := hipProgram(t, `extern "C" __global__ void k(int *x) { x[threadIdx.x]++; }`)
	require.NoError(t, hipCompile(t, prog, "--offload-arch=gfx1100", "-fgpu-rdc"))
	bitcode, err := hiprtc.Output(prog, hiprtc.GetBitcodeSize, hiprtc.GetBitcode)
	require.NoError(t, err)
	assert.Equal(t, "BC", string(bitcode[:2]))

	var o hiprtc.LinkOptions
	require.NoError(t, o.Texts(hiprtc.JitOptionIRtoISAOptExt, "-mcpu=gfx1100"))
	o.Number(hiprtc.JitOptionIRtoISAOptCountExt, 1).ErrorLog(1 << 12).InfoLog(1 << 12)
	linker, err := hiprtc.LinkCreate(o.Len(), o.Options(), o.Values())
	require.NoError(t, err)
	defer func() { assert.NoError(t, hiprtc.LinkDestroy(linker)) }()
	err = hiprtc.LinkAddData(linker, hiprtc.JitInputLLVMBitcode, unsafe.Pointer(&bitcode[0]),
		uintptr(len(bitcode)), "k.bc", 0, nil, nil)
	require.NoError(t, err)
	_, _, err = hiprtc.LinkComplete(linker)
	assert.ErrorIs(t, err, hiprtc.ErrLinking, "it links for the current device, and there is none")
}
