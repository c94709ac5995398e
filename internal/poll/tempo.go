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
)

// learn notes that a task was pending after pended, and over after ended.
func (t *tempo) learn(pended, ended time.Duration) {
	x := min(max(t.mean, pended), ended) // the possible end that is nearest to the mean
	off := max(x-t.mean, t.mean-x)
	if !t.known || off > t.reach() {
		if t.missed++; !t.known || t.missed >= regime {
			t.known, t.missed = true, 0
			t.mean, t.spread = (pended+ended)/2, (ended-pended)/2
			return
		}
	} else {
		t.missed = 0
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

// reach returns how far from the mean an end is expected.
func (t *tempo) reach() time.Duration {
	return 2*t.spread + min(margin+t.mean/64, lastMargin)
}

// regular reports whether the mean is a useful estimate.
func (t *tempo) regular() bool {
	return t.known && t.reach() <= max(t.mean/2, 4*margin)
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
