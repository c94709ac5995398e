package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

var factsPage = filepath.Join("..", "..", "..", "docs", "driver-facts.md")

// answerOf does a part and reads its list.
func answerOf[T any](t *testing.T, p part) (answer []T) {
	t.Helper()
	p.file, p.facts = filepath.Join(t.TempDir(), "answer.json"), factsPage
	require.NoError(t, p.do(io.Discard))
	data, err := os.ReadFile(p.file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &answer))
	files, err := os.ReadDir(filepath.Dir(p.file))
	require.NoError(t, err)
	assert.Len(t, files, 1, "nothing lies beside it")
	return answer
}

func TestDevices(t *testing.T) {
	m := sim.NewMachine(sim.Options{})
	t.Cleanup(m.InstallCUDA("12.8"))
	t.Cleanup(m.InstallHIP("6.4"))
	all := answerOf[report.Device](t, part{name: "devices"})
	require.Len(t, all, 5)
	assert.Equal(t, "cuda:0", all[0].Name)
	assert.Equal(t, "CUDA 12.8", all[0].API)
	assert.True(t, all[0].Simulated)
	assert.Positive(t, all[0].Memory)
	assert.Equal(t, "hip", all[2].Backend)
	assert.Contains(t, all[2].API, "HIP 6.4.")
	assert.Equal(t, report.Host, all[4].Name)
	assert.False(t, all[4].Simulated)
}

