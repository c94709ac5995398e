package timeline

import "time"

// Arrows are flows of the format's second version, which bind to the slices that have them. Those
// of the first version bind to the slice that Perfetto saw last on the thread. An arrow must not
// lead to a slice that begins before the one that it comes from: Perfetto would turn it round.
// Perfetto draws it to the begin of the slice. A wait often begins before what it waits for, so its
// arrow leads to a slice of no length at its end.

// resumed is that slice's name.
const resumed = "resumed"

// findArrows finds the waits that arrows lead to and what they begin in. It comes before all items:
// of a begin and an end at the same time, the begin must be written first.
func (t *traceWriter) findArrows(all []*layout) {
	t.begin, t.end = map[uint64]bool{}, map[uint64]string{}
	found := ends(all)
	for _, lay := range all {
		for _, list := range [...][]*placed{lay.spans, lay.async} {
			for _, p := range list {
				if from := found[p.From]; p.Kind == KindWait && from != nil {
					t.arrow(from, p)
				}
			}
		}
	}
}

func (t *traceWriter) arrow(from, wait *placed) {
	at := wait.resumes()
	if from.start < at {
		t.begin[from.ID] = true
		t.end[wait.ID] = flowOf(from)
		return
	}
	// By the clocks, which are not exact, the wait was over before. A slice of no length stands for
	// what was waited for.
	own := hexID(2*wait.ID + 1)
	t.end[wait.ID] = own
	t.event(traceEvent{Name: from.Name, Cat: "end", Phase: "X", PID: t.process(from.EndLane),
		TID: laneID(from.EndLane), TS: t.at(at), Dur: new(micros), Flow: own, Out: true,
		Args: map[string]any{"end of": from.ID}})
}

// flowOf is the id of the arrows that begin in an item's slice.
func flowOf(p *placed) string { return hexID(2 * p.ID) }

// beginArrow makes an item's slice the begin of its arrows, if there are any.
func (t *traceWriter) beginArrow(p *placed, e *traceEvent) {
	if t.begin[p.ID] {
		e.Flow, e.Out = flowOf(p), true
	}
}

// endArrow writes the end of a wait's arrow, if there is one. The slice is the wait's.
func (t *traceWriter) endArrow(p *placed, slice traceEvent) {
	if flow, ok := t.end[p.ID]; ok {
		t.event(traceEvent{Name: resumed, Cat: slice.Cat, Phase: "X", PID: slice.PID, TID: slice.TID,
			TS: t.at(p.resumes()), Dur: new(micros), Flow: flow, In: true,
			Args: map[string]any{"wait": p.ID}})
	}
}

// resumes is the last moment that belongs to a wait.
func (p *placed) resumes() time.Duration { return max(p.end-1, p.start) }
