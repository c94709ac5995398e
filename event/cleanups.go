package event

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/internal/native"
)

// cleanups are a device's newest events, whose cleanups are not registered yet. A cleanup closes
// the native event of an event that was dropped. Registering it costs more than all else that
// creates an event, and most events are closed soon.
type cleanups struct {
	mu        sync.Mutex
	events    []*Event
	scheduled bool // a call of registerCleanups is
}

const (
	maxUnregistered = 64
	cleanupDelay    = 10 * time.Millisecond
)

// registerLater registers the cleanup of an event a little later. It does so for older events now
// if there are many.
func (d *Device) registerLater(e *Event) {
	c := &d.cleanups
	c.mu.Lock()
	if c.events == nil {
		c.events = make([]*Event, 0, maxUnregistered)
	}
	c.events = append(c.events, e)
	if !c.scheduled {
		c.scheduled = true
		time.AfterFunc(cleanupDelay, d.registerCleanups)
	}
	var old []*Event
	if len(c.events) == maxUnregistered {
		c.events = slices.DeleteFunc(c.events, func(e *Event) bool { return e.rec.closed() })
		if len(c.events) >= maxUnregistered/2 {
			old, c.events = c.events, nil
		}
	}
	c.mu.Unlock()
	for _, e := range old {
		e.registerCleanup()
	}
}

// registerCleanups registers the cleanups of all events that have none.
func (d *Device) registerCleanups() {
	d.cleanups.mu.Lock()
	old := d.cleanups.events
	d.cleanups.events, d.cleanups.scheduled = nil, false
	d.cleanups.mu.Unlock()
	for _, e := range old {
		e.registerCleanup()
	}
}

// registerCleanup registers the cleanup that closes the event's native event if the event is
// dropped.
func (e *Event) registerCleanup() {
	if e.rec.closed() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.native.Load()
	h.Cleanup = runtime.AddCleanup(e, (*native.Event).Dropped, h)
}
