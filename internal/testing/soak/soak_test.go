package soak

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

var (
	duration = flag.Duration("soak.time", 3*time.Second, "how long the soak takes in all")
	seed     = flag.Uint64("soak.seed", 0, "the seed; a new one for each run if 0")
	profile  = flag.String("soak.profile", "", "the drivers, \"cuda-13.5,hip-7.2\"; "+
		"\"all\" pairs the profiles in turn; the newest if empty")
	form    = flag.String("soak.form", "", "plain, onethread, faults or kill; all in turn if empty")
	faults  = flag.Bool("soak.faults", false, "short for -soak.form=faults")
	killed  = flag.Bool("soak.kill", false, "short for -soak.form=kill")
	workers = flag.Int("soak.workers", 0, "goroutines")
	skip    = flag.String("soak.skip", "", "checks to leave out, separated by commas: "+
		"any-first, order, pending, late, asked-captured")
	patience = flag.Duration("soak.patience", 0, "how long a call may last")
	devices  = flag.String("soak.device", "", "run on these devices of the machine: \"cuda:0\", or "+
		"several with commas between")
	without = flag.String("soak.without", "", "operations to leave out on them, separated by "+
		"commas, as a report names them")
)

// childEnv tells a process that it makes one run, which its flags describe.
const childEnv = "GPUEVENT_SOAK_CHILD"

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(childEnv) != "" {
		os.Exit(child())
	}
	os.Exit(m.Run())
}

func child() int {
	c := Config{Form: Form(*form), Seed: *seed, Duration: *duration, Workers: *workers,
		Patience: *patience, Skip: strings.Split(*skip, ","), Devices: *devices,
		Without: strings.FieldsFunc(*without, func(r rune) bool { return r == ',' })}
	for _, p := range strings.Split(*profile, ",") {
		api, version, _ := strings.Cut(p, "-")
		switch api {
		case "cuda":
			c.CUDA = version
		case "hip":
			c.HIP = version
		}
	}
	if c.Form == Real && c.CUDA+c.HIP != "" {
		c.Goroutines = loadAsDriver(&c)
	}
	r := Run(c)
	fmt.Println(r)
	if len(r.Wrong) > 0 {
		fmt.Printf("%s\nrepeat with %v\n", strings.Join(r.Wrong, "\n"), r.Config)
		return 1
	}
	return 0
}

// run is one process's.
type run struct {
	form    Form
	profile string
	seed    uint64
	time    time.Duration
	devices string // of form Real
}

// process makes a run in a process of its own, for package event looks for devices only once.
func process(r run) (string, error) { return processOf(os.Args[0], r) }

// processOf makes a run of another build of this test.
func processOf(binary string, r run) (string, error) {
	args := []string{"-soak.form=" + string(r.form), "-soak.profile=" + r.profile,
		fmt.Sprintf("-soak.seed=%d", r.seed), fmt.Sprintf("-soak.time=%v", r.time),
		fmt.Sprintf("-soak.workers=%d", *workers), fmt.Sprintf("-soak.patience=%v", *patience),
		"-soak.skip=" + *skip, "-soak.device=" + r.devices, "-soak.without=" + *without}
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), childEnv+"=1", "GOTRACEBACK=all")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// runs are what the flags ask for: the time is spread over the forms, and over the profiles if
// several are meant.
func runs() []run {
	forms := []Form{Plain, OneThread, Faults, Kill}
	switch {
	case *faults:
		forms = []Form{Faults}
	case *killed:
		forms = []Form{Kill}
	case *form != "":
		forms = []Form{Form(*form)}
	}
	var all []run
	for _, p := range profiles() {
		for _, f := range forms {
			s := *seed
			if s == 0 {
				s = rand.Uint64N(1 << 40)
			}
			all = append(all, run{form: f, profile: p, seed: s})
		}
	}
	whole := *duration
	if testing.Short() {
		whole = min(whole, time.Second)
	}
	for i := range all {
		all[i].time = whole / time.Duration(len(all))
	}
	return all
}

// profiles are pairs of drivers that run side by side.
func profiles() []string {
	cudas, hips := sim.CUDAProfiles(), sim.HIPProfiles()
	pair := func(i, j int) string {
		return fmt.Sprintf("cuda-%s,hip-%s", cudas[i%len(cudas)], hips[j%len(hips)])
	}
	switch *profile {
	case "":
		return []string{pair(len(cudas)-1, len(hips)-1)}
	case "all":
		var all []string
		for i := range max(len(cudas), len(hips)) {
			all = append(all, pair(i, i))
		}
		return all
	}
	return []string{*profile}
}

// TestSoak makes the runs, one process after the other.
func TestSoak(t *testing.T) {
	for _, r := range runs() {
		t.Run(fmt.Sprintf("%s/%s", r.form, r.profile), func(t *testing.T) {
			r.test(t)
		})
	}
}

// test makes the run, which must find nothing.
func (r run) test(t *testing.T) {
	out, err := process(r)
	if err != nil {
		var exit *exec.ExitError
		require.True(t, errors.As(err, &exit), "%v", err)
	}
	assert.NoError(t, err)
	t.Log(out)
}