// TestFactsOfSimulatedDrivers wants no driver to differ from the page that it is made after.
func TestFactsOfSimulatedDrivers(t *testing.T) {
	install := map[string]func(*sim.Machine, string) func(){
		"cuda": (*sim.Machine).InstallCUDA, "hip": (*sim.Machine).InstallHIP}
	for backend, releases := range map[string][]string{"cuda": sim.CUDAProfiles(),
		"hip": sim.HIPProfiles()} {
		for _, release := range releases {
			t.Run(backend+"-"+release, func(t *testing.T) {
				t.Cleanup(install[backend](sim.NewMachine(sim.Options{}), release))
				all := answerOf[report.Fact](t, part{name: "facts", device: backend + ":0"})
				assert.Len(t, all, len(eventtest.FactProbes()))
				confirmed := 0
				for _, f := range all {
					assert.NotEqual(t, report.Differs, f.Answer, "%s: %s", f.ID, f.Saw)
					if f.Answer == report.Confirmed {
						confirmed++
					}
				}
				assert.GreaterOrEqual(t, confirmed, 12)
			})
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	row := factRow{about: "AMD before 5.5"}
	for _, x := range []struct {
		outcome eventtest.Outcome
		release string
		want    report.Answer
		saw     string
	}{
		{eventtest.Confirmed, "5.4", report.Confirmed, "it did"},
		{eventtest.Contradicted, "5.4", report.Differs, "it did"},
		{eventtest.NotApplicable, "5.4", report.NotAskable, "it did"},
		{eventtest.Confirmed, "6.0", report.Differs, "it is so here too"},
		{eventtest.Contradicted, "6.0", report.NotAskable, "the fact is about AMD before 5.5"},
		{eventtest.NotApplicable, "6.0", report.NotAskable, "it did"},
	} {
		f := answer(eventtest.FactResult{ID: "amd-x", Outcome: x.outcome, Saw: "it did"}, row, "AMD",
			x.release)
		assert.Equal(t, x.want, f.Answer, "%+v", x)
		assert.Contains(t, f.Saw, x.saw)
	}
	f := answer(eventtest.FactResult{ID: "amd-x", Outcome: eventtest.Contradicted, Saw: "it did not"},
		factRow{about: "AMD from 6.4.2"}, "AMD", "6.4.43484")
	assert.Equal(t, report.Fact{ID: "amd-x", Answer: report.NotAskable, Saw: "the fact is about AMD " +
		"from 6.4.2, and whether 6.4.43484 is one is not known: it did not"}, f)
}

// TestFactsOfAnUnknownRelease wants a fact of some releases of chipStar to be confirmed where it is
// seen, and no release to be blamed where it is not: chipStar 1.1 to 1.3 report the same one.
func TestFactsOfAnUnknownRelease(t *testing.T) {
	t.Cleanup(sim.NewMachine(sim.Options{}).InstallHIP("cpu"))
	v, err := hip.RuntimeVersion()
	require.NoError(t, err)
	assert.Equal(t, 1, v.Major())
	assert.Equal(t, 1, v.Minor())
	release, err := releaseOf(chipStar)
	require.NoError(t, err)
	for _, x := range []struct {
		outcome eventtest.Outcome
		about   string
		want    report.Answer
		saw     string
	}{
		{eventtest.Confirmed, "chipStar from 1.3", report.Confirmed, "it did"},
		{eventtest.Contradicted, "chipStar from 1.3", report.NotAskable, "the fact is about " +
			"chipStar from 1.3, and whether this release of chipStar is one is not known: it did"},
		{eventtest.Confirmed, "chipStar", report.Confirmed, "it did"},
		{eventtest.Contradicted, "chipStar", report.Differs, "it did"},
	} {
		f := answer(eventtest.FactResult{ID: "chip-x", Outcome: x.outcome, Saw: "it did"},
			factRow{about: x.about}, chipStar, release)
		assert.Equal(t, report.Fact{ID: "chip-x", Answer: x.want, Saw: x.saw}, f)
	}
}

// soakMachine is a simulated driver with the kernels of the soak of compute.
func soakMachine() *sim.Machine {
	machine := sim.NewMachine(sim.Options{ReuseHandles: true})
	machine.Kernel("add", func(b *compute.Block, n, v int32, x []int32) {
		for i := range b.Threads(int(n)) {
			x[i] += v
		}
	})
	machine.Kernel("axpy", func(b *compute.Block, n, a int32, x, y []int32) {
		for i := range b.Threads(int(n)) {
			y[i] += a * x[i]
		}
	})
	return machine
}

// partEnv holds a soak that a process of the tests runs: its name, device, file, the simulated
// driver and a call that fails. A soak wants a process of its own.
const partEnv = "GPUEVENT_GPUKIT_PART"

func TestMain(m *testing.M) {
	text := os.Getenv(partEnv)
	if text == "" {
		os.Exit(m.Run())
	}
	words := strings.Split(text, "|")
	machine := soakMachine()
	if words[3] != "" {
		machine.InstallCUDA(words[3])
	}
	if words[4] != "" {
		machine.Fault(sim.Fault{Call: words[4], At: 30, Times: 1, Code: 999})
	}
	p := part{name: words[0], device: words[1], file: words[2], limit: 500 * time.Millisecond}
	os.Exit(p.run(os.Stdout, os.Stderr))
}

func soaked(t *testing.T, name, device, driver, broken string) report.Tally {
	t.Helper()
	file := filepath.Join(t.TempDir(), "answer.json")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(),
		partEnv+"="+strings.Join([]string{name, device, file, driver, broken}, "|"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var all []report.Tally
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all, 1)
	return all[0]
}

// TestSoaks soaks both packages on the host and on a simulated driver.
func TestSoaks(t *testing.T) {
	t.Parallel()
	for device, driver := range map[string]string{"host": "", "cuda:1": "13.5"} {
		for i, s := range soakParts {
			if testing.Short() && i%3 != 0 { // the first of event, and that of compute
				continue
			}
			r := soaked(t, s.name, device, driver, "")
			assert.Equal(t, s.name, r.Name)
			assert.Equal(t, device, r.Device)
			assert.Empty(t, r.Failures)
			assert.NotEmpty(t, r.LeftOut)
			assert.Positive(t, r.Counts["operations"])
		}
	}
}

// TestFindings wants a driver that fails to be a finding.
func TestFindings(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]string{"soak event without captures": "cuEventRecord",
		"soak compute": "cuLaunchKernel"} {
		r := soaked(t, name, "cuda:0", "13.5", call)
		require.NotEmpty(t, r.Failures, name)
		assert.Contains(t, r.Failures[0].Text, "999")
		assert.Contains(t, r.Failures[0].Text, "repeat with -")
	}
}
