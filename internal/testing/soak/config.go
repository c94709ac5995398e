package soak

import (
	"fmt"
	"slices"
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
)

// plain reports whether nothing goes wrong.
func (c *Config) plain() bool { return c.Form == Plain || c.Form == OneThread }

// Config of a run. Package event looks for devices once per process, so a process has one run.
type Config struct {
	CUDA string // the profile of the CUDA driver; none if empty
	HIP  string // the profile of the HIP runtime; none if empty
	Form Form
	Seed uint64

	Duration time.Duration
	Workers  int // goroutines; 32 if zero
	Streams  int // 16 if zero
	Events   int // open at a time; 64 if zero

	// Patience is how long a call may outlast the opening of the last gate. It is counted in turns
	// of the watchdog, so that a machine that stands still makes nobody late. 3 s if zero.
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

func (c *Config) fill() {
	if c.Form == "" {
		c.Form = Plain
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
	return fmt.Sprintf("-soak.form=%s -soak.profile=cuda-%s,hip-%s -soak.seed=%d -soak.time=%v",
		c.Form, c.CUDA, c.HIP, c.Seed, c.Duration)
}
