package timeline

import "time"

// Arrows are flows of the format's second version, which bind to the slices that have them. Those
// of the first version bind to the slice that Perfetto saw last on the thread. An arrow must not
// lead to a slice that begins before the one that it comes from: Perfetto would turn it round.
// Perfetto draws it to the begin of the slice. A wait often begins before what it waits for, so its
// arrow leads to a slice of no length at its end.

// resumed is that slice's name.
const resumed = "resumed"

// findArrows finds where what waits wait for begins, and the last moment of those waits. It walks
// through all items for it, unless there are no waits.
func (t *traceWriter) findArrows() {
	if len(t.walk.waited) == 0 {
		return
	}
	t.walk.do(func(p *placed) {
		if of := t.walk.waited[p.ID]; of != nil {
			of.known, of.name, of.lane, of.start = true, p.Name, p.EndLane, p.start
		}
		if of := t.waitedFor(p); of != nil {
			of.resumes = max(of.resumes, p.resumes())
		}
	})
}

// waitedFor returns what a wait waits for, or nil.
func (t *traceWriter) waitedFor(p *placed) *waited {
	if p.Kind != KindWait {
		return nil
	}
	return t.walk.waited[p.From]
}

// flowOf is the id of the arrows that begin in an item's slice.
func flowOf(id uint64) uint64 { return 2 * id }

// beginsArrow reports whether arrows begin in an item's slice.
func (t *traceWriter) beginsArrow(p *placed) bool {
	of := t.walk.waited[p.ID]
	return of != nil && of.known && of.start < of.resumes
}

// beginArrow makes an item's slice the begin of its arrows, if there are any.
func (t *traceWriter) beginArrow(p *placed, e *traceEvent) {
	if t.beginsArrow(p) {
		e.flow, e.out = flowOf(p.ID), true
	}
}

// endArrow writes the end of a wait's arrow, if there is one. The slice is the wait's.
func (t *traceWriter) endArrow(p *placed, slice traceEvent) {
	of := t.waitedFor(p)
	if of == nil || !of.known {
		return
	}
	at, flow := p.resumes(), flowOf(p.From)
	if of.start >= at {
		// By the clocks, which are not exact, the wait was over before. A slice of no length stands
		// for what was waited for.
		flow = 2*p.ID + 1
		t.event(traceEvent{name: of.name, category: "end", phase: 'X', pid: t.process(of.lane),
			tid: laneID(of.lane), at: t.at(at), flow: flow, out: true,
			args: append(t.args[:0], itemNumber("end of", p.From))})
	}
	t.event(traceEvent{name: resumed, category: slice.category, phase: 'X', pid: slice.pid,
		tid: slice.tid, at: t.at(at), flow: flow, in: true,
		args: append(t.args[:0], itemNumber("wait", p.ID))})
}

// resumes is the last moment that belongs to a wait.
func (p *placed) resumes() time.Duration { return max(p.end-1, p.start) }
