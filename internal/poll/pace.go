package poll

import "time"

// How often tasks are queried: at once, then as fast as other goroutines allow, then with pauses
// that are short for some milliseconds and grow after that, and often around the end that earlier
// tasks of the lane suggest.
const (
	spin       = 20 * time.Microsecond
	firstPause = 50 * time.Microsecond
	lastPause  = time.Millisecond
	// closePause is the shortest pause, around the expected end.
	closePause = 25 * time.Microsecond

	// Where no end is expected, pauses are shortPause until short: half of that is how late the end
	// is noticed in the mean, and waking the waiter takes as long. From then on they grow by one
	// slower-th of the time.
	short      = 10 * time.Millisecond
	shortPause = 30 * time.Microsecond
	slower     = 16
	// crowd is how many lanes may be queried as often as that. With more, pauses grow as their
	// number, so that together they need no more queries.
	crowd = 16
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

// stillPending notes that a query found the front pending, and sets the time of the next query. The
// number is that of paces which are polled often.
func (p *pace) stillPending(now time.Duration, many int) {
	p.pended, p.pending = now, true
	pause, expected := p.pause(now-p.since, many)
	p.next, p.often = now+pause, pause < lastPause
	if !expected {
		p.next = shared(p.next, now+lastPause)
	}
}

// pause returns the pause after a query of something that has been pending for so long, and whether
// it is due to the expected end.
func (p *pace) pause(pended time.Duration, many int) (pause time.Duration, expected bool) {
	t := p.tempo
	switch {
	case t == nil && pended >= spin: // tasks without an order, which share a pace
		return unexpected(pended, max(many, len(*p.items))), false
	case t == nil || !t.regular() && pended < spin:
		return 0, true
	case !t.regular():
		return unexpected(pended, many), false
	}
	around := t.around(pended)
	rest, expected := growing(pended/2), true
	if t.doubt > 0 {
		rest, expected = unexpected(pended, many), around < rest
	}
	return min(around, rest), expected
}

// unexpected returns the pause where no end is expected.
func unexpected(pended time.Duration, many int) time.Duration {
	pause := shortPause + max(pended-short, 0)/slower
	return min(pause*time.Duration(max(many, crowd))/crowd, lastPause)
}

// shared returns the multiple of shortPause that is nearest, but not beyond the last. Queries at
// such times share rounds.
func shared(at, last time.Duration) time.Duration {
	at = min(at+shortPause/2, last)
	return at - at%shortPause
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
