package event

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// record identifies one record of an event: its generation number, which counts from 1, and its
// kind.
type record uint64

type recordKind uint64

const (
	plain     recordKind = iota
	inCapture            // an edge of a graph: it must not be queried
	inGraph              // an external record: runs with every launch of the graph
	foreign              // of an imported or wrapped event, recorded or not
	kindBits  = 2
	// generationShift leaves room for the bits of a recordLock.
	generationShift = kindBits + 4
)

func newRecord(generation uint64, k recordKind) record {
	return record(generation<<generationShift | uint64(k))
}

func (r record) generation() uint64 { return uint64(r) >> generationShift }
func (r record) kind() recordKind   { return recordKind(r & (1<<kindBits - 1)) }
func (r record) unrecorded() bool   { return r == 0 }
func (r record) captured() bool     { return r != 0 && r.kind() == inCapture }

// stays reports whether a record, once done, stays done: what other processes or graphs record can
// become pending again.
func (r record) stays() bool { return r.kind() == plain }

// recordLock is one word that holds an event's last record, the lock that orders records, and
// whether the event is closed. Locking, publishing the new record and unlocking take two atomic
// operations.
type recordLock struct{ word atomic.Uint64 }

const (
	lockHeld   = 1 << kindBits // a record is in flight
	lockLooked = 2 << kindBits // records are kept out; never with lockHeld
	lockWanted = 4 << kindBits // somebody waits for the lock; only with one of the two
	lockClosed = 8 << kindBits // the event is closed, for good
	lockTaken  = lockHeld | lockLooked
	lockBits   = lockTaken | lockWanted | lockClosed
)

// preset sets the record of an event that nobody else can see yet. It costs no fence.
func (l *recordLock) preset(r record) { *(*record)(unsafe.Pointer(&l.word)) = r }

// load returns the record, without a lock.
func (l *recordLock) load() record { return record(l.word.Load() &^ lockBits) }

// read returns the record and whether the event is closed.
func (l *recordLock) read() (r record, closed bool) {
	w := l.word.Load()
	return record(w &^ lockBits), w&lockClosed != 0
}

// settled reports whether r is still the last record and no new one is in flight.
func (l *recordLock) settled(r record) bool {
	return l.word.Load()&^(lockLooked|lockWanted|lockClosed) == uint64(r)
}

func (l *recordLock) held() bool   { return l.word.Load()&lockHeld != 0 }
func (l *recordLock) taken() bool  { return l.word.Load()&lockTaken != 0 }
func (l *recordLock) closed() bool { return l.word.Load()&lockClosed != 0 }

// lock takes the lock for a record and returns the last one, which can't change until unlock. It
// returns false, without the lock, if the event is closed.
func (l *recordLock) lock() (r record, ok bool) {
	if r = l.load(); l.hold(r) {
		return r, true
	}
	return l.take(lockHeld)
}

// hold is lock without waiting, if r is the last record.
func (l *recordLock) hold(r record) bool {
	return l.word.CompareAndSwap(uint64(r), uint64(r)|lockHeld)
}

// look is lock for callers that make no record. Release it with unlook.
func (l *recordLock) look() (r record, ok bool) { return l.take(lockLooked) }

// tryLook is look without waiting.
func (l *recordLock) tryLook() (r record, ok bool) {
	for {
		w := l.word.Load()
		if w&lockBits != 0 {
			return 0, false
		}
		if l.word.CompareAndSwap(w, w|lockLooked) {
			return record(w), true
		}
	}
}

func (l *recordLock) take(as uint64) (record, bool) {
	p := parkingFor(l)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		w := l.word.Load()
		switch {
		case w&lockClosed != 0:
			return 0, false
		case w&lockTaken == 0:
			if l.word.CompareAndSwap(w, w|as) {
				return record(w &^ lockBits), true
			}
		case w&lockWanted != 0 || l.word.CompareAndSwap(w, w|lockWanted):
			p.wake.Wait() // waking needs p.mu, so no wakeup is missed
		}
	}
}

// unlock publishes the record, which follows last or equals it, and releases the lock.
func (l *recordLock) unlock(last, r record) {
	if l.word.Add(uint64(r-last)-lockHeld)&lockWanted != 0 {
		l.wakeAll()
	}
}

func (l *recordLock) unlook() {
	if l.word.Add(^uint64(lockLooked-1))&lockWanted != 0 {
		l.wakeAll()
	}
}

func (l *recordLock) wakeAll() {
	p := parkingFor(l)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		w := l.word.Load()
		if l.word.CompareAndSwap(w, w&^lockWanted) {
			break
		}
	}
	p.wake.Broadcast()
}

// close marks the event as closed, whether or not the lock is held. Only the first call returns
// true.
func (l *recordLock) close() (first bool) {
	if l.word.Or(lockClosed)&lockClosed != 0 {
		return false
	}
	if l.word.Load()&lockWanted != 0 {
		l.wakeAll()
	}
	return true
}

// parking is where goroutines wait for a recordLock: shared by many, so that a lock is one word.
type parking struct {
	mu   sync.Mutex
	wake sync.Cond
}

var parkings [64]parking

func parkingFor(l *recordLock) *parking {
	p := &parkings[uintptr(unsafe.Pointer(l))/unsafe.Sizeof(Event{})%uintptr(len(parkings))]
	p.mu.Lock()
	p.wake.L = &p.mu
	p.mu.Unlock()
	return p
}
