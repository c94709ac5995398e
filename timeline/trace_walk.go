package timeline

import (
	"maps"
	"math"
	"slices"
	"time"
)

// A trace can have more items than memory has room for their places. A walk therefore takes them in
// groups by their starts: it reads the encoded items once to choose the groups, and then for each
// group those blocks that have items of it.

// walk goes through items lane by lane in the order of their starts, and finds their places.
type walk struct {
	origin  time.Time
	runs    []run
	spreads []spread        // of the runs
	cuts    []time.Duration // where groups end
	bound   time.Duration   // the largest
	first   time.Duration   // the least start
	lanes   map[int]*Lane   // with their newest names
	onHost  bool            // there are items outside of all streams
	waited  map[uint64]*waited
	free    []*placed
	most    int // items that were in memory at the same time
}

// spread is the least and the greatest start of a run.
type spread struct{ first, last time.Duration }

// waited is an item that waits wait for, and so an arrow's begin.
type waited struct {
	known   bool
	name    string
	lane    *Lane         // where it ended
	start   time.Duration // on the picture
	resumes time.Duration // the last moment of the waits for it
}

const (
	groupSize = 1 << 15 // items, about
	samples   = 1 << 16 // of starts, to choose the groups by
)

// newWalk reads all items once. It takes about group of them at a time later.
func newWalk(origin time.Time, runs []run, group int) *walk {
	w := &walk{origin: origin, runs: runs, lanes: map[int]*Lane{}, waited: map[uint64]*waited{}}
	n := 0
	for _, r := range runs {
		n += r.size()
	}
	every, i := n/samples+1, 0
	starts := make([]time.Duration, 0, n/every+1)
	w.first = math.MaxInt64
	for _, r := range runs {
		e := spread{math.MaxInt64, math.MinInt64}
		r.each(func(it *Item) {
			start := it.Start.Sub(origin)
			e = spread{min(e.first, start), max(e.last, start)}
			w.bound = max(w.bound, it.stays())
			if i++; i%every == 0 {
				starts = append(starts, start)
			}
			w.onHost = w.onHost || it.Lane == nil
			for _, l := range [...]*Lane{it.Lane, it.EndLane} {
				if l != nil {
					w.lanes[l.ID] = l
				}
			}
			if it.Kind == KindWait && it.From != 0 && w.waited[it.From] == nil {
				w.waited[it.From] = &waited{resumes: math.MinInt64}
			}
		})
		w.spreads = append(w.spreads, e)
		w.first = min(w.first, e.first)
	}
	slices.Sort(starts)
	step := max(1, group/every)
	for at := step; at < len(starts); at += step {
		w.cuts = append(w.cuts, starts[at])
	}
	w.cuts = append(slices.Compact(w.cuts), math.MaxInt64)
	return w
}

// laneWalk is the state of a lane between two groups.
type laneWalk struct {
	spans  []*placed // not placed yet
	others []*placed // asynchronous spans, marks and counters
	nest   nester
}

// do calls f for each item, with its place. Of a lane, spans come in the order of their starts, an
// outer one before those within it.
func (w *walk) do(f func(*placed)) {
	lanes := map[int]*laneWalk{}
	from := time.Duration(math.MinInt64)
	for _, to := range w.cuts {
		w.collect(lanes, from, to)
		held := 0
		for _, id := range slices.Sorted(maps.Keys(lanes)) {
			l := lanes[id]
			held += len(l.spans) + len(l.others) + len(l.nest.open)
			w.place(l, to, f)
		}
		w.most = max(w.most, held)
		from = to
	}
}

// collect adds the items of a group to their lanes.
func (w *walk) collect(lanes map[int]*laneWalk, from, to time.Duration) {
	for i, r := range w.runs {
		if e := w.spreads[i]; e.last < from || e.first >= to {
			continue
		}
		r.each(func(it *Item) {
			start := it.Start.Sub(w.origin)
			if start < from || start >= to {
				return
			}
			p := w.take(it)
			l := lanes[laneID(it.Lane)]
			if l == nil {
				l = &laneWalk{}
				lanes[laneID(it.Lane)] = l
			}
			if it.Kind == KindSpan || it.Kind == KindWait {
				l.spans = append(l.spans, p)
			} else {
				l.others = append(l.others, p)
			}
		})
	}
}

// take returns the place of an item, which is copied. Places are used again.
func (w *walk) take(it *Item) *placed {
	var p *placed
	if n := len(w.free) - 1; n >= 0 {
		p, w.free = w.free[n], w.free[:n]
	} else {
		p = &placed{Item: new(Item)}
	}
	own := p.Item
	attrs := append(own.Attrs[:0], it.Attrs...)
	*own = *it
	own.Attrs = attrs
	*p = placed{Item: own, start: it.Start.Sub(w.origin), end: it.End.Sub(w.origin)}
	return p
}

// place finds the places of a lane's items that start before the end of a group. Spans that one of
// the next group may come before, by their ids, are left for that group.
func (w *walk) place(l *laneWalk, to time.Duration, f func(*placed)) {
	inOrder(l.spans)
	n := len(l.spans)
	if to < math.MaxInt64 {
		n = 0
		for n < len(l.spans) && l.spans[n].start < to-l.spans[n].stays()-w.bound {
			n++
		}
	}
	for _, p := range l.spans[:n] {
		l.nest.place(p)
		f(p)
	}
	w.free = append(w.free, l.spans[:n]...)
	l.spans = slices.Delete(l.spans, 0, n)
	slices.SortStableFunc(l.others, byStart)
	for _, p := range l.others {
		p.end = max(p.end, p.start)
		f(p)
	}
	w.free = append(w.free, l.others...)
	l.others = l.others[:0]
}
