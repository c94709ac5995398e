package hip

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// Errors of loading. Test for them with [errors.Is]; [errors.As] finds a [*LibraryError] or a [*SymbolError] with all that is known.
var (
	// ErrLibraryNotFound: no HIP runtime library could be opened. A [*LibraryError] lists every path tried, each with its reason.
	ErrLibraryNotFound = dl.ErrLibraryNotFound
	// ErrSymbolNotFound: the library lacks the function. The error names the symbol, the ROCm release that introduced it and the runtime's.
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

// Load opens the HIP runtime library before the first call would. It is needed only to choose the library, or to look
// again after a failure.
//
// With paths, only those are tried, in order. Without, the paths in the environment variable GPUEVENT_HIP_LIBRARY if it
// is set; else a version that the process has loaded already, for two runtimes don't know each other's objects; else
// libamdhip64.so.8 down to .so.5 in the folders of ROCM_PATH and HIP_PATH, where the dynamic loader finds them, and in
// the known folders (/opt/rocm), or amdhip64_7.dll and its like of the system folder. What is no file is not opened, and
// a library without hipRuntimeGetVersion is not taken. Programs that run with more rights than who started them (setuid,
// setgid, file capabilities) ignore the variables. A library that is open stays open: [ErrAlreadyLoaded].
func Load(paths ...string) error { return dl.HIP.Load(paths...) }

// Path returns the path or name that the library was opened by, or "" while none is open.
func Path() string { return dl.HIP.Path() }

// Available reports whether HIP can be used here: nil if there is a library and it has at least one device. Else the error
// is [ErrLibraryNotFound], one for which [IsNoDevice] holds, or what the runtime says is wrong.
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

// Has reports whether the runtime has a symbol, by its exported C name: Has("hipEventRecordWithFlags"). False without a library.
func Has(symbol string) bool { return dl.HIP.Has(symbol) }

// Since says which ROCm version introduced a symbol, by its exported C name. Few headers were read,
// so it mostly says between which two: Since("hipEventRecordWithFlags") is "after 5.7.1, by 6.4.3".
// "5.2.3 or earlier" is what the oldest header has. It is "" for a name that is no function of this
// package. It is meant for people; ask [Has] whether a function is there. It opens no library.
func Since(symbol string) string { return since(symbol) }

// Version is a HIP version as the API encodes it: 10000000*major + 100000*minor + patch, so 60443484 is 6.4.43484.
type Version int

// DriverVersion returns the version of the HIP driver, which on AMD is that of the runtime. It needs a library but no device.
func DriverVersion() (Version, error) {
	v, err := DriverGetVersion()
	if err != nil {
		return 0, fmt.Errorf("ask the HIP library for its driver version: %w", err)
	}
	return Version(v), nil
}

// RuntimeVersion returns the version of the HIP runtime library. It needs a library but no device.
func RuntimeVersion() (Version, error) {
	v, err := RuntimeGetVersion()
	if err != nil {
		return 0, fmt.Errorf("ask the HIP library for its runtime version: %w", err)
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

// IsNoDevice reports whether err says that this machine has nothing HIP could run on: no library, or no device. Runtimes disagree on
// the code for the latter: [ErrNoDevice] (100), [ErrInvalidDevice] (101, ROCm 5) or [ErrNotInitialized] (3, chipStar).
func IsNoDevice(err error) bool {
	return errors.Is(err, ErrLibraryNotFound) || errors.Is(err, ErrNoDevice) || errors.Is(err, ErrInvalidDevice) ||
		errors.Is(err, ErrNotInitialized)
}
