package poll

import (
	"container/heap"
	"time"
)

// How often tasks are asked for: at once, then as fast as other goroutines allow, then in growing
// steps, and often about the time when the lane's earlier tasks say that it should end.
const (
	spin       = 20 * time.Microsecond
	firstPause = 50 * time.Microsecond
	lastPause  = time.Millisecond
	// closePause is the shortest, about the expected end.
	closePause = 25 * time.Microsecond
)

// pace says when the tasks at the front of a lane are asked for next. Times count from the poller's
// making. It is guarded by the poller's lock.
type pace struct {
	items *[]*Item // those that are asked for
	index int      // in the agenda, from 1 on; 0 if not there
	next  time.Duration

	since   time.Duration // when they came to the front
	pended  time.Duration // when the last question found them pending
	pending bool          // one did
	tempo   *tempo        // nil if nothing is known of the order
}

// begin says that something has come to the front, and that it is being asked for.
func (p *pace) begin(now time.Duration) {
	p.since, p.pended, p.pending = now, now, false
	p.next = now + firstPause
}

// stillPending takes in an answer, and settles when to ask next.
func (p *pace) stillPending(now time.Duration) {
	p.pended, p.pending = now, true
	p.next = now + p.pause(now-p.since)
	if p.next-now == lastPause { // with all others that are asked seldom, so that one pause serves all
		p.next -= p.next % lastPause
	}
}

// pause is how long not to ask for what was pending so long.
func (p *pace) pause(pended time.Duration) time.Duration {
	pause := min(max(pended/2, firstPause), lastPause)
	if t := p.tempo; t != nil && t.regular() {
		reach := t.reach()
		late := pended - t.mean
		switch {
		case late < -reach:
			return min(pause, max(-reach-late, closePause))
		case t.spread < closePause && max(late, -late) < 2*closePause:
			return 0
		}
		return min(pause, max(t.spread/4, late/2, closePause))
	}
	if pended < spin {
		return 0
	}
	return pause
}

// ended takes in that what was at the front is over. What was never seen pending was over before
// somebody came to wait, and tells nothing.
func (p *pace) ended(now time.Duration) {
	if p.tempo != nil && p.pending {
		p.tempo.learn(p.pended-p.since, now-p.since)
	}
}

// agenda is a heap of paces by the time when they are due.
type agenda []*pace

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].next < a[j].next }
func (a agenda) Swap(i, j int) {
	a[i], a[j] = a[j], a[i]
	a[i].index, a[j].index = i+1, j+1
}
func (a *agenda) Push(x any) {
	p := x.(*pace)
	*a = append(*a, p)
	p.index = len(*a)
}
func (a *agenda) Pop() any {
	old := *a
	n := len(old) - 1
	p := old[n]
	old[n] = nil
	p.index = 0
	*a = old[:n]
	return p
}

// put takes a pace in, or takes in that its time has changed.
func (a *agenda) put(p *pace) {
	if p.index == 0 {
		heap.Push(a, p)
		return
	}
	heap.Fix(a, p.index-1)
}

// drop takes a pace out, if it is there.
func (a *agenda) drop(p *pace) {
	if p.index != 0 {
		heap.Remove(a, p.index-1)
	}
}

// due takes those that are due, which are to be asked now: should nobody come to that, for another
// question hangs, they are due again soon.
func (a *agenda) due(now time.Duration, items []*Item) []*Item {
	for len(*a) > 0 && (*a)[0].next <= now {
		p := (*a)[0]
		if len(*p.items) == 0 {
			a.drop(p)
			continue
		}
		items = append(items, *p.items...)
		p.next = now + firstPause
		heap.Fix(a, 0)
	}
	return items
}
