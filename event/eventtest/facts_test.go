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
		assert.Zero(t, h.Events+h.Streams+h.Graphs+h.Execs, "probes left handles behind: %+v", h)
	}
	return results
}

// TestFacts asks the device that the flag names, and prints what goes into docs/driver-facts.md. Without the flag it asks the simulated
// machines: each fact must be confirmed where its row says that the profile plays it, and nowhere else.
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
				if slices.Contains(claimed[id], profile) {
					assert.Equal(t, eventtest.Confirmed, r.Outcome, "%s: the row says that %s plays it, but: %s", id, profile, r.Saw)
				} else {
					assert.NotEqual(t, eventtest.Confirmed, r.Outcome, "%s: the row does not say that %s plays it, but: %s", id, profile, r.Saw)
				}
			}
		})
	}
}
