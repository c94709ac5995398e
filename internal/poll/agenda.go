package poll

import (
	"container/heap"
	"math"
	"time"
)

// agenda schedules the queries. Paces that are polled often have a time each. All others share one,
// so that one pause serves them all and a query costs no heap operation. They are queried in
// slices, between which the often ones have their turn, so that however many seldom ones delay no
// other.
type agenda struct {
	often  byTime
	seldom []*pace
	tick   time.Duration // when to query the seldom ones next
	left   int           // how many of them are still to be queried then, from the end
}

// slice is how many paces that are polled seldom are queried at a time.
const slice = 64

// place is a pace's place in the agenda; zero if it is not there.
type place struct {
	list  *[]*pace // of the agenda
	index int
}

// put adds a pace, or notes that its time has changed.
func (a *agenda) put(p *pace, now time.Duration) {
	switch {
	case p.often && p.place.list == (*[]*pace)(&a.often):
		heap.Fix(&a.often, p.place.index)
	case p.often:
		a.drop(p)
		heap.Push(&a.often, p)
	case p.place.list != &a.seldom:
		a.drop(p)
		if len(a.seldom) == 0 {
			a.tick = nextTick(now)
		}
		p.place = place{&a.seldom, len(a.seldom)}
		a.seldom = append(a.seldom, p)
	}
}

// nextTick is at most a long pause away.
func nextTick(now time.Duration) time.Duration {
	next := now + lastPause
	return next - next%lastPause
}

// drop removes a pace, if it is there.
func (a *agenda) drop(p *pace) {
	switch p.place.list {
	case (*[]*pace)(&a.often):
		heap.Remove(&a.often, p.place.index)
	case &a.seldom:
		n := len(a.seldom) - 1
		moved := a.seldom[n]
		a.seldom[p.place.index], moved.place.index = moved, p.place.index
		a.seldom[n] = nil
		a.seldom, p.place = a.seldom[:n], place{}
	}
}

// dueOften appends the items to query now that are polled often, and drops paces without items. If
// they are not queried because another query hangs, they are due again soon.
func (a *agenda) dueOften(now time.Duration, items []*Item) []*Item {
	for len(a.often) > 0 && a.often[0].next <= now {
		p := a.often[0]
		if len(*p.items) == 0 {
			a.drop(p)
			continue
		}
		items = append(items, *p.items...)
		p.next = now + firstPause
		heap.Fix(&a.often, 0)
	}
	return items
}

// dueSeldom does so for the next slice of those that are polled seldom.
func (a *agenda) dueSeldom(now time.Duration, items []*Item) []*Item {
	if len(a.seldom) == 0 || a.tick > now {
		return items
	}
	if a.left = min(a.left, len(a.seldom)); a.left == 0 {
		a.left = len(a.seldom)
	}
	for end := max(a.left-slice, 0); a.left > end; {
		a.left--
		if p := a.seldom[a.left]; len(*p.items) > 0 {
			items = append(items, *p.items...)
		} else {
			a.drop(p)
		}
	}
	if a.left == 0 {
		a.tick = nextTick(now)
	}
	return items
}

// never is later than all times.
const never = time.Duration(math.MaxInt64)

// nextOften returns the time of the next query of those that are polled often.
func (a *agenda) nextOften() time.Duration {
	if len(a.often) == 0 {
		return never
	}
	return a.often[0].next
}

// nextSeldom does so for those that are polled seldom.
func (a *agenda) nextSeldom() time.Duration {
	if len(a.seldom) == 0 {
		return never
	}
	return a.tick
}

func (a *agenda) len() int { return len(a.often) + len(a.seldom) }

// byTime is a heap of paces by time.
type byTime []*pace

func (h byTime) Len() int           { return len(h) }
func (h byTime) Less(i, j int) bool { return h[i].next < h[j].next }
func (h byTime) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place.index, h[j].place.index = i, j
}
func (h *byTime) Push(x any) {
	p := x.(*pace)
	p.place = place{(*[]*pace)(h), len(*h)}
	*h = append(*h, p)
}
func (h *byTime) Pop() any {
	old := *h
	n := len(old) - 1
	p := old[n]
	old[n] = nil
	p.place = place{}
	*h = old[:n]
	return p
}
