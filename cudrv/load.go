package cudrv

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// Errors of loading. Test for them with [errors.Is]; [errors.As] finds a [*LibraryError] or a
// [*SymbolError] with the details.
var (
	// ErrLibraryNotFound: no CUDA driver library could be opened. A [*LibraryError] lists every path
	// tried, each with its reason.
	ErrLibraryNotFound = dl.ErrLibraryNotFound
	// ErrSymbolNotFound: the library lacks the function. The error names the symbol, the CUDA release
	// that introduced it and the driver's.
	ErrSymbolNotFound = dl.ErrSymbolNotFound
	// ErrAlreadyLoaded: [Load] was called with a path, but another library is in use.
	ErrAlreadyLoaded = dl.ErrAlreadyLoaded
)

type (
	// LibraryError is the error that matches [ErrLibraryNotFound], for [errors.As].
	LibraryError = dl.LibraryError
	// Attempt is one path of a [LibraryError], and why it failed.
	Attempt = dl.Attempt
	// SymbolError is the error that matches [ErrSymbolNotFound], for [errors.As].
	SymbolError = dl.SymbolError
)

// Load opens the CUDA driver library, as the first call otherwise does. Call it only to choose the
// library, or to search again after a failure.
//
// If paths are given, Load tries only those, in order. Otherwise it tries the paths in the
// environment variable GPUEVENT_CUDA_LIBRARY. If that is not set, it uses a library that the
// process has already loaded, or libcuda.so.1 from the dynamic loader's search or the known folders
// (WSL, Tegra, containers, the compat package), or nvcuda.dll from the system folder.
//
// Load never opens the toolkit's linker stub or anything but a file, and rejects a library without
// cuDriverGetVersion. Programs that run with more rights than the user who started them (setuid,
// setgid, file capabilities) ignore the variable. An open library is never closed; asking for
// another path then returns [ErrAlreadyLoaded].
func Load(paths ...string) error { return dl.CUDA.Load(paths...) }

// Path returns the path or name that the library was opened by, or "" while none is open.
func Path() string { return dl.CUDA.Path() }

// Available returns nil if CUDA can be used: there is a library, and it has at least one device.
// Otherwise the error is [ErrLibraryNotFound], [ErrNoDevice] or the driver's error. It calls
// cuInit, which takes some tens of milliseconds the first time.
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

// Has reports whether the driver has a symbol, by its exported C name:
// Has("cuEventElapsedTime_v2"). It is false if there is no library.
func Has(symbol string) bool { return dl.CUDA.Has(symbol) }

// Since returns the CUDA version that introduced a symbol, by its exported C name:
// Since("cuEventCreate") is "2.0". If headers between two versions were not read, it names both, as
// in "after 12.6, by 12.8". Symbols of the oldest header are "11.8 or earlier". It is "" for a name
// that is not a function of this package. The text is for people; use [Has] to check for a
// function. Since opens no library.
func Since(symbol string) string { return since(symbol) }

// Version is a CUDA version as the API encodes it: 1000*major + 10*minor, so 12040 is 12.4.
type Version int

// DriverVersion returns the newest CUDA version that the installed driver supports. It needs a
// library, but neither Init nor a device.
func DriverVersion() (Version, error) {
	v, err := DriverGetVersion()
	if err != nil {
		return 0, fmt.Errorf("query the version of the CUDA driver: %w", err)
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

// IsNoDevice reports whether err means that CUDA cannot run on this machine: no library, or no
// device.
func IsNoDevice(err error) bool {
	return errors.Is(err, ErrLibraryNotFound) || errors.Is(err, ErrNoDevice)
}
