package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// quick is a run of few rounds that writes to a file of the test.
func quick(t *testing.T) *bench {
	return &bench{log: io.Discard, end: time.Now().Add(time.Hour), plan: peers.Plan,
		options: options{out: filepath.Join(t.TempDir(), "bench.json"), runs: fewest, seed: 1,
			only: regexp.MustCompile("")}}
}

func read(t *testing.T, path string) (all []report.Figure) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}

// machine is a simulated GPU whose time is the system's.
func machine(t *testing.T, backend event.Backend, version string) *eventsim.Machine {
	m := eventsim.New(t, eventsim.Config{Backend: backend, Version: version, RealTime: true})
	for name, f := range goKernels {
		m.Kernel(name, f)
	}
	return m
}

// TestDevices measures everything on simulated GPUs and on the host: each operation in each way,
// with the counts of the plan.
func TestDevices(t *testing.T) {
	for _, to := range []struct {
		backend event.Backend
		version string
	}{{event.CUDA, "11.8"}, {event.CUDA, "13.5"}, {event.HIP, "6.4"}, {event.HIP, "7.2"},
		{event.Host, ""}} {
		if testing.Short() && (to.version == "11.8" || to.version == "6.4") {
			continue
		}
		t.Run(strings.TrimSuffix(string(to.backend)+"-"+to.version, "-"), func(t *testing.T) {
			d, err := event.Open("host")
			require.NoError(t, err)
			if to.backend != event.Host {
				d = machine(t, to.backend, to.version).Device(0)
			}
			b := quick(t)
			if testing.Short() {
				b.only = regexp.MustCompile("^[^6]*$") // not the copies of 64 MiB
			}
			require.NoError(t, b.device(d))
			ways := map[string][]string{}
			for _, f := range read(t, b.out) {
				p, ok := peers.Of(f.Operation)
				require.True(t, ok, f.Operation)
				assert.Equal(t, d.String(), f.Device)
				assert.Equal(t, p.PerRun, f.PerRun, f.Operation)
				assert.Equal(t, fewest, f.Runs, f.Operation)
				assert.LessOrEqual(t, f.Best, f.Median, f.Operation)
				assert.Positive(t, f.Median, "%s, %s", f.Operation, f.Way)
				ways[f.Operation] = append(ways[f.Operation], f.Way)
			}
			for _, p := range peers.Plan {
				want := []string{"raw", "event"}
				switch {
				case !b.only.MatchString(p.Name):
					assert.NotContains(t, ways, p.Name)
					continue
				case p.Name == "two records":
					want = append(want, "timeline")
				case strings.HasPrefix(p.Name, "wake-up"):
					want = append(want, "event Sync")
				case regexp.MustCompile("launch|alloc|copy").MatchString(p.Name):
					want[1] = "compute"
				}
				if to.backend == event.Host {
					want = want[1:]
				}
				assert.Equal(t, want, ways[p.Name], p.Name)
			}
		})
	}
}
