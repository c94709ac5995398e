package poll

import (
	"hash/maphash"
	"time"
)

// tempo is the estimate of how long a lane's tasks take once they are at the front.
type tempo struct {
	tag          uint64 // of the lane
	mean, spread time.Duration
	known        bool
	missed       uint8 // tasks in a row that ended at another time than expected
	doubt        uint8 // how many tasks must end when expected before pauses rely on it
}

const (
	// slow: mean and spread move by one slow-th of the difference at each task.
	slow = 4
	// margin is how long before the expected end polling begins, since threads wake late: the
	// longer the sleep, the later.
	margin     = 50 * time.Microsecond
	lastMargin = 250 * time.Microsecond
	// regime is how many tasks in a row must end at another time before the estimate is replaced.
	regime = 3
	// firstDoubt and doubt are for how many tasks other ends remain possible than the expected one:
	// in a new lane, and after an end at another time.
	firstDoubt = 4
	doubt      = 64
)

// learn notes that a task was pending after pended, and over after ended.
func (t *tempo) learn(pended, ended time.Duration) {
	x := min(max(t.mean, pended), ended) // the possible end that is nearest to the mean
	off := max(x-t.mean, t.mean-x)
	switch {
	case !t.known:
		t.known, t.doubt = true, firstDoubt
		t.begin(pended, ended)
		return
	case off > t.reach():
		t.doubt = doubt
		if t.missed++; t.missed >= regime {
			t.begin(pended, ended)
			return
		}
	default:
		t.missed = 0
		if t.doubt > 0 {
			t.doubt--
		}
	}
	if most := 2 * t.reach(); off > most { // an outlier moves the mean little
		x, off = t.mean+most, most
		if ended < t.mean {
			x = t.mean - most
		}
	}
	t.mean += (x - t.mean) / slow
	t.spread += (off - t.spread) / slow
}

// begin replaces the estimate by what is known of one task.
func (t *tempo) begin(pended, ended time.Duration) {
	t.missed, t.mean, t.spread = 0, (pended+ended)/2, (ended-pended)/2
}

// reach returns how far from the mean an end is expected.
func (t *tempo) reach() time.Duration {
	return 2*t.spread + min(margin+t.mean/64, lastMargin)
}

// regular reports whether the mean is a useful estimate.
func (t *tempo) regular() bool {
	return t.known && t.reach() <= max(t.mean/2, 4*margin)
}

// around returns the pause that the expected end calls for, after so long.
func (t *tempo) around(pended time.Duration) time.Duration {
	late := pended - t.mean
	switch reach := t.reach(); {
	case late < -reach:
		return max(-reach-late, closePause)
	case t.spread < closePause && max(late, -late) < 2*closePause:
		return 0
	}
	return max(t.spread/4, late/2, closePause)
}

// tempos keeps the estimates of lanes that are empty at the moment. It has a fixed size and keeps
// no key alive: lanes with the same place overwrite each other.
type tempos struct {
	seed maphash.Seed
	all  [256]tempo
}

func newTempos() *tempos { return &tempos{seed: maphash.MakeSeed()} }

func (t *tempos) of(key any) *tempo {
	tag := maphash.Comparable(t.seed, key)
	at := &t.all[tag%uint64(len(t.all))]
	if at.tag != tag {
		*at = tempo{tag: tag}
	}
	return at
}
