package poll

import "time"

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
	items *[]*Item      // those that are asked for
	next  time.Duration // when
	often bool          // before the pause is as long as it gets
	place place         // in the agenda

	since   time.Duration // when they came to the front
	pended  time.Duration // when the last question found them pending
	pending bool          // one did
	tempo   *tempo        // nil if nothing is known of the order
}

// begin says that something has come to the front, and that it is being asked for.
func (p *pace) begin(now time.Duration) {
	p.since, p.pended, p.pending = now, now, false
	p.next, p.often = now+firstPause, true
}

// stillPending takes in an answer, and settles when to ask next.
func (p *pace) stillPending(now time.Duration) {
	p.pended, p.pending = now, true
	pause := p.pause(now - p.since)
	p.next, p.often = now+pause, pause < lastPause
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
