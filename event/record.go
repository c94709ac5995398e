package event

import (
	"sync"
	"sync/atomic"
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

// recordLock orders an event's records and has the last one. The mutex is held while the driver
// records. What reads the last record does not take it.
type recordLock struct {
	mu    sync.Mutex
	word  atomic.Uint64 // the last record, and how mu is held
	flags atomic.Uint32
}

// How the mutex is held, in the word.
const (
	lockHeld   = 1 << kindBits // a record is in flight
	lockLooked = 2 << kindBits // the last record is kept from changing
	lockTaken  = lockHeld | lockLooked
)

// The flags.
const (
	flagClosed = 1 << iota // the event is closed, for good
	// flagShared: others may record the event too: another process, or code with the native handle.
	// Then the driver must be queried for its records, and the handle is never exchanged.
	flagShared
	flagSeen // shared, and was pending once: others have recorded it
)

// load returns the last record.
func (l *recordLock) load() record { return record(l.word.Load() &^ lockTaken) }

// read returns the last record and whether the event is closed.
func (l *recordLock) read() (r record, closed bool) { return l.load(), l.closed() }

// settled reports whether r is still the last record and no new one is in flight.
func (l *recordLock) settled(r record) bool { return l.word.Load()&^lockLooked == uint64(r) }

// isLast reports whether r is the last record of an open event that only this package records.
func (l *recordLock) isLast(r record) bool {
	return l.load() == r && !l.has(flagClosed|flagShared)
}

func (l *recordLock) held() bool           { return l.word.Load()&lockHeld != 0 }
func (l *recordLock) taken() bool          { return l.word.Load()&lockTaken != 0 }
func (l *recordLock) has(flag uint32) bool { return l.flags.Load()&flag != 0 }
func (l *recordLock) closed() bool         { return l.has(flagClosed) }
func (l *recordLock) set(flag uint32)      { l.flags.Or(flag) }

// lock takes the lock for a record and returns the last one, which can't change until unlock. It
// returns false, without the lock, if the event is closed.
func (l *recordLock) lock() (r record, ok bool) {
	l.mu.Lock()
	return l.locked(lockHeld)
}

// look is lock for callers that make no record.
func (l *recordLock) look() (r record, ok bool) {
	l.mu.Lock()
	return l.locked(lockLooked)
}

// tryLook is look without waiting.
func (l *recordLock) tryLook() (r record, ok bool) {
	if !l.mu.TryLock() {
		return 0, false
	}
	return l.locked(lockLooked)
}

func (l *recordLock) locked(how uint64) (r record, ok bool) {
	if l.closed() {
		l.mu.Unlock()
		return 0, false
	}
	r = l.load()
	l.word.Store(uint64(r) | how)
	return r, true
}

// unlock publishes the record, new or not, and releases the lock.
func (l *recordLock) unlock(r record) {
	l.publish(r)
	l.mu.Unlock()
}

// publish is unlock for an event that no other goroutine knows yet.
func (l *recordLock) publish(r record) { l.word.Store(uint64(r)) }

// free reports whether no goroutine has the lock. Once it was free after close, no call uses the
// native event under it any more.
func (l *recordLock) free() bool {
	if !l.mu.TryLock() {
		return false
	}
	l.mu.Unlock()
	return true
}

// close marks the event as closed, whether or not the lock is held. Only the first call returns
// true.
func (l *recordLock) close() (first bool) { return l.flags.Or(flagClosed)&flagClosed == 0 }
