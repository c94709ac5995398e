package event

import (
	"runtime"
	"sync"
	"time"
)

// young are a device's newest events. A cleanup, which sees to the handle of an event that is
// dropped, costs more than the rest of creating it. Most events are closed soon, so they get theirs
// only when they are a little older.
type young struct {
	mu     sync.Mutex
	events []*Event
	aging  bool // somebody will call grow
}

const (
	maxYoung = 64
	youth    = 10 * time.Millisecond
)

// add has the event get its cleanup soon.
func (y *young) add(e *Event) {
	y.mu.Lock()
	y.events = append(y.events, e)
	full := len(y.events) >= maxYoung
	if !y.aging {
		y.aging = true
		time.AfterFunc(youth, y.grow)
	}
	y.mu.Unlock()
	if full {
		y.release()
	}
}

// grow gives the events their cleanups, those that are still young a little later.
func (y *young) grow() {
	y.release()
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.aging = len(y.events) > 0; y.aging {
		time.AfterFunc(youth, y.grow)
	}
}

// release gives the events their cleanups but for those that are being recorded, which stay.
func (y *young) release() {
	y.mu.Lock()
	defer y.mu.Unlock()
	stay := y.events[:0]
	for _, e := range y.events {
		if !e.mature() {
			stay = append(stay, e)
		}
	}
	clear(y.events[len(stay):])
	y.events = stay
}

// mature sees to it that the event's handle is closed when the event is dropped. It is false while
// somebody records the event.
func (e *Event) mature() bool {
	last, ok := e.rec.tryLock()
	if !ok {
		return e.rec.closed()
	}
	if e.cleanup == (runtime.Cleanup{}) {
		e.cleanup = runtime.AddCleanup(e, (*handle).closeAsync, e.native.Load())
	}
	e.unlock(last, last)
	return true
}
