package cudrv

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/libs"
)

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
func (v Version) String() string { return libs.CUDA.Version.Text(int(v)) }
