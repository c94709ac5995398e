package poll

import (
	"hash/maphash"
	"time"
)

// tempo is what is known of how long the tasks of a lane take, from when they come to the front.
type tempo struct {
	tag          uint64 // of the lane
	mean, spread time.Duration
	known        bool
	missed       uint8 // tasks in a row that ended at another time than expected
}

const (
	// slow is by what share of the difference mean and spread follow a task.
	slow = 4
	// margin is how long before the expected end asking begins, for threads wake late: the later
	// the longer they slept.
	margin     = 50 * time.Microsecond
	lastMargin = 250 * time.Microsecond
	// regime is how many tasks in a row have to end at another time until that is the rule.
	regime = 3
)

// learn takes in that a task was pending after pended, and over after ended.
func (t *tempo) learn(pended, ended time.Duration) {
	x := min(max(t.mean, pended), ended) // what of that is the nearest to the mean
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
	if most := 2 * t.reach(); off > most { // one that is far off moves little
		x, off = t.mean+most, most
		if ended < t.mean {
			x = t.mean - most
		}
	}
	t.mean += (x - t.mean) / slow
	t.spread += (off - t.spread) / slow
}

// reach is how far from the mean an end is expected.
func (t *tempo) reach() time.Duration {
	return 2*t.spread + min(margin+t.mean/64, lastMargin)
}

// regular reports whether the mean is good enough to go by.
func (t *tempo) regular() bool {
	return t.known && t.reach() <= max(t.mean/2, 4*margin)
}

// tempos keeps what is known of lanes that are empty at the moment. It has a fixed size and keeps
// no key alive: lanes that fall on the same place take it from each other.
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
