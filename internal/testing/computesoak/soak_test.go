package computesoak

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

var (
	profile = flag.String("computesoak.profile", "", `a driver as "cuda-13.5", "hip-7.2.0" or "host"; `+
		`"all" for all; by default the host, and an old and the newest driver of each vendor`)
	form = flag.String("computesoak.form", "", "plain, faults or kill; all by default")
	seed = flag.Uint64("computesoak.seed", 0,
		"of the random numbers; a new one each time by default")
	duration = flag.Duration("computesoak.time", time.Second, "of each run")
	workers  = flag.Int("computesoak.workers", 0, "goroutines")
)

// runs are what the flags ask for.
func runs() (all []Config) {
	for _, p := range profiles() {
		for _, f := range []Form{Plain, Faults, Kill} {
			if *form != "" && Form(*form) != f || p == "host" && f != Plain {
				continue
			}
			c := Config{Profile: p, Form: f, Seed: *seed, Duration: *duration, Workers: *workers}
			if c.Seed == 0 {
				c.Seed = rand.Uint64N(1 << 40)
			}
			if testing.Short() {
				c.Duration = min(c.Duration, 300*time.Millisecond)
			}
			all = append(all, c)
		}
	}
	return all
}

func profiles() (all []string) {
	cudas, hips := sim.CUDAProfiles(), sim.HIPProfiles()[1:] // HIP on a CPU runs no kernels
	switch *profile {
	case "":
		return []string{"host", "cuda-" + cudas[0], "cuda-" + cudas[len(cudas)-1], "hip-" + hips[0],
			"hip-" + hips[len(hips)-1]}
	case "all":
		all = append(all, "host")
		for _, p := range cudas {
			all = append(all, "cuda-"+p)
		}
		for _, p := range hips {
			all = append(all, "hip-"+p)
		}
		return all
	}
	return strings.Split(*profile, ",")
}

// TestSoak makes the runs, one after the other.
func TestSoak(t *testing.T) {
	for _, c := range runs() {
		t.Run(fmt.Sprintf("%s/%s", c.Profile, c.Form), func(t *testing.T) {
			r := Run(c)
			t.Log(r)
			assert.Empty(t, r.Wrong, "repeat with %v", c)
			if len(r.Wrong) > 0 && os.Getenv("GPUEVENT_SOAK_PLANT") != "" {
				fmt.Println("found:", r.Wrong[0])
			}
		})
	}
}
