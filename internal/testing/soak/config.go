package soak

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Form says what goes wrong during a run.
type Form string

// The forms.
const (
	Plain     Form = "plain"     // nothing
	OneThread Form = "onethread" // nothing; but each driver has one thread for all host functions
	Faults    Form = "faults"    // 1 % of the driver's calls
	Kill      Form = "kill"      // a device, at a random moment
	Real      Form = "real"      // nothing; on the devices of the machine, see Config.Devices
)

// plain reports whether nothing goes wrong.
func (c *Config) plain() bool {
	return c.Form == Plain || c.Form == OneThread || c.Form == Real
}

// Config of a run. Package event looks for devices once per process, so a process has one run.
type Config struct {
	CUDA string // the profile of the CUDA driver; none if empty
	HIP  string // the profile of the HIP runtime; none if empty
	Form Form
	Seed uint64

	// Devices are those of form Real: "cuda:0", or several with commas between. The host is always
	// one of them. Their drivers are whatever the machine has, and CUDA and HIP are empty.
	Devices string
	// Without names operations to leave out, as String prints them; "global capture" leaves out
	// captures that forbid others much.
	Without []string
	// Goroutines is how many a driver may start for itself: simulated ones do.
	Goroutines int

	Duration time.Duration
	Workers  int // goroutines; 32 if zero
	Streams  int // 16 if zero
	Events   int // open at a time; 64 if zero

	// Patience is how long a call may outlast the opening of the last gate. It is counted in turns
	// of the watchdog, so that a machine that stands still makes nobody late. 3 s if zero. What ends
	// later than that is looked at more closely: see lateEnds.
	Patience time.Duration
	// FaultRate is the share of driver calls that fail in form Faults; 0.01 if zero.
	FaultRate float64
	// Skip names checks to leave out, to look past what is known: see skips.
	Skip []string
}

// skips reports whether a check is left out. Those that can be are "any-first" (WaitAny returns the
// first of those known to be done), "order" (of callbacks), "pending" (what is done is not called
// pending), "late" (contexts), "asked-captured" (the driver is not asked about an event that is
// recorded in a capture meanwhile).
func (c *Config) skips(check string) bool { return slices.Contains(c.Skip, check) }

// realPatience is that of form Real. Others may use the device, and a driver may be slow to begin.
const realPatience = 15 * time.Second

// withoutGlobal leaves out captures in global mode.
const withoutGlobal = "global capture"

func (c *Config) fill() {
	if c.Form == "" {
		c.Form = Plain
	}
	if c.Form == Real {
		c.fillReal()
	}
	if c.Workers == 0 {
		c.Workers = 32
	}
	if c.Streams == 0 {
		c.Streams = 16
	}
	if c.Events == 0 {
		c.Events = 64
	}
	if c.Patience == 0 {
		c.Patience = 3 * time.Second
	}
	if c.FaultRate == 0 {
		c.FaultRate = 0.01
	}
}

// String tells how to repeat the run.
func (c Config) String() string {
	if c.Form == Real {
		return fmt.Sprintf("-soak.device=%s -soak.without=%q -soak.seed=%d -soak.time=%v",
			c.Devices, strings.Join(c.Without, ","), c.Seed, c.Duration)
	}
	return fmt.Sprintf("-soak.form=%s -soak.profile=cuda-%s,hip-%s -soak.seed=%d -soak.time=%v",
		c.Form, c.CUDA, c.HIP, c.Seed, c.Duration)
}
