package computesoak

import (
	"fmt"
	"time"
)

// Form says what goes wrong during a run.
type Form string

// The forms.
const (
	Plain  Form = "plain"  // nothing
	Faults Form = "faults" // some of the driver's calls
	Kill   Form = "kill"   // a device, at a random moment
	Real   Form = "real"   // nothing; on the devices of the machine, see Config.Devices
)

// Config of a run. There is one run at a time.
type Config struct {
	Profile  string // "cuda-13.5", "hip-7.2.0", or "host"
	Form     Form
	Devices  string // of form Real: "cuda:0", or several with commas between; Profile is ""
	Seed     uint64
	Duration time.Duration
	Workers  int // goroutines; 8 if zero
}

// How many there are of each kind.
const (
	manyCells   = 12
	manyLanes   = 5
	manyPinned  = 4
	manyGraphs  = 6
	manyModules = 3
	mostLen     = 300 // elements of a buffer
)

// How much shared memory a launch may ask for, in bytes. NVIDIA's GPUs before sm_70 have no more
// than the second.
const (
	muchShared = 60 << 10
	lessShared = 40 << 10
)

// patience is how long a run may outlast its time.
const patience = 12 * time.Second

// faultRate is the share of driver calls that fail.
const faultRate = 0.003

// String tells how to repeat the run.
func (c Config) String() string {
	if c.Form == Real {
		return fmt.Sprintf("-computesoak.device=%s -computesoak.seed=%d -computesoak.time=%v",
			c.Devices, c.Seed, c.Duration)
	}
	return fmt.Sprintf("-computesoak.profile=%s -computesoak.form=%s -computesoak.seed=%d "+
		"-computesoak.time=%v", c.Profile, c.Form, c.Seed, c.Duration)
}
