package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/testing/bindings"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/tools/gpukit/facts"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

var factsPage = filepath.Join("..", "..", "..", "docs", "driver-facts.md")

// ask runs the program and reads its answer.
func ask[T any](t *testing.T, args ...string) (answer T, status int, stderr string) {
	t.Helper()
	var text bytes.Buffer
	file := filepath.Join(t.TempDir(), "answer.json")
	status = run(append(args, "-out", file), &text)
	if status == 0 {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &answer))
	}
	return answer, status, text.String()
}

func TestUsage(t *testing.T) {
	for _, x := range []struct {
		args []string
		want string
	}{
		{nil, "it needs -out and -what"},
		{[]string{"-what", "weather", "-out", "x"}, "devices, facts, libraries, library, others"},
		{[]string{"-what", "devices"}, "it needs -out"},
		{[]string{"-nonsense"}, "nonsense"},
	} {
		var out bytes.Buffer
		assert.Equal(t, statusUsage, run(x.args, &out), "%q", x.args)
		assert.Contains(t, out.String(), x.want)
	}
}

func TestDevices(t *testing.T) {
	m := sim.NewMachine(sim.Options{})
	t.Cleanup(m.InstallCUDA("12.8"))
	t.Cleanup(m.InstallHIP("6.4"))
	all, status, _ := ask[[]report.Listed](t, "-what", "devices")
	require.Zero(t, status)
	require.Len(t, all, 5)
	assert.Equal(t, "cuda:0", all[0].Name)
	assert.Equal(t, "CUDA 12.8", all[0].Driver.API)
	assert.True(t, all[0].Simulated)
	assert.Positive(t, all[0].Memory)
	assert.NotEmpty(t, all[0].Bus)
	assert.Equal(t, "hip", all[2].Backend)
	assert.Contains(t, all[2].Driver.API, "HIP 6.4.")
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
				all, status, stderr := ask[[]report.Fact](t, "-what", "facts", "-device", backend+":0",
					"-page", factsPage)
				require.Zero(t, status, stderr)
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
	row := facts.Row{About: "AMD before 5.5"}
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
		facts.Row{About: "AMD from 6.4.2"}, "AMD", "6.4.43484")
	assert.Equal(t, report.Fact{ID: "amd-x", Answer: report.NotAskable, Saw: "the fact is about AMD " +
		"from 6.4.2, and whether 6.4.43484 is one is not known: it did not"}, f)
}

func TestFactsOfNothing(t *testing.T) {
	_, status, stderr := ask[any](t, "-what", "facts", "-device", "host", "-page", factsPage)
	assert.Equal(t, statusNotPossible, status)
	assert.Contains(t, stderr, "the host has no driver")
	_, status, stderr = ask[any](t, "-what", "facts", "-device", "cuda:77", "-page", factsPage)
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "cuda:77")
	_, status, _ = ask[any](t, "-what", "facts", "-device", "host", "-page", "absent.md")
	assert.Equal(t, statusFailed, status)
}

func TestLibrary(t *testing.T) {
	t.Cleanup(sim.NewMachine(sim.Options{}).InstallCUDA("12.8"))
	a, status, stderr := ask[report.LibraryAnswer](t, "-what", "library", "-api", "cuda")
	require.Zero(t, status, stderr)
	assert.Equal(t, "12.8", a.Library.Version)
	assert.Equal(t, 2, a.Tests.Passed)
	assert.Zero(t, a.Tests.Failed)

	_, status, stderr = ask[any](t, "-what", "library", "-api", "opencl")
	assert.Equal(t, statusFailed, status)
	assert.Contains(t, stderr, "amdsmi, cuda, hip")

	t.Setenv("GPUEVENT_RCCL_LIBRARY", filepath.Join(t.TempDir(), "librccl.so.1"))
	_, status, stderr = ask[any](t, "-what", "library", "-api", "rccl")
	assert.Equal(t, statusNotPossible, status)
	assert.Contains(t, stderr, "no library: install RCCL")
}

// TestFunctionsAreLookedUp wants functions that a library lacks to be named, and a library without
// any to fail.
func TestFunctionsAreLookedUp(t *testing.T) {
	api, _ := bindings.Named("cuda")
	one := func(symbol string) uintptr {
		if symbol == "cuInit" {
			return 0x10 // never called
		}
		return 0
	}
	for name, x := range map[string]struct {
		table           func(string) uintptr
		failed, skipped int
	}{
		"one": {one, 0, 1}, "none": {func(string) uintptr { return 0 }, 1, 0},
	} {
		restore := api.Library.Install(name, one)
		require.NoError(t, api.Load())
		restore()
		restore = api.Library.Install(name, x.table)
		c := &check{}
		c.functions(api, "12.8")
		restore()
		assert.Equal(t, x.failed, c.Failed, name)
		assert.Len(t, c.Skips, x.skipped, name)
	}
}

func TestNotFoundSaysWhyOnce(t *testing.T) {
	t.Parallel()
	text := notFound(&cudrv.LibraryError{Remedy: "install it", Env: "LIB", Attempts: []cudrv.Attempt{
		{Path: "a.so", Reason: "No such file or directory"}, {Path: "b.so", Reason: "not an ELF file"},
		{Path: "c.so", Reason: "not an ELF file"}}})
	assert.Equal(t, "no library: install it, or set LIB to its path; b.so: not an ELF file", text)
}

func TestEveryLibraryHasAVersion(t *testing.T) {
	t.Parallel()
	for _, name := range apis() {
		assert.NotNil(t, versionOf[name], name)
	}
}

func TestPlacesOnTheBus(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "0000:3b:00.0", busID[uint32](0, 0x3b, 0))
}
