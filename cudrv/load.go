package cudrv

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// Errors of loading. Test for them with [errors.Is]; [errors.As] finds a [*LibraryError] or a [*SymbolError] with all that is known.
var (
	// ErrLibraryNotFound: no CUDA driver library could be opened. A [*LibraryError] lists every path tried, each with its reason.
	ErrLibraryNotFound = dl.ErrLibraryNotFound
	// ErrSymbolNotFound: the library lacks the function. The error names the symbol, the CUDA release that introduced it and the driver's.
	ErrSymbolNotFound = dl.ErrSymbolNotFound
	// ErrAlreadyLoaded: [Load] was given a path, but another library serves calls already.
	ErrAlreadyLoaded = dl.ErrAlreadyLoaded
)

type (
	// LibraryError is the error behind [ErrLibraryNotFound], for [errors.As].
	LibraryError = dl.LibraryError
	// Attempt is one path of a [LibraryError], and why it failed.
	Attempt = dl.Attempt
	// SymbolError is the error behind [ErrSymbolNotFound], for [errors.As].
	SymbolError = dl.SymbolError
)

// Load opens the CUDA driver library before the first call would. It is needed only to choose the library, or to look
// again after a failure.
//
// With paths, only those are tried, in order. Without, the paths in the environment variable GPUEVENT_CUDA_LIBRARY if it
// is set; else a library that the process has loaded already; else libcuda.so.1 where the dynamic loader finds it and in
// the known folders (WSL, Tegra, containers, the compat package), or nvcuda.dll of the system folder. The toolkit's
// linker stub is never opened, nor what is no file, and a library without cuDriverGetVersion is not taken. Programs that
// run with more rights than who started them (setuid, setgid, file capabilities) ignore the variable. A library that is
// open stays open: [ErrAlreadyLoaded].
func Load(paths ...string) error { return dl.CUDA.Load(paths...) }

// Path returns the path or name that the library was opened by, or "" while none is open.
func Path() string { return dl.CUDA.Path() }

// Available reports whether CUDA can be used here: nil if there is a library and it has at least one device. Else the error
// is [ErrLibraryNotFound], [ErrNoDevice], or what the driver says is wrong with it. It calls cuInit, which takes some tens of
// milliseconds the first time.
func Available() error {
	if err := Init(0); err != nil {
		return err
	}
	n, err := DeviceGetCount()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoDevice
	}
	return nil
}

// Has reports whether the driver has a symbol, by its exported C name: Has("cuEventElapsedTime_v2"). False without a library.
func Has(symbol string) bool { return dl.CUDA.Has(symbol) }

// Since says which CUDA version introduced a symbol, by its exported C name: Since("cuEventCreate")
// is "2.0". Where no header between two versions was read it says between which, as in "after 12.6,
// by 12.8"; "11.8 or earlier" is what the oldest header has. It is "" for a name that is no function
// of this package. It is meant for people; ask [Has] whether a function is there. It opens no
// library.
func Since(symbol string) string { return since(symbol) }

// Version is a CUDA version as the API encodes it: 1000*major + 10*minor, so 12040 is 12.4.
type Version int

// DriverVersion returns the newest CUDA version that the installed driver supports. It needs a library, but neither cuInit nor a device.
func DriverVersion() (Version, error) {
	v, err := DriverGetVersion()
	if err != nil {
		return 0, fmt.Errorf("ask the CUDA driver for its version: %w", err)
	}
	return Version(v), nil
}

// Major returns the major part: 12 of 12.4.
func (v Version) Major() int { return int(v) / 1000 }

// Minor returns the minor part: 4 of 12.4.
func (v Version) Minor() int { return int(v) % 1000 / 10 }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool { return int(v) >= 1000*major+10*minor }

// String returns "12.4".
func (v Version) String() string { return dl.CUDAVersion(int(v)) }

// IsNoDevice reports whether err says that this machine has nothing CUDA could run on: no library, or no device.
func IsNoDevice(err error) bool {
	return errors.Is(err, ErrLibraryNotFound) || errors.Is(err, ErrNoDevice)
}
