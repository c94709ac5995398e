package poll

import (
	"container/heap"
	"time"
)

// agenda schedules the queries. Paces that are polled often have a time each; all others share one,
// so that one pause serves them all and a query costs no heap operation.
type agenda struct {
	often  byTime
	seldom []*pace
	tick   time.Duration // when to query the seldom ones next
}

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

// due appends the items to query now, and drops paces without items. If they are not queried
// because another query hangs, they are due again soon.
func (a *agenda) due(now time.Duration, items []*Item) []*Item {
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
	if len(a.seldom) > 0 && a.tick <= now {
		for i := len(a.seldom) - 1; i >= 0; i-- {
			if p := a.seldom[i]; len(*p.items) > 0 {
				items = append(items, *p.items...)
			} else {
				a.drop(p)
			}
		}
		a.tick = nextTick(now)
	}
	return items
}

// next returns the time of the next query, if there is one.
func (a *agenda) next() (at time.Duration, ok bool) {
	switch {
	case len(a.often) == 0:
		return a.tick, len(a.seldom) > 0
	case len(a.seldom) == 0:
		return a.often[0].next, true
	}
	return min(a.tick, a.often[0].next), true
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
