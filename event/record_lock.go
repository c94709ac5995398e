package event

import (
	"sync"
	"sync/atomic"
)

// recordLock is an event's last record and the lock that orders records, in one word: locking, publishing the new record and unlocking
// take two atomic operations instead of three, which is what a record costs beside the driver's call.
type recordLock struct {
	word atomic.Uint64

	// The slow path, for those who find the word locked.
	mu   sync.Mutex
	wake sync.Cond
}

const (
	lockHeld   = 1 << kindBits // somebody has the lock
	lockWanted = 2 << kindBits // and somebody waits for it; never without lockHeld
	lockBits   = lockHeld | lockWanted
)

// Load returns the record, without a lock.
func (l *recordLock) Load() record { return record(l.word.Load() &^ lockBits) }

// lock takes the lock and returns the record, which nobody else changes until unlock.
func (l *recordLock) lock() record {
	r := l.Load()
	if !l.word.CompareAndSwap(uint64(r), uint64(r)|lockHeld) {
		r = l.lockSlowly()
	}
	return r
}

func (l *recordLock) lockSlowly() record {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake.L = &l.mu
	for {
		w := l.word.Load()
		switch {
		case w&lockHeld == 0:
			if l.word.CompareAndSwap(w, w|lockHeld) {
				return record(w)
			}
		case w&lockWanted != 0 || l.word.CompareAndSwap(w, w|lockWanted):
			l.wake.Wait() // who unlocks needs l.mu to wake us, so the wake-up can't come before the wait
		}
	}
}

// unlock publishes the record, which may be the one that lock returned, and gives the lock back.
func (l *recordLock) unlock(r record) {
	if l.word.Swap(uint64(r))&lockWanted != 0 {
		l.wakeAll()
	}
}

func (l *recordLock) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake.Broadcast()
}
