package computesoak

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/internal/testing/simrtc"
)

var devices = flag.String("computesoak.device", "",
	`run on these devices of the machine: "cuda:0", or several with commas between`)

// loadAsDriver loads a simulated driver, and its compiler, as the machine's own. The run knows
// nothing of it and can't control it.
func loadAsDriver(t *testing.T, profile string, captures bool) {
	backend, version, _ := strings.Cut(profile, "-")
	m := sim.NewMachine(sim.Options{ReuseHandles: true, OneHostThread: true})
	for name, f := range kernels {
		m.Kernel(name, f)
	}
	switch backend {
	case "cuda":
		t.Cleanup(m.InstallCUDA(version))
	case "hip":
		t.Cleanup(m.InstallHIP(version))
		if !captures {
			m.FaultAlways("hipStreamIsCapturing", 801)
		}
		t.Cleanup(simrtc.New(version, m.KernelParams).InstallHIPRTC())
	}
	t.Cleanup(func() { empty(m) })
}

// loaded are simulated drivers in the place of the machine's, and the devices under test.
var loaded = []struct {
	profile, devices string
	captures         bool
}{
	{"cuda-13.5", "cuda:0,cuda:1", true},
	{"cuda-11.8", "cuda:1", true},
	{"hip-7.2", "hip:0,hip:1", true},
	{"hip-5.7", "hip:0", true},
	{"hip-7.2", "hip:0", false},
	{"", "host", true},
}

// TestReal soaks the devices that the flag names; without it the host, and simulated drivers that
// are loaded in the place of the machine's own.
func TestReal(t *testing.T) {
	c := Config{Form: Real, Seed: *seed, Duration: *duration, Workers: *workers}
	if c.Seed == 0 {
		c.Seed = rand.Uint64N(1 << 40)
	}
	if *devices != "" {
		c.Devices = *devices
		c.test(t)
		return
	}
	for _, l := range loaded {
		name := fmt.Sprintf("%s as %s", l.profile, l.devices)
		if !l.captures {
			name += " without captures"
		}
		t.Run(name, func(t *testing.T) {
			loadAsDriver(t, l.profile, l.captures)
			c.Devices, c.Duration = l.devices, min(*duration, 300*time.Millisecond)
			c.test(t)
		})
	}
}

// test makes the run, which must find nothing.
func (c Config) test(t *testing.T) {
	r := Run(c)
	t.Log(r)
	assert.Empty(t, r.Wrong, "repeat with %v", c)
	if len(r.Wrong) > 0 && os.Getenv("GPUEVENT_SOAK_PLANT") != "" {
		fmt.Println("found:", r.Wrong[0])
	}
}

// onDevices are plants that form Real must find, without anything of the simulator's: their
// findings come from the model, the account, and from what package compute should have refused.
var onDevices = []string{
	"wrong offset of a slice of a slice",
	"memory that stays in the account",
	"copy not noted in pinned memory",
	"argument of a wrong size accepted",
	"question about streams that ends a capture",
}

// TestPlantedOnDevices builds the soak with some of the bugs and wants form Real to find them, on
// simulated drivers in the place of the machine's own, or on the devices that the flag names.
func TestPlantedOnDevices(t *testing.T) {
	if !*planting {
		t.Skip("takes minutes; make plant does it")
	}
	for _, p := range plants {
		if slices.Contains(onDevices, p.name) && regexp.MustCompile(*plantOnly).MatchString(p.name) {
			t.Run(p.name, func(t *testing.T) {
				p.search(t, "-test.run=^TestReal$", "-computesoak.device="+*devices)
			})
		}
	}
}
