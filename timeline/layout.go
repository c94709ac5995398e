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

func (p *placed) stays(other *placed) time.Duration { return p.Bound + other.Bound }

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

// nest finds how deep each span lies. Spans follow each other on a stream exactly, but their times
// do so only within their bounds: what is off by less is set right. A span that overlaps another by
// more is shown apart.
func (lay *layout) nest() {
	// A stream reaches begins in the order of the ids, unless goroutines begin spans at the same
	// time, so ids settle what the times leave open.
	slices.SortStableFunc(lay.spans, byStart)
	for i := 1; i < len(lay.spans); i++ {
		for j := i; j > 0; j-- {
			a, b := lay.spans[j-1], lay.spans[j]
			if a.ID < b.ID || b.start-a.start > a.stays(b) {
				break
			}
			lay.spans[j-1], lay.spans[j] = b, a
		}
	}
	var open []*placed
	passed := time.Duration(math.MinInt64) // the last end of those that are over
	kept := lay.spans[:0]
	for _, p := range lay.spans {
		p.start = max(p.start, passed)
		p.end = max(p.end, p.start)
		for len(open) > 0 && open[len(open)-1].over(p) {
			passed = max(passed, open[len(open)-1].end)
			p.start = max(p.start, passed)
			p.end = max(p.end, p.start)
			open = open[:len(open)-1]
		}
		if n := len(open); n > 0 {
			outer := open[n-1]
			if p.end-outer.end > p.stays(outer) {
				p.apart = true
				lay.async = append(lay.async, p)
				continue
			}
			p.start = min(max(p.start, outer.start), outer.end)
			p.end = max(min(p.end, outer.end), p.start)
		}
		p.depth = len(open)
		open = append(open, p)
		lay.rows = max(lay.rows, len(open))
		kept = append(kept, p)
	}
	lay.spans = kept
}

// over reports whether p is over when another span begins. A span within p that was cut to p's end
// is not behind it.
func (p *placed) over(next *placed) bool {
	if next.Parent == p.ID {
		return false
	}
	if next.start >= p.end {
		return true
	}
	// An overlap that the clocks may have made up, of a span that goes on behind p.
	return p.end-next.start <= p.stays(next) && next.end > p.end
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
