package event

import (
	"fmt"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// stock is a device's closed native events and its newest events. One lock guards both, since
// creating an event takes from the former and adds to the latter.
type stock struct {
	mu sync.Mutex
	spares
	young
	// begun counts the events that were begun, kept those of them that became spares.
	begun, kept uint64
}

// begin counts an event.
func (all *stock) begin() {
	all.mu.Lock()
	all.begun++
	all.mu.Unlock()
}

// spares are closed native events of a device, kept for new events: creating and destroying one
// costs several driver calls. An event whose handle may still be known elsewhere is never a spare:
// one that was given out, shared, captured or waited for.
// The lock of the stock guards them.
type spares struct {
	kinds [spareKinds]struct {
		free []driver.Object
		low  int // the fewest since the last look: that many were not needed
	}
	looking bool // a look is scheduled
}

const (
	maxSpares  = 1024 // of each kind
	spareLife  = 100 * time.Millisecond
	spareKinds = 4 * (int(driver.FenceNone) + 1)
)

// spareKind returns the number of an event's kind among the spares, from 1; 0 if such events can't
// be spares.
func (d *Device) spareKind(f driver.EventFlags) uint8 {
	if f.IPC || f.External || d.IsHost() {
		return 0
	}
	n := uint8(f.Fence) * 4
	if f.Timing {
		n += 2
	}
	if f.Blocking {
		n++
	}
	return n + 1
}

// createEvent returns the handle of a native event, either a new one or a spare.
func (d *Device) createEvent(f driver.EventFlags) (*handle, error) {
	h := d.blankEvent(f)
	if h.spareKind != 0 {
		d.stock.mu.Lock()
		ok := d.stock.take(h)
		if ok {
			d.stock.begun++
		}
		d.stock.mu.Unlock()
		if ok {
			return h, nil
		}
	}
	err := d.createNative(h, f)
	if err == nil {
		d.stock.begin()
	}
	return h, err
}

// createNewEvent is createEvent without spares, for callers that need an event without an earlier
// record.
func (d *Device) createNewEvent(f driver.EventFlags) (*handle, error) {
	h := d.blankEvent(f)
	err := d.createNative(h, f)
	if err == nil {
		d.stock.begin()
	}
	return h, err
}

// blankEvent returns a handle that has no native event yet.
func (d *Device) blankEvent(f driver.EventFlags) *handle {
	h := newHandle(d, driver.Object{}, isOwned)
	h.spareKind = d.spareKind(f)
	return h
}

// createNative creates the native event of a handle.
func (d *Device) createNative(h *handle, f driver.EventFlags) (err error) {
	if f.IPC {
		h.kind |= isShared
	}
	h.native, err = d.driver.CreateEvent(f)
	return err
}

// spare keeps the handle's native event as a spare, if it can be one, instead of destroying it.
func (h *handle) spare() bool {
	return h.spareKind != 0 && !h.has(isGiven) && h.device.keepSpare(h)
}

// take gives a spare to a handle that has no native event yet. The caller holds the lock.
func (all *spares) take(h *handle) bool {
	k := &all.kinds[h.spareKind-1]
	n := len(k.free) - 1
	if n < 0 {
		return false
	}
	h.native, h.kind = k.free[n], h.kind|isSpare
	k.free = k.free[:n]
	k.low = min(k.low, n)
	return true
}

func (d *Device) keepSpare(h *handle) bool {
	all := &d.stock
	all.mu.Lock() // no defer here and in newEvent, for speed
	k := &all.kinds[h.spareKind-1]
	if len(k.free) == maxSpares {
		all.mu.Unlock()
		return false
	}
	k.free = append(k.free, h.native)
	all.kept++
	if !all.looking {
		all.looking = true
		time.AfterFunc(spareLife, d.lookAtSpares)
	}
	all.mu.Unlock()
	return true
}

// lookAtSpares destroys the spares that were not needed since the last look.
func (d *Device) lookAtSpares() {
	natives, left := d.stock.unneeded()
	d.destroySpares(natives, reportLate)
	if left {
		time.AfterFunc(spareLife, d.lookAtSpares)
	}
}

// unneeded removes the spares that were not needed since the last look. It reports whether some are
// left to look at again.
func (all *stock) unneeded() (natives []driver.Object, left bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for i := range all.kinds {
		k := &all.kinds[i]
		natives = append(natives, k.free[:k.low]...)
		n := copy(k.free, k.free[k.low:])
		k.free, k.low = k.free[:n], n
		if n == 0 {
			k.free = nil
		}
		left = left || n > 0
	}
	all.looking = left
	return natives, left
}

func (d *Device) destroySpares(natives []driver.Object, report func(error)) {
	if len(natives) == 0 {
		return
	}
	d.driver.Relaxed(func() {
		for _, native := range natives {
			if d.gone() {
				return
			}
			if err := d.driver.DestroyEvent(native); err != nil && !d.gone() {
				report(fmt.Errorf("destroy %s: %w", eventName(d.label(), native.Word), err))
			}
		}
	})
}

// dropSpares destroys all spare events.
func (d *Device) dropSpares(report func(error)) {
	for range 2 { // the first look keeps those used since the look before
		natives, _ := d.stock.unneeded()
		d.destroySpares(natives, report)
	}
}
