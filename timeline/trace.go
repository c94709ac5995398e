package timeline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
)

// WriteTrace writes the snapshot in the Trace Event Format, which Perfetto (ui.perfetto.dev) and
// chrome://tracing open. Each device is a process, each stream a thread. Waits are slices; a flow
// arrow leads from what they waited for to their end. Asynchronous spans have tracks of their own;
// only Perfetto shows their arrows. The bounds are in the processes' labels, in the arguments of
// each slice, and under otherData. Times are in microseconds since the timeline was made.
func (s *Snapshot) WriteTrace(w io.Writer) error {
	t := &traceWriter{w: bufio.NewWriter(w), shot: s, host: s.hostPID()}
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
	t.findArrows(all)
	for _, lay := range all {
		t.lane(lay)
	}
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

// hostPID is the process of moments outside of all streams. The devices' numbers follow. They must
// not be the number of a thread: Perfetto takes it for the main thread and puts it first.
func (s *Snapshot) hostPID() int {
	pid := 1000
	for _, l := range s.Lanes() {
		for pid <= l.ID {
			pid *= 10
		}
	}
	return pid
}

// traceEvent is an event of the format.
type traceEvent struct {
	Name  string         `json:"name"`
	Cat   string         `json:"cat,omitempty"`
	Phase string         `json:"ph"`
	PID   int            `json:"pid"`
	TID   int            `json:"tid"`
	TS    micros         `json:"ts"`
	Dur   *micros        `json:"dur,omitempty"`
	ID    *localID       `json:"id2,omitempty"`
	Scope string         `json:"s,omitempty"`
	Flow  string         `json:"bind_id,omitempty"`
	Out   bool           `json:"flow_out,omitempty"`
	In    bool           `json:"flow_in,omitempty"`
	Args  map[string]any `json:"args,omitempty"`
}

// localID is an id of asynchronous events within a process. Those of a plain id are in none.
type localID struct {
	Local string `json:"local"`
}

// micros is a time in microseconds with three digits.
type micros time.Duration

func (m micros) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m)/1e3, 'f', 3, 64), nil
}

type traceWriter struct {
	w     *bufio.Writer
	shot  *Snapshot
	host  int           // hostPID
	shift time.Duration // makes all times positive, which viewers want
	begin map[uint64]bool
	end   map[uint64]string
	value bytes.Buffer
	any   bool
	err   error
}

func (t *traceWriter) text(s string) {
	if t.err == nil {
		_, t.err = t.w.WriteString(s)
	}
}

// json writes a value with no more escapes than it must: Perfetto before version 53 shows those in
// texts without quotes as they are written, and can't read two backslashes and a quote.
func (t *traceWriter) json(v any) {
	if t.err != nil {
		return
	}
	t.value.Reset()
	e := json.NewEncoder(&t.value)
	e.SetEscapeHTML(false)
	t.err = e.Encode(v)
	text := bytes.TrimSuffix(t.value.Bytes(), []byte("\n"))
	t.text(string(bytes.ReplaceAll(text, []byte(`\\`), []byte(`\u005c`))))
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
		return t.host
	}
	return t.host + t.shot.number(l.Device)
}

// metadata names and orders processes and threads.
func (t *traceWriter) metadata(all []*layout) {
	name := func(what string, pid, tid int, key string, value any) {
		t.event(traceEvent{Name: what, Phase: "M", PID: pid, TID: tid, Args: map[string]any{key: value}})
	}
	for i, d := range t.shot.Devices {
		pid := t.host + 1 + i
		name("process_name", pid, 0, "name", d.Device.String()+" "+d.Device.Name())
		name("process_labels", pid, 0, "labels", "clock "+d.Clock.String())
		name("process_sort_index", pid, 0, "sort_index", pid)
	}
	for _, lay := range all {
		if lay.lane == nil {
			name("process_name", t.host, 0, "name", "host calls")
			name("process_sort_index", t.host, 0, "sort_index", t.host)
			continue
		}
		pid := t.process(lay.lane)
		if lay.lane.Name != "" { // Perfetto counts an empty one as an error
			name("thread_name", pid, lay.lane.ID, "name", lay.lane.Name)
		}
		name("thread_sort_index", pid, lay.lane.ID, "sort_index", lay.lane.ID)
	}
}

// lane writes a lane's items.
func (t *traceWriter) lane(lay *layout) {
	pid, tid := t.process(lay.lane), laneID(lay.lane)
	for _, p := range lay.spans {
		dur := micros(p.end - p.start)
		e := traceEvent{Name: p.Name, Cat: p.Kind.String(), Phase: "X", PID: pid, TID: tid,
			TS: t.at(p.start), Dur: &dur, Args: p.args()}
		t.beginArrow(p, &e)
		t.event(e)
		t.endArrow(p, e)
	}
	for _, p := range lay.async {
		e := traceEvent{Name: p.Name, Cat: p.Kind.String(), Phase: "b", PID: pid, TID: tid,
			TS: t.at(p.start), ID: &localID{hexID(p.ID)}, Args: p.args()}
		t.beginArrow(p, &e)
		t.event(e)
		t.event(traceEvent{Name: e.Name, Cat: e.Cat, Phase: "e", PID: pid, TID: tid, TS: t.at(p.end),
			ID: e.ID})
		t.endArrow(p, e)
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
		case t.begin[p.ID]: // arrows begin in slices only
			e.Phase, e.Scope, e.Dur = "X", "", new(micros)
			t.beginArrow(p, &e)
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
	if p.From != 0 {
		args["waited for"] = p.From
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
