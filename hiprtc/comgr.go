package hiprtc

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// ErrArchitecture is returned by [CompileProgram] for an architecture that the compiler does not
// have.
var ErrArchitecture = errors.New("unknown architecture")

// comgr is the compiler behind hipRTC, which is open when hipRTC is.
var comgr = dl.Library{
	Name:   "AMD's compiler library comgr",
	API:    "comgr",
	Env:    "GPUEVENT_COMGR_LIBRARY",
	Remedy: "install comgr of ROCm (libamd_comgr)",
	Update: "update ROCm",
	Probe:  "amd_comgr_get_isa_count",
	Search: dl.Search{
		Linux: dl.Places{
			Names:   []string{"libamd_comgr.so.3", "libamd_comgr.so.2"},
			Folders: libs.HIPRTC.Search.Linux.Folders,
		},
		Windows: dl.Places{
			Names:   []string{"amd_comgr*.dll"},
			Folders: libs.HIPRTC.Search.Windows.Folders,
		},
	},
}

var (
	procCount   = dl.Proc{Lib: &comgr, Symbol: "amd_comgr_get_isa_count"}
	procName    = dl.Proc{Lib: &comgr, Symbol: "amd_comgr_get_isa_name"}
	procCreate  = dl.Proc{Lib: &comgr, Symbol: "amd_comgr_create_action_info"}
	procSet     = dl.Proc{Lib: &comgr, Symbol: "amd_comgr_action_info_set_isa_name"}
	procDestroy = dl.Proc{Lib: &comgr, Symbol: "amd_comgr_destroy_action_info"}
)

// target is what comgr puts in front of an architecture.
const target = "amdgcn-amd-amdhsa--"

// Architectures lists what programs can be compiled for, without features: "gfx942", not
// "gfx942:xnack-". hipRTC itself cannot list them; they are those of the compiler behind it.
func Architectures() ([]string, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	out := ccall.NewOut()
	defer out.Free(2)
	if err := ask(&procCount, out.Word(0)); err != nil {
		return nil, err
	}
	names := make([]string, *(*uintptr)(out.At(0)))
	for i := range names {
		if err := ask(&procName, uintptr(i), out.Word(1)); err != nil {
			return nil, err
		}
		name := ccall.GoString(*(*unsafe.Pointer)(out.At(1)))
		names[i] = strings.TrimPrefix(name, target)
	}
	return names, nil
}

// ask calls a function of comgr.
func ask(p *dl.Proc, args ...uintptr) error {
	addr, err := p.Addr()
	if err != nil {
		return err
	}
	call := ccall.Regs{Fn: addr}
	copy(call.A[:], args)
	if rc := call.Call(); rc != 0 {
		return fmt.Errorf("hiprtc: %s of comgr: status %d", p.Symbol, rc)
	}
	return nil
}

// architectureOptions are followed by an architecture.
var architectureOptions = []string{"--offload-arch=", "--gpu-architecture="}

// isVendors reports whether a library is hipRTC, by the name of its file.
func isVendors(file string) bool {
	if strings.HasPrefix(file, "libhiprtc.so") || strings.HasPrefix(file, "libamdhip64.so") {
		return true
	}
	number, windows := strings.CutPrefix(file, "hiprtc")
	number, dll := strings.CutSuffix(number, ".dll")
	return windows && dll && number != "" && strings.Trim(number, "0123456789") == ""
}

// checkArchitectures refuses options with an architecture that comgr does not have. It lets
// everything pass where it cannot ask.
func checkArchitectures(_ Program, n int32, options **byte) error {
	if n <= 0 || options == nil || !isVendors(filepath.Base(Path())) {
		return nil
	}
	for _, c := range unsafe.Slice(options, n) {
		option := ccall.GoString(unsafe.Pointer(c))
		for _, name := range architectureOptions {
			if arch, ok := strings.CutPrefix(option, name); ok && !has(arch) {
				return fmt.Errorf("hiprtc: hiprtcCompileProgram: %w %q in %s: name one that Architectures "+
					"returns, with features that it has", ErrArchitecture, arch, option)
			}
		}
	}
	return nil
}

// has reports whether comgr has an architecture with its features.
func has(arch string) bool {
	isa, err := ccall.CString(target + arch)
	if err != nil {
		return false
	}
	out := ccall.NewOut()
	defer out.Free(1)
	if ask(&procCreate, out.Word(0)) != nil {
		return true // there is no comgr to ask
	}
	info := *(*uintptr)(out.At(0))
	err = ask(&procSet, info, ccall.Ptr(unsafe.Pointer(isa)))
	runtime.KeepAlive(isa)
	_ = ask(&procDestroy, info)
	return err == nil
}
