package hip

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/libs"
)

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

// RuntimeVersion returns the version of the HIP runtime library, which ROCm's was up to ROCm 7; HIP
// 7.15 is of ROCm 10.0. It needs a library but no device.
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
func (v Version) String() string { return libs.HIP.Version.Text(int(v)) }
