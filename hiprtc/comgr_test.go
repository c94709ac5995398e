package hiprtc_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// text is a C string that C gets or gives.
func text(word uintptr) string {
	return ccall.GoString(*(*unsafe.Pointer)(unsafe.Pointer(&word)))
}

// install serves hipRTC by a library of a name, and a compiler that has gfx942 only.
func install(t *testing.T, name string) (compiled *int, live *int) {
	compiled, live = new(int), new(int)
	lib := fake.New(name, "hiprtcVersion")
	lib.Handle("hiprtcCompileProgram", func(fake.Args) int32 { *compiled++; return 0 })
	lib.Install(t, &libs.HIPRTC)
	gfx942, err := ccall.CString("amdgcn-amd-amdhsa--gfx942")
	require.NoError(t, err)
	comgr := fake.New("comgr")
	comgr.Handle("amd_comgr_get_isa_count", func(a fake.Args) int32 { a.Put64(0, 1); return 0 })
	comgr.Handle("amd_comgr_get_isa_name", func(a fake.Args) int32 {
		if a[0] != 0 {
			return 2
		}
		a.Put64(1, uintptr(unsafe.Pointer(gfx942)))
		return 0
	})
	comgr.Handle("amd_comgr_create_action_info", func(a fake.Args) int32 {
		*live++
		a.Put64(0, 7)
		return 0
	})
	comgr.Handle("amd_comgr_action_info_set_isa_name", func(a fake.Args) int32 {
		if a[0] == 7 && text(a[1]) == "amdgcn-amd-amdhsa--gfx942" {
			return 0
		}
		return 2
	})
	comgr.Handle("amd_comgr_destroy_action_info", func(fake.Args) int32 { *live--; return 0 })
	comgr.Install(t, hiprtc.Comgr)
	return compiled, live
}

// An architecture that the compiler lacks does not reach hipRTC, which may end the process.
func TestArchitectureIsCheckedFirst(t *testing.T) {
	for name, c := range map[string]struct {
		library string
		options []string
		refused bool
	}{
		"known":              {"libhiprtc.so.6", []string{"-O3", "--offload-arch=gfx942"}, false},
		"unknown":            {"libhiprtc.so.6", []string{"-O3", "--offload-arch=gfx999"}, true},
		"the other spelling": {"/opt/rocm/lib/libhiprtc.so", []string{"--gpu-architecture=sm_90"}, true},
		"empty":              {"libhiprtc.so.7", []string{"--offload-arch="}, true},
		"the second of two": {"libhiprtc.so.7",
			[]string{"--offload-arch=gfx942", "--offload-arch=x"}, true},
		"inside the runtime":   {"libamdhip64.so.5", []string{"--offload-arch=x"}, true},
		"on Windows":           {"hiprtc0604.dll", []string{"--offload-arch=x"}, true},
		"no option":            {"libhiprtc.so.7", nil, false},
		"no architecture":      {"libhiprtc.so.7", []string{"-O3"}, false},
		"a library of another": {"libother.so", []string{"--offload-arch=x"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			compiled, live := install(t, c.library)
			n, options, err := hiprtc.Strings(c.options...)
			require.NoError(t, err)
			err = hiprtc.CompileProgram(1, n, options)
			if c.refused {
				assert.ErrorIs(t, err, hiprtc.ErrArchitecture)
				assert.ErrorContains(t, err, c.options[len(c.options)-1])
				assert.Zero(t, *compiled)
			} else {
				assert.NoError(t, err)
				assert.Equal(t, 1, *compiled)
			}
			assert.Zero(t, *live, "what was made for the check is destroyed")
		})
	}
}

func TestArchitectures(t *testing.T) {
	install(t, "libhiprtc.so.7")
	archs, err := hiprtc.Architectures()
	require.NoError(t, err)
	assert.Equal(t, []string{"gfx942"}, archs)
}

// Where there is no compiler to ask, hipRTC is asked itself.
func TestNothingToAsk(t *testing.T) {
	lib := fake.New("libhiprtc.so.7", "hiprtcVersion", "hiprtcCompileProgram").Install(t, &libs.HIPRTC)
	fake.New("empty").Install(t, hiprtc.Comgr)
	n, options, err := hiprtc.Strings("--offload-arch=gfx999")
	require.NoError(t, err)
	assert.NoError(t, hiprtc.CompileProgram(1, n, options))
	assert.Equal(t, 1, lib.Hits())
	_, err = hiprtc.Architectures()
	assert.ErrorIs(t, err, hiprtc.ErrSymbolNotFound)
}
