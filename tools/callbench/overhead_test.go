package main

import (
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// slack is by how much package event may miss a target before TestEventOverhead fails. Other work
// on the machine stretches all times, so that it can't be 1.
const slack = 3

// allocating are the operations that allocate something, an event, once in each turn.
var allocating = []string{
	"create + record + destroy",
}

// slowed returns the flag of go build that made this program slower than it would be, or "".
func slowed() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "-race" && s.Value == "true" || s.Key == "-gcflags" {
			return s.Key
		}
	}
	return ""
}

// TestEventOverhead holds package event to its targets, by the thread's least CPU times: noise can
// only lengthen some.
func TestEventOverhead(t *testing.T) {
	if why := slowed(); why != "" {
		t.Skip("the targets are not for programs built with " + why)
	}
	rows := slices.DeleteFunc(setUp(t), func(r row) bool { return r.target == nil })
	for i := range rows {
		rows[i].ways = slices.DeleteFunc(rows[i].ways, func(w way) bool {
			return w.name != report.Raw && w.name != report.Event
		})
	}
	results, err := measure(rows, options{rounds: 41, round: time.Millisecond})
	require.NoError(t, err)
	for _, r := range results {
		cost, ok := r.BestCost()
		require.True(t, ok, r.Name)
		e := r.Cells[report.Event]
		measure := "in all"
		if r.Target.Over != "" {
			measure = "over the call"
		}
		t.Logf("%-4s %-45s %6.1f ns %s, the target is %.0f; %.2f allocations",
			r.API, r.Name, cost, measure, r.Target.NS, e.Allocs)
		assert.LessOrEqual(t, cost, slack*r.Target.NS, "%s: %s", r.API, r.Name)
		allocs := 0.01
		if slices.Contains(allocating, r.Name) {
			allocs = 2.05 // the event and its native event; lists grow now and then
		}
		assert.Less(t, e.Allocs, allocs, "%s: %s: allocations", r.API, r.Name)
	}
}
