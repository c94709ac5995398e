package poll

import "time"

const (
	// rest is how many times as long as a round took the thread rests before the next, so that
	// many tasks take no more than a tenth of a processor.
	rest = 9
	// tolerance is how much of that may stand out: the system may keep a thread from its processor
	// for a while, and that must not make the next answer late.
	tolerance = time.Millisecond
)

// respite is the rest that the thread owes to others.
type respite struct{ until time.Duration }

// over is when the next round may begin.
func (r *respite) over() time.Duration { return r.until - tolerance }

// worked says that a round took from one time to the other and found everything pending. A short
// one, as they follow each other about an expected end, needs no rest.
func (r *respite) worked(from, to time.Duration) {
	if owed := rest * (to - from); owed >= spin {
		r.until = max(r.until+to-from, to) + owed
	}
}

// waive lets the thread go on at once, for there was progress.
func (r *respite) waive() { r.until = 0 }
