package timeline

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
)

// WriteTrace writes the snapshot in the Trace Event Format, which Perfetto (ui.perfetto.dev) and
// chrome://tracing open. Each device is a process, each stream a thread. Waits are slices with a
// flow arrow from what they waited for. Asynchronous spans have tracks of their own. The bounds are
// in the processes' labels, in the arguments of each slice, and under otherData. Times are in
// microseconds since the timeline was made.
func (s *Snapshot) WriteTrace(w io.Writer) error {
	t := &traceWriter{w: bufio.NewWriter(w), shot: s}
	all := s.layouts()
	for _, lay := range all {
		for _, list := range [...][]*placed{lay.spans, lay.async, lay.points} {
			for _, p := range list {
				t.shift = max(t.shift, -p.start)
			}
		}
	}
	t.text("{\"displayTimeUnit\":\"ns\",\"otherData\":")
	t.json(s.otherData())
	t.text(",\"traceEvents\":[")
	t.metadata(all)
	for _, lay := range all {
		t.lane(lay)
	}
	t.flows(all)
	t.text("\n]}\n")
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

// otherData is what the trace says about itself.
func (s *Snapshot) otherData() map[string]any {
	other := map[string]any{"origin": s.Origin.Format(time.RFC3339Nano), "spans": s.Stats.String()}
	for _, d := range s.Devices {
		other["clock of "+d.Device.String()] = d.Clock.String()
	}
	return other
}

// String returns what is known of the clock in one line.
func (c Clock) String() string {
	if c.Anchors == 0 {
		return "not anchored"
	}
	return fmt.Sprintf("within %v of the host's at the newest of %d anchors, drift %.2f ± %.2f ppm",
		c.Bound, c.Anchors, c.Drift*1e6, c.Unsure*1e6)
}

// hostPID is the process of moments outside of all streams. 0 would be the idle process.
const hostPID = 1

// traceEvent is an event of the format.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	TS    micros         `json:"ts"`
	Dur   *micros        `json:"dur,omitempty"`
	ID    string         `json:"id,omitempty"`
	Scope string         `json:"s,omitempty"`
	Bind  string         `json:"bp,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// micros is a time in microseconds with three digits.
type micros time.Duration

func (m micros) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m)/1e3, 'f', 3, 64), nil
}

type traceWriter struct {
	w     *bufio.Writer
	shot  *Snapshot
	shift time.Duration // makes all times positive, which viewers want
	any   bool
	err   error
}

func (t *traceWriter) text(s string) {
	if t.err == nil {
		_, t.err = t.w.WriteString(s)
	}
}

func (t *traceWriter) json(v any) {
	data, err := json.Marshal(v)
	if t.err == nil {
		t.err = err
	}
	t.text(string(data))
}

func (t *traceWriter) event(e traceEvent) {
	if t.any {
		t.text(",")
	}
	t.any = true
	t.text("\n")
	t.json(e)
}

// process returns a lane's process.
func (t *traceWriter) process(l *Lane) int {
	if l == nil {
		return hostPID
	}
	return hostPID + t.shot.number(l.Device)
}

// metadata names and orders processes and threads.
func (t *traceWriter) metadata(all []*layout) {
	name := func(what string, pid, tid int, key string, value any) {
		t.event(traceEvent{Name: what, Phase: "M", PID: pid, TID: tid, Args: map[string]any{key: value}})
	}
	for i, d := range t.shot.Devices {
		pid := hostPID + 1 + i
		name("process_name", pid, 0, "name", d.Device.String()+" "+d.Device.Name())
		name("process_labels", pid, 0, "labels", "clock "+d.Clock.String())
		name("process_sort_index", pid, 0, "sort_index", pid)
	}
	for _, lay := range all {
		if lay.lane == nil {
			name("process_name", hostPID, 0, "name", "host calls")
			name("process_sort_index", hostPID, 0, "sort_index", hostPID)
			continue
		}
		pid := t.process(lay.lane)
		name("thread_name", pid, lay.lane.ID, "name", lay.lane.Name)
		name("thread_sort_index", pid, lay.lane.ID, "sort_index", lay.lane.ID)
	}
}

// lane writes a lane's items.
func (t *traceWriter) lane(lay *layout) {
	pid, tid := t.process(lay.lane), laneID(lay.lane)
	for _, p := range lay.spans {
		dur := micros(p.end - p.start)
		if p.Kind == KindWait {
			dur = max(dur, 1) // for the arrow to end in
		}
		t.event(traceEvent{Name: p.Name, Cat: p.Kind.String(), Phase: "X", PID: pid, TID: tid,
			TS: t.at(p.start), Dur: &dur, Args: p.args()})
	}
	for _, p := range lay.async {
		e := traceEvent{Name: p.Name, Cat: p.Kind.String(), Phase: "b", PID: pid, TID: tid,
			TS: t.at(p.start), ID: hexID(p.ID), Args: p.args()}
		t.event(e)
		e.Phase, e.TS, e.Args = "e", t.at(p.end), nil
		t.event(e)
	}
	for _, p := range lay.points {
		e := traceEvent{Name: p.Name, Cat: p.Kind.String(), Phase: "i", PID: pid, TID: tid,
			TS: t.at(p.start), Scope: "t", Args: p.args()}
		switch {
		case p.Kind == KindCounter && !finite(p.Value):
			continue // JSON has none
		case p.Kind == KindCounter:
			e.Phase, e.Scope, e.TID, e.Args = "C", "", 0, map[string]any{"value": p.Value}
		case lay.lane == nil:
			e.Scope = "p"
		}
		t.event(e)
	}
}

func (t *traceWriter) at(d time.Duration) micros { return micros(d + t.shift) }

func hexID(id uint64) string { return "0x" + strconv.FormatUint(id, 16) }

// args are an item's arguments in the trace.
func (p *placed) args() map[string]any {
	args := map[string]any{"bound_ns": p.Bound.Nanoseconds(), "span": p.ID}
	if p.Parent != 0 {
		args["parent"] = p.Parent
	}
	if p.Lane != p.EndLane && p.EndLane != nil {
		args["ended on"] = p.EndLane.Name
	}
	for _, a := range p.Attrs {
		v := a.Value()
		switch a.kind {
		case durationAttr:
			v = a.valueText()
		case floatAttr:
			if !finite(v.(float64)) {
				v = a.valueText() // JSON has none
			}
		}
		args[a.Key] = v
	}
	return args
}

// flows writes an arrow for each wait, from the end of what was waited for to the end of the wait.
// An arrow's end belongs to the slice around it, so both lie just inside.
func (t *traceWriter) flows(all []*layout) {
	found := ends(all)
	for _, lay := range all {
		for _, p := range lay.spans {
			from := found[p.From]
			if p.Kind != KindWait || p.From == 0 || from == nil {
				continue
			}
			e := traceEvent{Name: "wait", Cat: "wait", ID: hexID(p.ID), Phase: "s", Bind: "e",
				PID: t.process(from.EndLane), TID: laneID(from.EndLane), TS: t.at(from.inside())}
			if from.Kind != KindSpan && from.Kind != KindWait || from.apart || from.end == from.start {
				// Arrows begin in slices of threads only, which this is not: a short one stands for it.
				short, dur := e, micros(1)
				short.Name, short.Cat, short.ID, short.Bind = from.Name, "end", "", ""
				short.Phase, short.Dur = "X", &dur
				t.event(short)
			}
			t.event(e)
			e.Phase, e.PID, e.TID, e.TS = "f", t.process(p.Lane), laneID(p.Lane), t.at(p.inside())
			t.event(e)
		}
	}
}

// inside is the last moment that belongs to the item.
func (p *placed) inside() time.Duration { return max(p.end-1, p.start) }
