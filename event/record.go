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
	generationShift = kindBits + 2
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

// recordLock is an event's last record, the lock that orders records, and the event's marks. To
// lock takes one atomic operation, and so does to publish the new record and unlock.
type recordLock struct {
	word  atomic.Uint64
	marks atomic.Uint32
}

// Bits of the word.
const (
	lockHeld   = 1 << kindBits // a record is in flight
	lockLooked = 2 << kindBits // records are kept out; never with lockHeld
	lockTaken  = lockHeld | lockLooked
)

// The marks.
const (
	markWanted = 1 << iota // somebody waits for the lock
	markClosed             // the event is closed, for good
	markLeft               // Close left the native event to the holder of the lock
	// markShared: others may record the event too: another process, or code with the native handle.
	// Then the driver must be queried for its records, and the handle is never exchanged.
	markShared
	markSeen // shared, and was pending once: somebody has recorded it
	markAged // the event has a cleanup, or is about to get one: see mature
)

// publish stores the record and releases the lock.
func (l *recordLock) publish(r record) { l.word.Store(uint64(r)) }

// load returns the record, without a lock.
func (l *recordLock) load() record { return record(l.word.Load() &^ lockTaken) }

// read returns the record and whether the event is closed.
func (l *recordLock) read() (r record, closed bool) { return l.load(), l.closed() }

// settled reports whether r is still the last record and no new one is in flight.
func (l *recordLock) settled(r record) bool { return l.word.Load()&^lockLooked == uint64(r) }

// isLast reports whether r is the last record of an open event that nobody else records.
func (l *recordLock) isLast(r record) bool {
	return l.load() == r && !l.has(markClosed|markShared)
}

func (l *recordLock) held() bool           { return l.word.Load()&lockHeld != 0 }
func (l *recordLock) taken() bool          { return l.word.Load()&lockTaken != 0 }
func (l *recordLock) has(mark uint32) bool { return l.marks.Load()&mark != 0 }
func (l *recordLock) closed() bool         { return l.has(markClosed) }
func (l *recordLock) mark(mark uint32)     { l.marks.Or(mark) }

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
	return l.word.CompareAndSwap(uint64(r), uint64(r)|lockHeld) && !l.cameTooLate(lockHeld)
}

// look is lock for callers that make no record. Release it with unlook.
func (l *recordLock) look() (r record, ok bool) { return l.take(lockLooked) }

// tryLook is look without waiting. If somebody holds the lock, it sees what the caller did before.
func (l *recordLock) tryLook() (r record, ok bool) {
	for {
		w := l.word.Load()
		if w&lockTaken != 0 {
			return 0, false
		}
		if l.word.CompareAndSwap(w, w|lockLooked) {
			return record(w), !l.cameTooLate(lockLooked)
		}
	}
}

func (l *recordLock) take(as uint64) (record, bool) {
	p := parkingFor(l)
	p.mu.Lock()
	defer p.mu.Unlock()
	for !l.closed() {
		w := l.word.Load()
		if w&lockTaken == 0 {
			if l.word.CompareAndSwap(w, w|as) {
				return record(w), !l.cameTooLate(as)
			}
			continue
		}
		if l.marks.Or(markWanted)&markClosed != 0 {
			break // whoever closed it may not wake us
		}
		if l.taken() {
			p.wake.Wait() // waking needs p.mu, so no wakeup is missed
		}
	}
	return 0, false
}

// cameTooLate releases the lock, just taken, if the event was closed before. The caller may have
// kept Close from destroying the native event.
func (l *recordLock) cameTooLate(as uint64) bool {
	if !l.closed() {
		return false
	}
	l.word.Add(-as) // close has woken all who wait
	return true
}

// unlook releases the lock of look. The caller then wakes those who wait.
func (l *recordLock) unlook() { l.word.Add(^uint64(lockLooked - 1)) }

// wake wakes those who wait for the lock, which was just released.
func (l *recordLock) wake() {
	if l.has(markWanted) {
		l.wakeAll()
	}
}

func (l *recordLock) wakeAll() {
	p := parkingFor(l)
	p.mu.Lock()
	defer p.mu.Unlock()
	l.marks.And(^uint32(markWanted))
	p.wake.Broadcast()
}

// close marks the event as closed, whether or not the lock is held. Only the first call returns
// true.
func (l *recordLock) close() (first bool) {
	if l.marks.Or(markClosed)&markClosed != 0 {
		return false
	}
	l.wake()
	return true
}

// leave leaves the native event of a closed event to the holder of the lock. It returns false if
// nobody holds it.
func (l *recordLock) leave() bool {
	if !l.taken() {
		return false
	}
	l.marks.Or(markLeft)
	return l.taken()
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
