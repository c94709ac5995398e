package compiler

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/nvrtc"
)

// Identity is what tells compilers apart.
type Identity struct {
	Name string // for people: "NVRTC 13.5", "hipRTC 7.2.53211 (libhiprtc.so.7.2.53211)"
	// Key changes when a file of the compiler does: it has their names, sizes and times. It is "" if
	// they are not found, and then results must not be kept for other processes.
	Key string
}

// CUDAIdentity returns the identity of NVRTC, without compiling. The error is [ErrNotInstalled] if
// there is no library.
func CUDAIdentity() (Identity, error) { return cudaID.get(nvrtc.Path) }

// HIPIdentity returns the identity of hipRTC, without compiling. The error is [ErrNotInstalled] if
// there is no library.
func HIPIdentity() (Identity, error) { return hipID.get(hiprtc.Path) }

// CUDAVersion returns the version of NVRTC, which is that of its toolkit. A driver loads PTX only
// from toolkits up to its own version.
func CUDAVersion() (major, minor int, err error) {
	a, b, err := nvrtc.Version()
	if err != nil {
		return 0, 0, opening(err)
	}
	return int(a), int(b), nil
}

var (
	cudaID = identities{library: &libs.NVRTC, find: findCUDA}
	hipID  = identities{library: &libs.HIPRTC, find: findHIP}
)

// identities keeps the identity of the library in use: the files that matter are those that the
// process has opened, not what an update puts in their place.
type identities struct {
	library *dl.Library
	find    func() (Identity, error)

	mu   sync.Mutex
	of   string // the library that last is of
	last Identity
}

func (k *identities) get(path func() string) (Identity, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := func() string { return fmt.Sprint(k.library.Generation(), " ", path()) }
	if k.last.Name != "" && k.of == of() {
		return k.last, nil
	}
	id, err := k.find() // opens the library
	if err != nil {
		return Identity{}, err
	}
	k.of, k.last = of(), id
	return id, nil
}

func findCUDA() (Identity, error) {
	major, minor, err := CUDAVersion()
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Name: fmt.Sprintf("NVRTC %d.%d", major, minor)}
	file := opened(nvrtc.Path())
	files := append([]string{file}, beside(file, "libnvrtc-builtins*.so*", "nvrtc-builtins*.dll")...)
	id.Key = keyOf(id.Name, files)
	return id, nil
}

// findHIP does without hiprtcVersion, which has been 9.0 in all releases.
func findHIP() (Identity, error) {
	if err := hiprtc.Available(); err != nil {
		return Identity{}, opening(err)
	}
	file := opened(hiprtc.Path())
	name := filepath.Base(file)
	if file == "" {
		name = filepath.Base(hiprtc.Path())
	}
	id := Identity{Name: strings.Join(strings.Fields("hipRTC "+release(name)+" ("+name+")"), " ")}
	comgr := mapped("libamd_comgr")
	if len(comgr) == 0 {
		comgr = beside(file, "libamd_comgr.so*", "amd_comgr*.dll")
	}
	if len(comgr) == 0 { // the compiler proper
		return id, nil
	}
	files := append([]string{file}, beside(file, "libhiprtc-builtins.so*", "hiprtc-builtins*.dll")...)
	files = append(append(files, comgr...), mapped("libLLVM")...) // comgr's, where it is not inside
	id.Key = keyOf(id.Name, files)
	return id, nil
}

// release is the version in the name of hipRTC's file: libhiprtc.so.7.2.53211, hiprtc0704.dll.
func release(name string) string {
	if _, number, ok := strings.Cut(name, ".so."); ok {
		return number
	}
	number, ok := strings.CutPrefix(strings.TrimSuffix(name, ".dll"), "hiprtc")
	if !ok || len(number) != 4 || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return fmt.Sprintf("%d.%d", atoi(number[:2]), atoi(number[2:]))
}

// opening is the error of a library's first call.
func opening(err error) error {
	if isLibrary(err) {
		return notInstalled(err)
	}
	return fmt.Errorf("%w: %w", ErrFailed, err)
}
