package timeline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// parsedEvent is an event of the format as its description documents it.
type parsedEvent struct {
	Name, Cat, Ph, S string
	PID, TID         *int
	TS, Dur          *float64
	ID2              map[string]string
	BindID           string `json:"bind_id"`
	FlowIn           bool   `json:"flow_in"`
	FlowOut          bool   `json:"flow_out"`
	Args             map[string]any
}

type parsedTrace struct {
	DisplayTimeUnit string
	OtherData       map[string]string
	TraceEvents     []parsedEvent
}

// parse checks a trace against the Trace Event Format and against what Perfetto makes of it: the
// fields that each phase must have, slices of a thread that nest, asynchronous begins with their
// ends, and flows that begin before they end.
func parse(t *testing.T, data []byte) parsedTrace {
	t.Helper()
	var trace parsedTrace
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&trace))
	assert.NotContains(t, string(data), `\\`, "an old Perfetto takes a quote behind it for a letter")
	threads, processes := map[int]bool{}, map[int]bool{}
	open := map[string]int{}
	for _, e := range trace.TraceEvents {
		require.NotNil(t, e.PID, "%+v", e)
		require.NotNil(t, e.TID)
		require.NotNil(t, e.TS)
		assert.GreaterOrEqual(t, *e.TS, 0.0)
		threads[*e.TID], processes[*e.PID] = true, true
		switch e.Ph {
		case "X":
			require.NotNil(t, e.Dur)
			assert.GreaterOrEqual(t, *e.Dur, 0.0)
		case "b":
			require.NotEmpty(t, e.ID2["local"], "without it the slice would be in no process")
			open[e.Cat+e.ID2["local"]]++
		case "e":
			open[e.Cat+e.ID2["local"]]--
		case "i":
			assert.Contains(t, []string{"t", "p"}, e.S)
		case "C":
			assert.IsType(t, 0.0, e.Args["value"])
		case "M":
			assert.Contains(t, []string{"process_name", "process_labels", "process_sort_index",
				"thread_name", "thread_sort_index"}, e.Name)
			assert.Len(t, e.Args, 1)
			assert.NotEqual(t, "", e.Args["name"])
		default:
			t.Errorf("phase %q", e.Ph)
		}
	}
	for id, n := range open {
		assert.Zero(t, n, "begins without ends of %s", id)
	}
	for pid := range processes {
		assert.False(t, threads[pid], "thread %d would be a main thread", pid)
	}
	inOrder := slices.Clone(trace.TraceEvents)
	slices.SortStableFunc(inOrder, func(a, b parsedEvent) int { return cmp.Compare(*a.TS, *b.TS) })
	checkNesting(t, inOrder)
	checkFlows(t, inOrder)
	return trace
}

