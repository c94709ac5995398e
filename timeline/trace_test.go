package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// parsedEvent is an event of the format as its description documents it.
type parsedEvent struct {
	Name, Cat, Ph, ID, S, BP string
	PID, TID                 *int
	TS, Dur                  *float64
	Args                     map[string]any
}

type parsedTrace struct {
	DisplayTimeUnit string
	OtherData       map[string]string
	TraceEvents     []parsedEvent
}

// parse checks a trace against the Trace Event Format: the fields that each phase must have, slices
// of a thread that nest, asynchronous begins with their ends, and flows that begin and end in
// slices.
func parse(t *testing.T, data []byte) parsedTrace {
	t.Helper()
	var trace parsedTrace
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&trace))
	type thread struct{ pid, tid int }
	slices := map[thread][][2]float64{}
	open := map[string]int{}
	for _, e := range trace.TraceEvents {
		require.NotNil(t, e.PID, "%+v", e)
		require.NotNil(t, e.TID)
		require.NotEmpty(t, e.Name)
		require.NotNil(t, e.TS)
		assert.GreaterOrEqual(t, *e.TS, 0.0)
		at := thread{*e.PID, *e.TID}
		switch e.Ph {
		case "X":
			require.NotNil(t, e.Dur)
			assert.GreaterOrEqual(t, *e.Dur, 0.0)
			slices[at] = append(slices[at], [2]float64{*e.TS, *e.TS + *e.Dur})
		case "b", "s":
			require.NotEmpty(t, e.ID)
			open[e.Cat+e.ID]++
		case "e", "f":
			open[e.Cat+e.ID]--
		case "i":
			assert.Contains(t, []string{"t", "p"}, e.S)
		case "C":
			assert.IsType(t, 0.0, e.Args["value"])
		case "M":
			assert.Contains(t, []string{"process_name", "process_labels", "process_sort_index",
				"thread_name", "thread_sort_index"}, e.Name)
			assert.Len(t, e.Args, 1)
		default:
			t.Errorf("phase %q", e.Ph)
		}
	}
	for id, n := range open {
		assert.Zero(t, n, "begins without ends of %s", id)
	}
	const picosecond = 1e-6
	for at, all := range slices {
		for i, a := range all {
			for _, b := range all[:i] {
				apart := a[0] >= b[1]-picosecond || b[0] >= a[1]-picosecond
				within := a[0] >= b[0]-picosecond && a[1] <= b[1]+picosecond ||
					b[0] >= a[0]-picosecond && b[1] <= a[1]+picosecond
				assert.True(t, apart || within, "slices of %v overlap: %v, %v", at, a, b)
			}
		}
	}
	for _, e := range trace.TraceEvents {
		if e.Ph != "s" && e.Ph != "f" {
			continue
		}
		assert.Equal(t, "e", e.BP)
		inside := false
		for _, s := range slices[thread{*e.PID, *e.TID}] {
			inside = inside || s[0] <= *e.TS && *e.TS < s[1]
		}
		assert.True(t, inside, "an arrow that is in no slice: %+v", e)
	}
	return trace
}

// pictured is a timeline with everything that there is, on two devices of a simulated machine whose
// times are exact, and the host.
func pictured(t *testing.T) *Snapshot {
	m := eventsim.New(t, eventsim.Config{Devices: 2})
	tl, err := New(Options{Devices: m.Devices()})
	require.NoError(t, err)
	a, b := simStream(t, m.Device(0)), simStream(t, m.Device(1))
	host := stream(t, hostDevice(t))
	require.NoError(t, tl.NameStream(a, `load <"&>`))
	require.NoError(t, tl.NameStream(b, "compute"))
	e, err := m.Device(1).NewEvent()
	require.NoError(t, err)

	outer := tl.Begin(a, "outer", Int("n", 3), Float("inf", math.Inf(1)), Duration("d", time.Second))
	m.Work(a, time.Second)
	inner := outer.Begin("inner")
	m.Work(a, time.Second)
	async := tl.BeginAsync(a, "async")
	require.NoError(t, errors.Join(inner.End(), outer.End()))
	require.NoError(t, tl.Wait(b, outer))
	overlaps := tl.Begin(b, "first")
	m.Work(b, time.Second)
	other := tl.Begin(b, "second")
	m.Work(b, time.Second)
	require.NoError(t, overlaps.End())
	m.Work(b, time.Second)
	require.NoError(t, other.End())
	require.NoError(t, async.EndOn(b))
	require.NoError(t, tl.Wait(a, async))
	require.NoError(t, tl.Record(b, e))
	require.NoError(t, tl.WaitEvent(a, e))
	require.NoError(t, tl.Begin(a, "last").End())
	require.NoError(t, tl.Begin(host, "on the host").End())
	require.NoError(t, tl.CounterOn(b, "memory", 2.5))
	require.NoError(t, tl.CounterOn(b, "not a number", math.NaN()))
	require.NoError(t, tl.Mark(b, "done", String("text", "a\u2028<b>")))
	tl.MarkNow("now")
	tl.Counter("queue", 1)
	tl.Counter("queue", 2)
	m.Advance(time.Minute)
	shot := flushed(t, tl)
	require.Equal(t, shot.Stats.Begun, shot.Stats.Finished)
	require.NoError(t, errors.Join(e.Close(), a.Close(), b.Close(), tl.Close(t.Context())))
	return shot
}

