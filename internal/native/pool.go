package native

import (
	"fmt"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// pool keeps native events of closed events for new events, since creating and destroying one takes
// several driver calls. An event whose native event may still be known elsewhere does not give it
// back: one that was given out, shared or captured.
type pool struct {
	mu        sync.Mutex
	lists     []*poolList
	scheduled bool // a call of trimPool is
}

// poolList are native events that were created with the same options. The pool's mutex guards it.
type poolList struct {
	flags driver.EventFlags
	free  []driver.Object
	low   int // the fewest since the last trim: that many were not needed
}

const (
	maxPooled = 1024 // of each list
	poolLife  = 100 * time.Millisecond
)

// list returns the list for events with these options. The caller holds the mutex.
func (p *pool) list(f driver.EventFlags) *poolList {
	for _, l := range p.lists {
		if l.flags == f {
			return l
		}
	}
	l := &poolList{flags: f}
	p.lists = append(p.lists, l)
	return l
}

// take returns a native event, unless there is none with these options, and the list to which such
// events go back; nil if they can't be used again.
func (d *Device) take(f driver.EventFlags) (native driver.Object, ok bool, from *poolList) {
	if f.IPC || f.External || d.Info.Backend == "host" {
		return driver.Object{}, false, nil
	}
	p := &d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	from = p.list(f)
	n := len(from.free) - 1
	if n < 0 {
		return driver.Object{}, false, from
	}
	native, from.free = from.free[n], from.free[:n]
	from.low = min(from.low, n)
	return native, true, from
}

// put keeps a native event for a new event. If there are enough, it returns false.
func (d *Device) put(native driver.Object, to *poolList) bool {
	p := &d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(to.free) == maxPooled {
		return false
	}
	to.free = append(to.free, native)
	if !p.scheduled {
		p.scheduled = true
		time.AfterFunc(poolLife, d.trimPool)
	}
	return true
}

// trimPool destroys the native events that were not needed since the last trim.
func (d *Device) trimPool() {
	natives, left := d.pool.unneeded()
	d.destroyPooled(natives, d.ReportLate)
	if left {
		time.AfterFunc(poolLife, d.trimPool)
	}
}

// unneeded removes the native events that were not needed since the last trim. It reports whether
// some are left to look at again.
func (p *pool) unneeded() (natives []driver.Object, left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lists {
		natives = append(natives, l.free[:l.low]...)
		l.free = append([]driver.Object(nil), l.free[l.low:]...)
		l.low = len(l.free)
		left = left || l.low > 0
	}
	p.scheduled = left
	return natives, left
}

func (d *Device) destroyPooled(natives []driver.Object, report func(error)) {
	if len(natives) == 0 {
		return
	}
	d.Driver.Relaxed(func() {
		for _, native := range natives {
			if d.Gone() {
				return
			}
			if err := d.Driver.DestroyEvent(native); err != nil && !d.Gone() {
				report(fmt.Errorf("destroy %s: %w", EventName(d.Info.Label, native.Word), err))
			}
		}
	})
}

// DrainPool destroys all native events in the pool.
func (d *Device) DrainPool(report func(error)) {
	for range 2 { // the first round keeps those used since the last trim
		natives, _ := d.pool.unneeded()
		d.destroyPooled(natives, report)
	}
}

// Events returns how many native events open events have, and how many are in the pool.
func (d *Device) Events() (open, pooled int) {
	p := &d.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.lists {
		pooled += len(l.free)
	}
	return int(d.events.Load()), pooled
}

// CreateEvent returns a native event from the pool, or a new one.
func (d *Device) CreateEvent(f driver.EventFlags) (*Event, error) {
	native, ok, list := d.take(f)
	if !ok {
		return d.createEvent(f, list)
	}
	h := d.countedEvent(native, Owned, list)
	h.traits.Store(Reused)
	return h, nil
}

// CreateNewEvent is CreateEvent for callers that need an event without an earlier record.
func (d *Device) CreateNewEvent(f driver.EventFlags) (*Event, error) {
	return d.createEvent(f, nil)
}

// createEvent returns a new native event.
func (d *Device) createEvent(f driver.EventFlags, list *poolList) (*Event, error) {
	native, err := d.Driver.CreateEvent(f)
	if err != nil {
		return nil, err
	}
	kind := Owned
	if f.IPC {
		kind |= Shared
	}
	return d.countedEvent(native, kind, list), nil
}

// countedEvent returns a native event that counts in Device.Stats until it is destroyed.
// When it is destroyed, the native event may go to the list, if there is one.
func (d *Device) countedEvent(native driver.Object, kind Kind, list *poolList) *Event {
	h := newEvent(d, native, kind|counted)
	h.list = list
	d.events.Add(1)
	return h
}

// WrapEvent returns a native event that was created elsewhere.
func (d *Device) WrapEvent(native driver.Object, kind Kind) *Event {
	return d.countedEvent(native, kind, nil)
}