// checkNesting keeps a stack of slices for each thread as Perfetto does.
func checkNesting(t *testing.T, inOrder []parsedEvent) {
	t.Helper()
	type thread struct{ pid, tid int }
	stacks := map[thread][]float64{} // where the slices end
	for _, e := range inOrder {
		if e.Ph != "X" || *e.Dur == 0 {
			continue
		}
		at, end := thread{*e.PID, *e.TID}, math.Round((*e.TS+*e.Dur)*1e3)
		stack := stacks[at]
		for len(stack) > 0 && stack[len(stack)-1] <= math.Round(*e.TS*1e3) {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 {
			assert.LessOrEqual(t, end, stack[len(stack)-1], "it overlaps another: %+v", e)
		}
		stacks[at] = append(stack, end)
	}
}

// checkFlows checks that flows begin before they end, in slices that begin in this order.
func checkFlows(t *testing.T, inOrder []parsedEvent) {
	t.Helper()
	begun, ended := map[string]bool{}, map[string]bool{}
	for _, e := range inOrder {
		switch {
		case e.FlowOut:
			assert.False(t, begun[e.BindID], "it begins twice: %+v", e)
			begun[e.BindID] = true
		case e.FlowIn:
			assert.True(t, begun[e.BindID], "an arrow without a begin: %+v", e)
			ended[e.BindID] = true
		default:
			assert.Empty(t, e.BindID)
			continue
		}
		assert.Contains(t, []string{"X", "b"}, e.Ph, "an arrow that is at no slice: %+v", e)
	}
	assert.Equal(t, begun, ended)
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
		"X record": 1, "X resumed": 3, // where arrows begin and end
		"i done": 1, "i now": 1, "C memory": 1, "C queue": 2,
		"C not a number": 0, "M process_name": 4, "M thread_name": 3,
	} {
		assert.Equal(t, n, count[event], event)
	}
	assert.Len(t, trace.OtherData, 2+3)
	for _, d := range shot.Devices {
		assert.Contains(t, trace.OtherData["clock of "+d.Device.String()], "within")
	}
	for _, e := range trace.TraceEvents {
		switch e.Name {
		case "wait":
			assert.NotZero(t, e.Args["waited for"])
		case "outer":
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

// checkPlaces checks that spans lie in or behind each other.
func checkPlaces(t *testing.T, lay *layout) {
	t.Helper()
	var open []*placed
	for i, p := range lay.spans {
		assert.LessOrEqual(t, p.start, p.end)
		if i > 0 {
			assert.LessOrEqual(t, lay.spans[i-1].start, p.start, "%+v", p.Item)
		}
		for len(open) > p.depth {
			assert.LessOrEqual(t, open[len(open)-1].end, p.start, "%+v", p.Item)
			open = open[:len(open)-1]
		}
		require.Len(t, open, p.depth)
		if p.depth > 0 {
			assert.LessOrEqual(t, p.end, open[p.depth-1].end, "%+v", p.Item)
		}
		open = append(open, p)
	}
}

// TestTraceOfAnything writes items in any places, whose times are off by their bounds.
func TestTraceOfAnything(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		shot := random(t, seed, 100)
		for _, lay := range shot.layouts() {
			checkPlaces(t, lay)
		}
		var data bytes.Buffer
		require.NoError(t, shot.WriteTrace(&data))
		parse(t, data.Bytes())
		require.False(t, t.Failed(), "seed %d", seed)
	}
}

// TestTraceOfTimes writes items in places that viewers take amiss.
func TestTraceOfTimes(t *testing.T) {
	t.Parallel()
	for name, items := range oddTimes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var data bytes.Buffer
			require.NoError(t, placedBy(t, items).WriteTrace(&data))
			parse(t, data.Bytes())
		})
	}
}

// TestTraceNames writes names that need escapes, and none at all.
func TestTraceNames(t *testing.T) {
	t.Parallel()
	names := append(oddNames(), "")
	var items []Item
	for i, name := range names {
		it := spanAt(uint64(i+1), int64(i), int64(i))
		it.Name, it.Attrs = name, []Attr{String("text", name)}
		items = append(items, it)
	}
	shot := placedBy(t, items)
	shot.Items[0].Lane.Name = ""
	var data bytes.Buffer
	require.NoError(t, shot.WriteTrace(&data))
	for _, e := range parse(t, data.Bytes()).TraceEvents {
		if e.Ph == "X" {
			assert.Equal(t, e.Name, e.Args["text"])
			names = slices.DeleteFunc(names, func(name string) bool { return name == e.Name })
		}
	}
	assert.Empty(t, names)
	assert.Contains(t, data.String(), `gemm<float>&`)
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
		"nested, and longer":      {[]span{{1, 0, 0, 100}, {2, 1, 20, 110}}, "1:0 2:1"},
		"nested, and earlier":     {[]span{{1, 0, 10, 100}, {2, 1, 2, 50}}, "1:0 2:1"},
		"nested at the end":       {[]span{{1, 0, 0, 100}, {2, 1, 98, 104}}, "1:0 2:1"},
		"overlapping":             {[]span{{1, 0, 0, 100}, {2, 0, 50, 200}}, "1:0 2:0a"},
		"empty ones at one place": {[]span{{1, 0, 5, 5}, {2, 1, 5, 5}, {3, 0, 5, 5}}, "1:0 2:1 3:0"},
		"behind one that overlaps": {[]span{{1, 0, 0, 200}, {2, 0, 10, 100}, {3, 0, 95, 300},
			{4, 0, 97, 150}}, "1:0 2:1 3:0a 4:1"},
		"three deep, ended at once": {[]span{{1, 0, 0, 50}, {2, 1, 1, 50}, {3, 2, 2, 50}}, "1:0 2:1 3:2"},
	} {
		shot := &Snapshot{Origin: origin}
		for _, s := range c.spans {
			shot.Items = append(shot.Items, Item{ID: s.id, Parent: s.parent, Lane: lane, EndLane: lane,
				Start: origin.Add(time.Duration(s.start)), End: origin.Add(time.Duration(s.end)), Bound: 10})
		}
		got := ""
		lay := shot.layouts()[0]
		checkPlaces(t, lay)
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
