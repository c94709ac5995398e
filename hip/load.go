package hip

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// Errors of loading. Test for them with [errors.Is]; [errors.As] finds a [*LibraryError] or a
// [*SymbolError] with the details.
var (
	// ErrLibraryNotFound: no HIP runtime library could be opened. A [*LibraryError] lists every path
	// tried, each with its reason.
	ErrLibraryNotFound = dl.ErrLibraryNotFound
	// ErrSymbolNotFound: the library lacks the function. The error names the symbol, the ROCm release
	// that introduced it and the runtime's.
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

// Load opens the HIP runtime library, as the first call otherwise does. Call it only to choose the
// library, or to search again after a failure.
//
// If paths are given, Load tries only those, in order. Otherwise it tries the paths in the
// environment variable GPUEVENT_HIP_LIBRARY. If that is not set, it uses a version that the process
// has already loaded, because two copies of the runtime do not know each other's objects. Otherwise
// it tries libamdhip64.so.8 down to .so.5 in the folders of ROCM_PATH and HIP_PATH, in the dynamic
// loader's search and in the known folders (/opt/rocm), or amdhip64_7.dll and similar names in the
// system folder.
//
// Load opens only files, and rejects a library without hipRuntimeGetVersion. Programs that run with
// more rights than the user who started them (setuid, setgid, file capabilities) ignore the
// variables. An open library is never closed; asking for another path then returns
// [ErrAlreadyLoaded].
func Load(paths ...string) error { return dl.HIP.Load(paths...) }

// Path returns the path or name that the library was opened by, or "" while none is open.
func Path() string { return dl.HIP.Path() }

// Available returns nil if HIP can be used: there is a library, and it has at least one device.
// Otherwise the error is [ErrLibraryNotFound], one for which [IsNoDevice] is true, or the runtime's
// error.
func Available() error {
	n, err := GetDeviceCount()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoDevice
	}
	return nil
}

// Has reports whether the runtime has a symbol, by its exported C name:
// Has("hipEventRecordWithFlags"). It is false if there is no library.
func Has(symbol string) bool { return dl.HIP.Has(symbol) }

// Since returns the ROCm version that introduced a symbol, by its exported C name. Few headers were
// read, so it mostly names two: Since("hipEventRecordWithFlags") is "after 6.2, by 6.4.3".
// Symbols of the oldest header are "5.2.3 or earlier". It is "" for a name that is not a function
// of this package. The text is for people; use [Has] to check for a function. Since opens no
// library.
func Since(symbol string) string { return since(symbol) }

// Version is a HIP version as the API encodes it: 10000000*major + 100000*minor + patch, so
// 60443484 is 6.4.43484.
type Version int

// DriverVersion returns the version of the HIP driver, which on AMD is that of the runtime. It
// needs a library but no device.
func DriverVersion() (Version, error) {
	v, err := DriverGetVersion()
	if err != nil {
		return 0, fmt.Errorf("query the driver version of the HIP library: %w", err)
	}
	return Version(v), nil
}

// RuntimeVersion returns the version of the HIP runtime library. It needs a library but no device.
func RuntimeVersion() (Version, error) {
	v, err := RuntimeGetVersion()
	if err != nil {
		return 0, fmt.Errorf("query the runtime version of the HIP library: %w", err)
	}
	return Version(v), nil
}

// Major returns the major part: 6 of 6.4.
func (v Version) Major() int { return int(v) / 10_000_000 }

// Minor returns the minor part: 4 of 6.4.
func (v Version) Minor() int { return int(v) % 10_000_000 / 100_000 }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool { return int(v) >= 10_000_000*major+100_000*minor }

// String returns "6.4.43484".
func (v Version) String() string { return dl.HIPVersion(int(v)) }

// IsNoDevice reports whether err means that HIP cannot run on this machine: no library, or no
// device. Runtimes return different codes if there is no device: [ErrNoDevice] (100),
// [ErrInvalidDevice] (101, ROCm 5) or [ErrNotInitialized] (3, chipStar).
func IsNoDevice(err error) bool {
	return errors.Is(err, ErrLibraryNotFound) || errors.Is(err, ErrNoDevice) ||
		errors.Is(err, ErrInvalidDevice) ||
		errors.Is(err, ErrNotInitialized)
}
