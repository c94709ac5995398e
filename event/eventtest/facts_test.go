package eventtest_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// simProfiles are the machines that the simulator can play, as docs/driver-facts.md names them.
func simProfiles() (names []string) {
	for _, version := range sim.CUDAProfiles() {
		names = append(names, "cuda-"+version)
	}
	for _, version := range sim.HIPProfiles() {
		names = append(names, "hip-"+version)
	}
	return names
}

// simFacts asks a simulated machine for all facts.
func simFacts(t *testing.T, profile string) map[string]eventtest.FactResult {
	api, version, _ := strings.Cut(profile, "-")
	m := newMachine(t, sim.Options{}, api, version)
	results := map[string]eventtest.FactResult{}
	for _, r := range eventtest.Facts(open(t, api+":0")) {
		results[r.ID] = r
	}
	for _, h := range []sim.Handles{m.CUDALive(), m.HIPLive()} {
		assert.Zero(t, h.Events+h.Streams+h.Graphs+h.Execs+h.Memory, "probes left handles behind: %+v", h)
	}
	for thread, contexts := range m.CUDAThreads() {
		none := make([]uintptr, len(contexts))
		assert.Equal(t, none, contexts, "thread %d was left in a context", thread)
	}
	assert.Empty(t, m.HIPThreads(), "threads were left on other devices")
	return results
}

// TestFacts asks the device that the flag names, and prints what goes into docs/driver-facts.md.
// Without the flag it asks the simulated machines: each fact must be confirmed where its row says
// that the profile plays it, and nowhere else.
func TestFacts(t *testing.T) {
	if *device != "" {
		d, err := event.Open(*device)
		require.NoError(t, err)
		require.False(t, d.IsHost(), "the host has no driver to ask")
		require.NoError(t, eventtest.WriteFacts(os.Stdout, d, eventtest.Facts(d), time.Now()))
		return
	}
	claimed := map[string][]string{}
	for _, r := range factRows(t) {
		claimed[r.id] = r.profiles
	}
	for _, profile := range simProfiles() {
		t.Run(profile, func(t *testing.T) {
			results := simFacts(t, profile)
			assert.ElementsMatch(t, eventtest.FactProbes(), slices.Collect(maps.Keys(results)))
			for id, r := range results {
				plays, confirmed := slices.Contains(claimed[id], profile), r.Outcome == eventtest.Confirmed
				assert.Equal(t, plays, confirmed, "%s: does the profile play it? It did: %s", id, r.Saw)
			}
		})
	}
}

// TestFactsOfTheHost wants nothing to be said about the host, which has no driver.
func TestFactsOfTheHost(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	for _, r := range eventtest.Facts(d) {
		assert.Equal(t, eventtest.NotApplicable, r.Outcome, r.ID)
		assert.Contains(t, r.Saw, "no driver")
	}
}

// TestWriteFacts wants what goes into a row's last column.
func TestWriteFacts(t *testing.T) {
	newMachine(t, sim.Options{}, "cuda", "12.8")
	var out strings.Builder
	day := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	require.NoError(t, eventtest.WriteFacts(&out, open(t, "cuda:1"), []eventtest.FactResult{
		{ID: "cuda-is", Outcome: eventtest.Confirmed, Saw: "query 0"},
		{ID: "cuda-is-not", Outcome: eventtest.Contradicted, Saw: "a | b"},
		{ID: "amd-is", Outcome: eventtest.NotApplicable, Saw: "the device's driver is CUDA"},
	}, day))
	assert.Equal(t, `cuda-is | Simulated CUDA driver GPU 1, CUDA 12.8, 2026-01-02
cuda-is-not | Simulated CUDA driver GPU 1, CUDA 12.8, 2026-01-02: contradicted: a / b

amd-is not applicable: the device's driver is CUDA
`, out.String())
}

// newMachine puts a simulated one in the place of a vendor's library for the test.
func newMachine(t testing.TB, o sim.Options, api, version string) *sim.Machine {
	m := sim.NewMachine(o)
	if api == "cuda" {
		t.Cleanup(m.InstallCUDA(version))
	} else {
		t.Cleanup(m.InstallHIP(version))
	}
	return m
}

func open(t testing.TB, name string) *event.Device {
	d, err := event.Open(name)
	require.NoError(t, err)
	return d
}
