package timeline

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"
)

// WriteTrace writes the snapshot in the Trace Event Format, which Perfetto (ui.perfetto.dev) and
// chrome://tracing open. Each device is a process, each stream a thread. Waits are slices; a flow
// arrow leads from what they waited for to their end. Asynchronous spans have tracks of their own;
// only Perfetto shows their arrows. The bounds are in the processes' labels, in the arguments of
// each slice, and under otherData. Times are in microseconds since the timeline was made.
func (s *Snapshot) WriteTrace(w io.Writer) error {
	var runs []run
	for part := range slices.Chunk(s.Items, groupSize/8) {
		runs = append(runs, itemRun(part))
	}
	return s.writeTrace(w, newWalk(s.Origin, runs, groupSize))
}

// writeTrace writes items with what the snapshot says about the timeline.
func (s *Snapshot) writeTrace(w io.Writer, items *walk) error {
	t := &traceWriter{w: bufio.NewWriterSize(w, 1<<16), shot: s, walk: items}
	t.lanes = s.sorted(t.walk.lanes)
	t.host, t.shift = hostPID(t.lanes), max(0, -t.walk.first)
	t.text(`{"displayTimeUnit":"ns","otherData":`)
	t.text(string(appendObject(nil, s.otherData())))
	t.text(`,"traceEvents":[`)
	t.metadata()
	t.findArrows()
	t.walk.do(t.item)
	t.text("\n]}\n")
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

// otherData is what the trace says about itself.
func (s *Snapshot) otherData() []Attr {
	other := []Attr{String("origin", s.Origin.Format(time.RFC3339Nano)),
		String("spans", s.Stats.String())}
	for _, d := range s.Devices {
		other = append(other, String("clock of "+d.Device.String(), d.Clock.String()))
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
func hostPID(lanes []*Lane) int {
	pid := 1000
	for _, l := range lanes {
		for pid <= l.ID {
			pid *= 10
		}
	}
	return pid
}

type traceWriter struct {
	w     *bufio.Writer
	shot  *Snapshot
	walk  *walk
	lanes []*Lane
	host  int           // hostPID
	shift time.Duration // makes all times positive, which viewers want
	line  []byte        // of an event, used again
	args  []Attr        // likewise
	any   bool
	err   error
}

func (t *traceWriter) text(s string) {
	if t.err == nil {
		_, t.err = t.w.WriteString(s)
	}
}

// event writes an event.
func (t *traceWriter) event(e traceEvent) {
	t.line = t.line[:0]
	if t.any {
		t.line = append(t.line, ',')
	}
	t.any = true
	t.line = e.appendTo(append(t.line, '\n'))
	if t.err == nil {
		_, t.err = t.w.Write(t.line)
	}
}

// process returns a lane's process.
func (t *traceWriter) process(l *Lane) int {
	if l == nil {
		return t.host
	}
	return t.host + t.shot.number(l.Device)
}

// metadata names and orders processes and threads.
func (t *traceWriter) metadata() {
	name := func(what string, pid, tid int, arg Attr) {
		t.event(traceEvent{name: what, phase: 'M', pid: pid, tid: tid, args: []Attr{arg}})
	}
	for i, d := range t.shot.Devices {
		pid := t.host + 1 + i
		name("process_name", pid, 0, String("name", d.Device.String()+" "+d.Device.Name()))
		name("process_labels", pid, 0, String("labels", "clock "+d.Clock.String()))
		name("process_sort_index", pid, 0, Int("sort_index", pid))
	}
	for _, l := range t.lanes {
		pid := t.process(l)
		if l.Name != "" { // Perfetto counts an empty one as an error
			name("thread_name", pid, l.ID, String("name", l.Name))
		}
		name("thread_sort_index", pid, l.ID, Int("sort_index", l.ID))
	}
	if t.walk.onHost {
		name("process_name", t.host, 0, String("name", "host calls"))
		name("process_sort_index", t.host, 0, Int("sort_index", t.host))
	}
}

// item writes an item.
func (t *traceWriter) item(p *placed) {
	t.args = p.appendArgs(t.args[:0])
	e := traceEvent{name: p.Name, category: p.Kind.String(), pid: t.process(p.Lane),
		tid: laneID(p.Lane), at: t.at(p.start), args: t.args}
	switch {
	case p.Kind == KindMark || p.Kind == KindCounter:
		t.point(p, e)
		return
	case p.Kind == KindAsync || p.apart:
		e.phase, e.id = 'b', p.ID
		t.beginArrow(p, &e)
		t.event(e)
		t.event(traceEvent{name: e.name, category: e.category, phase: 'e', pid: e.pid, tid: e.tid,
			at: t.at(p.end), id: p.ID})
	default:
		e.phase, e.length = 'X', p.end-p.start
		t.beginArrow(p, &e)
		t.event(e)
	}
	t.endArrow(p, e)
}

// point writes a mark or the value of a counter.
func (t *traceWriter) point(p *placed, e traceEvent) {
	e.phase, e.scope = 'i', 't'
	switch {
	case p.Kind == KindCounter && !finite(p.Value):
		return // JSON has none
	case p.Kind == KindCounter:
		e.phase, e.scope, e.tid, e.args = 'C', 0, 0, append(t.args[:0], Float("value", p.Value))
	case p.Lane == nil:
		e.scope = 'p'
	case t.beginsArrow(p): // arrows begin in slices only
		e.phase, e.scope = 'X', 0
		t.beginArrow(p, &e)
	}
	t.event(e)
}

func (t *traceWriter) at(d time.Duration) time.Duration { return d + t.shift }

// appendArgs appends an item's arguments in the trace. Of those with the same key the last is kept,
// since JSON has one.
func (p *placed) appendArgs(args []Attr) []Attr {
	args = append(args, Int("bound_ns", p.Bound.Nanoseconds()), itemNumber("span", p.ID))
	if p.Parent != 0 {
		args = append(args, itemNumber("parent", p.Parent))
	}
	if p.From != 0 {
		args = append(args, itemNumber("waited for", p.From))
	}
	if p.Lane != p.EndLane && p.EndLane != nil {
		args = append(args, String("ended on", p.EndLane.Name))
	}
	for _, a := range p.Attrs {
		if i := slices.IndexFunc(args, func(o Attr) bool { return o.Key == a.Key }); i >= 0 {
			args[i] = a
		} else {
			args = append(args, a)
		}
	}
	return args
}

// itemNumber returns an attribute with an item's number.
func itemNumber(key string, id uint64) Attr { return Int(key, int64(id)) }