func TestTrace(t *testing.T) {
	t.Parallel()
	var data bytes.Buffer
	shot := pictured(t)
	require.NoError(t, shot.WriteTrace(&data))
	trace := parse(t, data.Bytes())
	count := map[string]int{}
	for _, e := range trace.TraceEvents {
		count[e.Ph+" "+e.Name]++
	}
	for event, n := range map[string]int{
		"X outer": 1, "X inner": 1, "X wait": 3, "X first": 1, "X last": 1, "X on the host": 1,
		"b second": 1, "e second": 1, "b async": 1, "e async": 1, // each overlaps another span
		"X async": 1, "X record": 1, // what arrows begin in
		"s wait": 3, "f wait": 3, "i done": 1, "i now": 1, "C memory": 1, "C queue": 2,
		"C not a number": 0, "M process_name": 4, "M thread_name": 3,
	} {
		assert.Equal(t, n, count[event], event)
	}
	assert.Len(t, trace.OtherData, 2+3)
	for _, d := range shot.Devices {
		assert.Contains(t, trace.OtherData["clock of "+d.Device.String()], "within")
	}
	for _, e := range trace.TraceEvents {
		if e.Name == "outer" {
			assert.InDelta(t, 2e6, *e.Dur, 2e6*maxDrift+1)
			assert.Equal(t, map[string]any{"n": 3.0, "inf": "+Inf", "d": "1s",
				"bound_ns": e.Args["bound_ns"], "span": 1.0}, e.Args)
		}
	}
}

func TestTraceOfNothing(t *testing.T) {
	t.Parallel()
	var data bytes.Buffer
	require.NoError(t, open(t, Options{}).WriteTrace(&data))
	assert.Empty(t, parse(t, data.Bytes()).TraceEvents)
}

func TestWritersReturnErrors(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	full, err := os.Open(os.DevNull) // for reading
	require.NoError(t, err)
	defer full.Close()
	assert.Error(t, tl.WriteTrace(full))
	assert.Error(t, tl.WriteSVG(full, Picture{}))
}

// TestNesting gives layouts spans whose times are off by their bounds.
func TestNesting(t *testing.T) {
	t.Parallel()
	type span struct{ id, parent, start, end uint64 }
	origin := time.Now()
	lane := &Lane{ID: 1, Device: (*event.Device)(nil)}
	for name, c := range map[string]struct {
		spans []span
		want  string // id:depth, and a for those apart
	}{
		"one after the other":    {[]span{{1, 0, 0, 100}, {2, 0, 100, 200}}, "1:0 2:0"},
		"a gap that is negative": {[]span{{1, 0, 0, 100}, {2, 0, 95, 200}}, "1:0 2:0"},
		"nested": {[]span{{1, 0, 0, 100}, {2, 1, 20, 50}, {3, 1, 50, 80}},
			"1:0 2:1 3:1"},
		"nested, and longer":        {[]span{{1, 0, 0, 100}, {2, 1, 20, 110}}, "1:0 2:1"},
		"nested, and earlier":       {[]span{{1, 0, 10, 100}, {2, 1, 2, 50}}, "1:0 2:1"},
		"nested at the end":         {[]span{{1, 0, 0, 100}, {2, 1, 98, 104}}, "1:0 2:1"},
		"overlapping":               {[]span{{1, 0, 0, 100}, {2, 0, 50, 200}}, "1:0 2:0a"},
		"empty ones at one place":   {[]span{{1, 0, 5, 5}, {2, 1, 5, 5}, {3, 0, 5, 5}}, "1:0 2:1 3:0"},
		"three deep, ended at once": {[]span{{1, 0, 0, 50}, {2, 1, 1, 50}, {3, 2, 2, 50}}, "1:0 2:1 3:2"},
	} {
		shot := &Snapshot{Origin: origin}
		for _, s := range c.spans {
			shot.Items = append(shot.Items, Item{ID: s.id, Parent: s.parent, Lane: lane, EndLane: lane,
				Start: origin.Add(time.Duration(s.start)), End: origin.Add(time.Duration(s.end)), Bound: 10})
		}
		got := ""
		lay := shot.layouts()[0]
		for id := range c.spans {
			for _, p := range lay.spans {
				if p.ID == uint64(id+1) {
					got += fmt.Sprintf(" %d:%d", p.ID, p.depth)
				}
			}
			for _, p := range lay.async {
				if p.ID == uint64(id+1) {
					got += fmt.Sprintf(" %d:%da", p.ID, p.depth)
				}
			}
		}
		assert.Equal(t, " "+c.want, got, name)
	}
}
