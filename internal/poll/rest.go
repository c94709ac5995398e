package poll

import "time"

const (
	// rest is how many times the duration of a round the thread rests before the next, so that many
	// tasks take no more than a tenth of a processor.
	rest = 9
	// tolerance is how much of the rest may be skipped: the system may keep a thread from its
	// processor for a while, and that must not delay the next answer.
	tolerance = time.Millisecond
	// longestRest bounds the rest after a round, which may have taken long only because the system
	// kept the thread from its processor.
	longestRest = 100 * time.Millisecond
)

// respite is the rest that the thread still has to take.
type respite struct{ until time.Duration }

// over returns when the next round may begin.
func (r *respite) over() time.Duration { return r.until - tolerance }

// worked notes a round that found everything pending, with its beginning and end. Short rounds, as
// around an expected end, need no rest.
func (r *respite) worked(from, to time.Duration) {
	if owed := min(rest*(to-from), longestRest); owed >= spin {
		r.until = max(r.until+to-from, to) + owed
	}
}

// waive cancels the rest, since there was progress.
func (r *respite) waive() { r.until = 0 }
