package eventsim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Config describes a machine. The zero value is one NVIDIA GPU with the newest driver.
type Config struct {
	// Backend is the vendor: event.CUDA, or event.HIP. Empty means event.CUDA.
	Backend event.Backend
	// Version is the driver's, one of [Versions]. Empty means the newest.
	Version string
	// Devices is the number of devices. 0 means 1; a negative number means none, for a process-wide
	// machine whose driver finds no device.
	Devices int
	// Memory is the memory of each device, in bytes. 0 means 16 GiB. Allocations take memory of the
	// host.
	Memory uint64
	// RealTime makes the machine use the system's clock instead of one that [Machine.Advance]
	// moves.
	RealTime bool
	// ClockOffset and ClockDrift set the devices' clocks apart from the system's, with RealTime only:
	// when the machine is made its clock shows the offset, and it gains the drift in every second,
	// in seconds. 50e-6 is 50 parts per million; a clock with a negative drift is slow.
	ClockOffset time.Duration
	ClockDrift  float64
	// ProcessWide makes the machine the one that event.Default, event.Devices and event.Open find,
	// and all functions of cudrv or hip. No other machine of the backend can exist meanwhile.
	ProcessWide bool
}

// Versions returns the driver versions that can be simulated, oldest first: of CUDA's driver API,
// or of ROCm.
func Versions(b event.Backend) []string {
	switch b {
	case event.CUDA:
		return sim.CUDAProfiles()
	case event.HIP: // without "cpu", which is no GPU
		return slices.DeleteFunc(sim.HIPProfiles(), func(v string) bool { return v == "cpu" })
	}
	return nil
}

// complete fills in defaults and refuses invalid values.
func (c Config) complete() (Config, error) {
	if c.Backend == "" {
		c.Backend = event.CUDA
	}
	versions := Versions(c.Backend)
	if len(versions) == 0 {
		return c, fmt.Errorf("eventsim: backend %q can't be simulated: use event.CUDA or event.HIP",
			c.Backend)
	}
	if c.Version == "" {
		c.Version = versions[len(versions)-1]
	}
	if !slices.Contains(versions, c.Version) {
		return c, fmt.Errorf("eventsim: version %q of %s can't be simulated: use one of %q",
			c.Version, c.Backend, versions)
	}
	if !c.RealTime && (c.ClockOffset != 0 || c.ClockDrift != 0) {
		return c, fmt.Errorf("eventsim: a clock that Machine.Advance moves has no offset and no drift: " +
			"set Config.RealTime")
	}
	if !(math.Abs(c.ClockDrift) <= maxDrift) {
		return c, fmt.Errorf("eventsim: a clock drifts by at most %v, not by %v", maxDrift, c.ClockDrift)
	}
	if c.Devices == 0 {
		c.Devices = 1
	}
	if c.Devices > maxDevices {
		return c, fmt.Errorf("eventsim: a machine has at most %d devices, not %d", maxDevices, c.Devices)
	}
	return c, nil
}

const (
	maxDevices = 64
	maxDrift   = 0.01
)
