package soak

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// loadAsDriver loads simulated drivers as the machine's own, and returns how many goroutines they
// start. The run knows nothing of them and can't control them.
func loadAsDriver(c *Config) (goroutines int) {
	m := sim.NewMachine(sim.Options{ReuseHandles: true, OneHostThread: true})
	if c.CUDA != "" {
		m.InstallCUDA(c.CUDA)
		goroutines++
	}
	if c.HIP != "" {
		m.InstallHIP(c.HIP)
		goroutines++
	}
	c.CUDA, c.HIP = "", ""
	return goroutines
}

// loaded are simulated drivers in the place of the machine's, and the devices that they have.
var loaded = []run{
	{profile: "cuda-13.5", devices: "cuda:0,cuda:1"},
	{profile: "cuda-11.8", devices: "cuda:0"},
	{profile: "hip-7.2", devices: "hip:0,hip:1"},
	{profile: "hip-6.4", devices: "hip:0"},
	{profile: "cuda-12.4,hip-7.2.0", devices: "cuda:1,hip:0"},
	{devices: "host"},
}

// TestReal soaks the devices that the flag names; without it the host, and simulated drivers that
// are loaded in the place of the machine's own.
func TestReal(t *testing.T) {
	if *devices != "" {
		run{form: Real, devices: *devices, seed: realSeed(), time: *duration}.test(t)
		return
	}
	for _, r := range loaded {
		t.Run(fmt.Sprintf("%s as %s", r.profile, r.devices), func(t *testing.T) {
			r.form, r.seed = Real, realSeed()
			r.time = min(*duration, 3*time.Second) / time.Duration(len(loaded))
			r.test(t)
		})
	}
}

func realSeed() uint64 {
	if *seed != 0 {
		return *seed
	}
	return rand.Uint64N(1 << 40)
}

// onDevices are plants that form Real must find, without anything of the simulator's.
var onDevices = regexp.MustCompile(`^(lost wake-up of WaitAny|stale done|dropped callback|` +
	`callbacks in the wrong order|wait that ignores its context|` +
	`failed host function forgotten where somebody waits)$`)

// TestPlantedOnDevices builds the soak with some of the bugs and wants form Real to find them, on
// simulated drivers in the place of the machine's own, or on the devices that the flag names.
func TestPlantedOnDevices(t *testing.T) {
	if !*planting {
		t.Skip("takes minutes; make plant does it")
	}
	for _, p := range plants {
		if !onDevices.MatchString(p.name) || !regexp.MustCompile(*plantOnly).MatchString(p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			r := loaded[0]
			if *devices != "" {
				r = run{devices: *devices}
			}
			r.form, r.time, r.seed = Real, oneSearch, max(*seed, 1)
			p.search(t, r)
		})
	}
}

// TestRealRefuses wants a device that is not there to be named.
func TestRealRefuses(t *testing.T) {
	r := Run(Config{Form: Real, Devices: "host,cuda:99", Duration: time.Millisecond})
	if assert.Len(t, r.Wrong, 1) {
		assert.Contains(t, r.Wrong[0], "cuda:99")
	}
	assert.ErrorIs(t, r.Impossible, ErrOpen)
	event.SetErrorHandler(nil)
}

// TestWithout wants operations that are left out not to be made.
func TestWithout(t *testing.T) {
	t.Parallel()
	table := tableWithout([]string{"capture", "no such"})
	assert.Contains(t, table, opRecord)
	assert.NotContains(t, table, opCapture)
	assert.Contains(t, tableWithout(nil), opCapture)
}
