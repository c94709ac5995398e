package poll

import (
	"math"
	"time"
)

// agenda schedules the queries. Paces that are polled often have a time each. They are few, since
// pauses grow with their number. All others share one time, so that one pause serves them all. They
// are queried in slices, between which the often ones have their turn, so that however many seldom
// ones delay no other.
type agenda struct {
	often  []*pace
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

// put adds a pace, or notes that it is polled often or seldom from now on.
func (a *agenda) put(p *pace, now time.Duration) {
	list := &a.seldom
	if p.often {
		list = &a.often
	}
	if p.place.list == list {
		return
	}
	a.drop(p)
	if list == &a.seldom && len(a.seldom) == 0 {
		a.tick = nextTick(now)
	}
	p.place = place{list, len(*list)}
	*list = append(*list, p)
}

// nextTick is at most a long pause away.
func nextTick(now time.Duration) time.Duration {
	next := now + lastPause
	return next - next%lastPause
}

// drop removes a pace, if it is there.
func (a *agenda) drop(p *pace) {
	if p.place.list == nil {
		return
	}
	list := *p.place.list
	n := len(list) - 1
	moved := list[n]
	list[p.place.index], moved.place.index = moved, p.place.index
	list[n] = nil
	*p.place.list, p.place = list[:n], place{}
}

// dueOften appends the items to query now that are polled often, and drops paces without items. If
// they are not queried because another query hangs, they are due again soon.
func (a *agenda) dueOften(now time.Duration, items []*Item) []*Item {
	for i := len(a.often) - 1; i >= 0; i-- {
		switch p := a.often[i]; {
		case p.next > now:
		case len(*p.items) == 0:
			a.drop(p)
		default:
			items = append(items, *p.items...)
			p.next = now + firstPause
		}
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
	next := never
	for _, p := range a.often {
		next = min(next, p.next)
	}
	return next
}

// nextSeldom does so for those that are polled seldom.
func (a *agenda) nextSeldom() time.Duration {
	if len(a.seldom) == 0 {
		return never
	}
	return a.tick
}

func (a *agenda) len() int { return len(a.often) + len(a.seldom) }
