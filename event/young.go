package event

import (
	"runtime"
	"slices"
	"time"
)

// young are a device's newest events. Registering a cleanup, which closes the handle of a dropped
// event, costs more than the rest of creating it. Most events are closed soon, so an event gets its
// cleanup only when it is a little older. The lock of the stock guards it.
type young struct {
	events []*Event
	aging  bool // a call of grow is scheduled
}

const (
	maxYoung = 64
	youth    = 10 * time.Millisecond
)

// add schedules the event's cleanup. It returns events that are to get theirs now. The caller holds
// the lock.
func (y *young) add(d *Device, e *Event) (old []*Event) {
	if y.events == nil {
		y.events = make([]*Event, 0, maxYoung)
	}
	y.events = append(y.events, e)
	if !y.aging {
		y.aging = true
		time.AfterFunc(youth, d.grow)
	}
	if len(y.events) < maxYoung {
		return nil
	}
	y.events = slices.DeleteFunc(y.events, func(e *Event) bool { return e.rec.closed() })
	if len(y.events) < maxYoung/2 {
		return nil
	}
	old, y.events = y.events, nil
	return old
}

// grow gives the young events their cleanups, however few they are.
func (d *Device) grow() {
	d.stock.mu.Lock()
	y := &d.stock.young
	old := y.events
	y.events, y.aging = nil, false
	d.stock.mu.Unlock()
	mature(old)
}

// mature registers the cleanups that close the events' handles when the events are dropped.
func mature(events []*Event) {
	for _, e := range events {
		e.mature()
	}
}

// mature and Close agree by the event's marks: if Close comes first, the next event may have the
// handle by now, and there is no cleanup. Otherwise no other event gets the handle.
func (e *Event) mature() {
	if e.rec.closed() || e.rec.marks.Or(markAged)&markClosed != 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.native.Load()
	h.cleanup = runtime.AddCleanup(e, (*handle).dropped, h)
}
