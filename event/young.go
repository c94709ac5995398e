package event

import (
	"runtime"
	"sync"
	"time"
)

// young are a device's newest events. Registering a cleanup, which closes the handle of a dropped
// event, costs more than the rest of creating it. Most events are closed soon, so an event gets its
// cleanup only when it is a little older.
type young struct {
	mu     sync.Mutex
	events []*Event
	aging  bool // a call of grow is scheduled
}

const (
	maxYoung = 64
	youth    = 10 * time.Millisecond
)

// add schedules the event's cleanup.
func (y *young) add(e *Event) {
	y.mu.Lock()
	if y.events == nil {
		y.events = make([]*Event, 0, maxYoung)
	}
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

// grow gives the events their cleanups, however few they are.
func (y *young) grow() {
	y.mu.Lock()
	y.aging = false
	y.mu.Unlock()
	y.release()
}

// release gives the events their cleanups.
func (y *young) release() {
	y.mu.Lock()
	events := y.events
	y.events = nil
	y.mu.Unlock()
	for _, e := range events {
		e.mature()
	}
}

// mature registers the cleanup that closes the event's handle when the event is dropped.
func (e *Event) mature() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.rec.closed() {
		e.cleanup = runtime.AddCleanup(e, (*handle).closeAsync, e.native.Load())
	}
}
