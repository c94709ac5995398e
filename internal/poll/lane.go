package poll

import (
	"container/heap"
	"slices"
)

// lane holds tasks in a known order, or all tasks without one: these are in front. Its fields are
// guarded by the poller's lock.
type lane struct {
	key any // nil if the order is unknown

	pace
	front []*Item // polled: nothing in the lane precedes them
	rest  items   // each is preceded by one of the front
	hung  []*Item // taken from the front: their queries hang
	last  *Item   // the one with the highest Begin; nil if unknown

	// over are the tasks that have ended and whose End is still to be called, by one goroutine at a
	// time, in this order.
	over    []*Item
	telling bool

	// A query of the last task can save those of all before it. If it was in vain, the next one
	// comes after twice as many tasks.
	sinceLast, untilLast int
}

// lastWorth is how many tasks a query of the last one must be able to save.
const lastWorth = 16

// limit returns the number beyond which tasks are preceded by one of the front. The front is not
// empty.
func (l *lane) limit() uint32 {
	m := l.front[0].Order.End
	for _, it := range l.front[1:] {
		if before(it.Order.End, m) {
			m = it.Order.End
		}
	}
	return m
}

// add adds the item. It reports whether the item may be queried at once.
func (l *lane) add(it *Item) (ask bool) {
	if l.key == nil {
		l.pushFront(it)
		return true
	}
	switch {
	case len(l.front) == 0:
		l.last, l.sinceLast, l.untilLast = it, 0, 0
	case l.last != nil && before(l.last.Order.Begin, it.Order.Begin):
		l.last = it
	}
	if len(l.front) > 0 && before(l.limit(), it.Order.Begin) {
		l.pushRest(it)
		return false
	}
	l.pushFront(it)
	m := l.limit()
	for i := len(l.front) - 1; i >= 0; i-- { // those that it precedes are no longer polled
		if f := l.front[i]; before(m, f.Order.Begin) {
			l.front = drop(l.front, f)
			l.pushRest(f)
		}
	}
	return true
}

// remove removes the item, and returns those that may be queried now.
func (l *lane) remove(it *Item) (ask []*Item) {
	if it == l.last {
		l.last = nil
	}
	switch it.state {
	case behind:
		heap.Remove(&l.rest, it.index)
	case hanging:
		l.hung = drop(l.hung, it)
	default:
		l.front = drop(l.front, it)
	}
	it.state = over
	return l.advance()
}

// end moves an item that has ended to over, behind those that precede it: if it is done, so are
// they, even one whose query hangs. It returns those that may be queried now.
func (l *lane) end(it *Item) (ask []*Item) {
	if it.err == nil {
		l.passed(it.Order.Begin)
	}
	ask = l.remove(it)
	l.over = append(l.over, it)
	return ask
}

// advance moves items to the front, and returns them.
func (l *lane) advance() (ask []*Item) {
	for len(l.rest) > 0 {
		first := l.rest[0]
		if len(l.front) > 0 && before(l.limit(), first.Order.Begin) {
			break
		}
		heap.Pop(&l.rest)
		l.pushFront(first)
		ask = append(ask, first)
	}
	return ask
}

// passed moves all tasks to over that have ended if the task with number n is done, in their order.
func (l *lane) passed(n uint32) {
	if l.key == nil {
		return
	}
	first := len(l.over)
	ends := func(it *Item) bool {
		if !before(it.Order.End, n) { // it overlaps
			return false
		}
		it.state = over
		l.over = append(l.over, it)
		return true
	}
	for _, list := range []*[]*Item{&l.hung, &l.front} {
		for i := len(*list) - 1; i >= 0; i-- {
			if it := (*list)[i]; ends(it) {
				*list = drop(*list, it)
			}
		}
	}
	var kept []*Item
	for len(l.rest) > 0 && before(l.rest[0].Order.Begin, n) {
		if it := heap.Pop(&l.rest).(*Item); !ends(it) {
			kept = append(kept, it)
		}
	}
	for _, it := range kept {
		l.pushRest(it)
	}
	if l.last != nil && l.last.state == over {
		l.last = nil
	}
	slices.SortFunc(l.over[first:], func(a, b *Item) int {
		return int(int32(a.Order.Begin - b.Order.Begin))
	})
}

func (l *lane) pushFront(it *Item) {
	it.state, it.index = front, len(l.front)
	l.front = append(l.front, it)
}

// setAside removes an item whose query hangs from the front, so that it delays no other.
func (l *lane) setAside(it *Item) {
	l.front = drop(l.front, it)
	it.state, it.index = hanging, len(l.hung)
	l.hung = append(l.hung, it)
}

// drop removes an item from a list by its index.
func drop(list []*Item, it *Item) []*Item {
	n := len(list) - 1
	moved := list[n]
	list[it.index], moved.index = moved, it.index
	list[n] = nil
	return list[:n]
}

func (l *lane) pushRest(it *Item) {
	it.state = behind
	heap.Push(&l.rest, it)
}

func (l *lane) empty() bool {
	return len(l.front) == 0 && len(l.hung) == 0 && len(l.over) == 0 && !l.telling
}

// items is a heap by Begin: tasks may come in any order, a million of them.
type items []*Item

func (h items) Len() int           { return len(h) }
func (h items) Less(i, j int) bool { return before(h[i].Order.Begin, h[j].Order.Begin) }
func (h items) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *items) Push(x any) {
	it := x.(*Item)
	it.index = len(*h)
	*h = append(*h, it)
}

func (h *items) Pop() any {
	n := len(*h) - 1
	it := (*h)[n]
	(*h)[n] = nil
	*h = (*h)[:n]
	return it
}
