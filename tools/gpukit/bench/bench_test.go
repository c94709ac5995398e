package bench

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// quick is a run of few rounds.
func quick() *bench {
	return &bench{log: io.Discard, end: time.Now().Add(time.Hour), plan: plan, runs: fewest, seed: 1,
		write: func([]report.Figure) error { return nil }}
}

// short is the plan without its longest operation in the short form of the tests.
func short() []planned {
	return slices.DeleteFunc(slices.Clone(plan), func(p planned) bool {
		return testing.Short() && p.name == "copy 64 MiB"
	})
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
			b := quick()
			b.plan = short()
			require.NoError(t, b.device(d))
			ways := map[string][]string{}
			for _, f := range b.figures {
				i := slices.IndexFunc(plan, func(p planned) bool { return p.name == f.Operation })
				require.GreaterOrEqual(t, i, 0, f.Operation)
				p := plan[i]
				assert.Equal(t, d.String(), f.Device)
				assert.Equal(t, p.perRun, f.PerRun, f.Operation)
				assert.Equal(t, fewest, f.Runs, f.Operation)
				assert.LessOrEqual(t, f.Best, f.Median, f.Operation)
				assert.Positive(t, f.Median, "%s, %s", f.Operation, f.Way)
				ways[f.Operation] = append(ways[f.Operation], f.Way)
			}
			for _, p := range b.plan {
				want := []string{"raw", "event"}
				switch {
				case p.name == "two records":
					want = append(want, "timeline")
				case strings.HasPrefix(p.name, "wake-up"):
					want = append(want, "event Sync")
				case regexp.MustCompile("launch|alloc|copy").MatchString(p.name):
					want[1] = "compute"
				}
				if to.backend == event.Host {
					want = want[1:]
				}
				assert.Equal(t, want, ways[p.name], p.name)
			}
		})
	}
}
