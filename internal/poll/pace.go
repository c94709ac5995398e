package poll

import "time"

// How often tasks are queried: at once, then as fast as other goroutines allow, then in growing
// steps, and often around the end that the lane's earlier tasks suggest.
const (
	spin       = 20 * time.Microsecond
	firstPause = 50 * time.Microsecond
	lastPause  = time.Millisecond
	// closePause is the shortest pause, around the expected end.
	closePause = 25 * time.Microsecond
	// irregular: a pause takes at most one irregular-th of the time that a task has been pending, if
	// the lane's earlier tasks ended, but not at times by which the next end could be expected.
	irregular = 16
)

// pace is when the tasks at the front of a lane are queried next. Times count from the creation of
// the poller. It is guarded by the poller's lock.
type pace struct {
	items *[]*Item      // those that are polled
	next  time.Duration // when
	often bool          // the pause is still shorter than lastPause
	place place         // in the agenda

	since   time.Duration // when they came to the front
	pended  time.Duration // when the last query found them pending
	pending bool          // one did
	tempo   *tempo        // nil if nothing is known of the order
}

// begin notes that something has come to the front and is being queried.
func (p *pace) begin(now time.Duration) {
	p.since, p.pended, p.pending = now, now, false
	p.next, p.often = now+firstPause, true
}

// stillPending notes that a query found the front pending, and sets the time of the next query.
func (p *pace) stillPending(now time.Duration) {
	p.pended, p.pending = now, true
	pause := p.pause(now - p.since)
	p.next, p.often = now+pause, pause < lastPause
}

// pause returns the pause after a query of something that has been pending for so long.
func (p *pace) pause(pended time.Duration) time.Duration {
	t := p.tempo
	pause := growing(pended / 2)
	if t != nil && t.regular() {
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
	if t != nil && t.known {
		return growing(pended / irregular)
	}
	return pause
}

// growing keeps a pause within its limits.
func growing(pause time.Duration) time.Duration { return min(max(pause, firstPause), lastPause) }

// ended notes that the task at the front has ended. If no query found it pending, it ended before
// anybody waited, and its time says nothing.
func (p *pace) ended(now time.Duration) {
	if p.tempo != nil && p.pending {
		p.tempo.learn(p.pended-p.since, now-p.since)
	}
}
