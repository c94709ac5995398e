package timeline

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// placed is an item where pictures show it.
type placed struct {
	*Item
	start, end time.Duration // since the snapshot's origin
	depth      int           // how many spans it is nested in; of an asynchronous one, its row
	apart      bool          // it overlaps others without being nested
}

// layout is a lane's items, by start.
type layout struct {
	lane   *Lane
	spans  []*placed // spans and waits, properly nested
	async  []*placed // those that overlap, in rows of their own
	points []*placed // marks and counters
	rows   int       // of spans
	extra  int       // of async
}

// layouts places the snapshot's items, lane by lane. The lane of the host's own moments is nil, and
// comes last if there are any.
func (s *Snapshot) layouts() []*layout {
	lanes := append(s.Lanes(), nil)
	byID := map[int]*layout{}
	var all []*layout
	for _, l := range lanes {
		lay := &layout{lane: l}
		byID[laneID(l)] = lay
		all = append(all, lay)
	}
	for i := range s.Items {
		it := &s.Items[i]
		lay := byID[laneID(it.Lane)]
		p := &placed{Item: it, start: it.Start.Sub(s.Origin), end: it.End.Sub(s.Origin)}
		switch it.Kind {
		case KindMark, KindCounter:
			lay.points = append(lay.points, p)
		case KindAsync:
			lay.async = append(lay.async, p)
		default:
			lay.spans = append(lay.spans, p)
		}
	}
	if host := all[len(all)-1]; len(host.points) == 0 {
		all = all[:len(all)-1]
	}
	for _, lay := range all {
		lay.nest()
		lay.spread()
		slices.SortStableFunc(lay.points, byStart)
	}
	return all
}

func laneID(l *Lane) int {
	if l == nil {
		return 0
	}
	return l.ID
}

func byStart(a, b *placed) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.ID, b.ID))
}

// inOrder sorts a lane's spans by their starts. A stream reaches begins in the order of the ids,
// unless goroutines begin spans at the same time, so ids settle what the times leave open.
func inOrder(spans []*placed) {
	slices.SortStableFunc(spans, byStart)
	for i := 1; i < len(spans); i++ {
		for j := i; j > 0; j-- {
			a, b := spans[j-1], spans[j]
			if a.ID < b.ID || b.start-a.start > a.stays()+b.stays() {
				break
			}
			spans[j-1], spans[j] = b, a
		}
	}
}

// nest finds how deep each span lies, and moves those that lie apart to the asynchronous ones.
func (lay *layout) nest() {
	inOrder(lay.spans)
	var n nester
	kept := lay.spans[:0]
	for _, p := range lay.spans {
		n.place(p)
		if p.apart {
			lay.async = append(lay.async, p)
			continue
		}
		lay.rows = max(lay.rows, len(n.open))
		kept = append(kept, p)
	}
	lay.spans = kept
}

// nester finds how deep the spans of a lane lie. Spans follow each other on a stream exactly, but
// their times do so only within their bounds: what is off by less is set right. A span that
// overlaps another by more is apart.
type nester struct {
	open   []openSpan
	passed time.Duration // the last end of those that are over
	begun  bool
}

// openSpan is a placed span that later ones may lie in.
type openSpan struct {
	id                uint64
	start, end, bound time.Duration
}

// place places the next span in order.
func (n *nester) place(p *placed) {
	if !n.begun {
		n.begun, n.passed = true, math.MinInt64
	}
	p.start = max(p.start, n.passed)
	p.end = max(p.end, p.start)
	for k := len(n.open) - 1; k >= 0 && n.open[k].over(p); k-- {
		n.passed = max(n.passed, n.open[k].end)
		p.start = max(p.start, n.passed)
		p.end = max(p.end, p.start)
		n.open = n.open[:k]
	}
	if k := len(n.open) - 1; k >= 0 {
		outer := n.open[k]
		if p.end-outer.end > p.stays()+outer.bound {
			p.apart = true
			return
		}
		p.start = min(max(p.start, outer.start), outer.end)
		p.end = max(min(p.end, outer.end), p.start)
	}
	p.depth = len(n.open)
	n.open = append(n.open, openSpan{p.ID, p.start, p.end, p.stays()})
}

// over reports whether o is over when another span begins. A span within o that was cut to o's end
// is not after it.
func (o openSpan) over(next *placed) bool {
	if next.Parent == o.id {
		return false
	}
	if next.start >= o.end {
		return true
	}
	// An overlap that the clocks may have made up, of a span that goes on after o.
	return o.end-next.start <= o.bound+next.stays() && next.end > o.end
}

// spread gives asynchronous spans rows in which they don't overlap.
func (lay *layout) spread() {
	slices.SortStableFunc(lay.async, byStart)
	var ends []time.Duration
	for _, p := range lay.async {
		p.end = max(p.end, p.start)
		row := slices.IndexFunc(ends, func(end time.Duration) bool { return end <= p.start })
		if row < 0 {
			row = len(ends)
			ends = append(ends, 0)
		}
		ends[row] = p.end
		p.depth = row
	}
	lay.extra = len(ends)
}

// ends finds items by their ids, for arrows.
func ends(all []*layout) map[uint64]*placed {
	found := map[uint64]*placed{}
	for _, lay := range all {
		for _, list := range [...][]*placed{lay.spans, lay.async, lay.points} {
			for _, p := range list {
				found[p.ID] = p
			}
		}
	}
	return found
}
