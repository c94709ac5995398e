package poll

import (
	"runtime"
	"time"
)

const (
	// courtesy is how long other goroutines may have to wait for their turn while the thread makes
	// short pauses. Giving it to them takes two switches between threads, since the goroutine is
	// locked to its own.
	courtesy = 200 * time.Microsecond
	// longCourtesy is the same where there are several processors: another one takes over what
	// waits, unless all are busy.
	longCourtesy = 500 * time.Microsecond
)

// turns is when other goroutines get their turn: now and then while there are no pauses, and before
// a pause if they wait for what has ended or had none for a while. If they take long, that counts
// as the pause, and they don't lose their processor to a sleeping thread.
type turns struct {
	last   time.Duration // when they had one
	rested time.Duration // when they had one, or a pause was over
	asked  bool          // there were queries since the last turn
	ended  bool          // and one found something over
}

// taken notes that the others have had their turn.
func (t *turns) taken(now time.Duration) { *t = turns{last: now, rested: now} }

// paused notes that a pause is over.
func (t *turns) paused(now time.Duration) { t.rested = now }

// worked notes a round of queries, and whether one found something over.
func (t *turns) worked(ended bool) { t.asked, t.ended = true, t.ended || ended }

// beforePause reports whether a turn is due before the thread pauses.
func (t *turns) beforePause(now time.Duration) bool {
	waited := now - t.last
	return t.asked && (t.ended || waited >= longCourtesy ||
		waited >= courtesy && runtime.GOMAXPROCS(0) == 1) // last, since it takes a lock
}

// betweenRounds reports whether a turn is due though the thread does not pause.
func (t *turns) betweenRounds(now time.Duration) bool { return now-t.rested >= spin }
