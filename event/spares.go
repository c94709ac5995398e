package event

import (
	"fmt"
	"math"
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

// spares are native events of closed events, kept for new events: creating and destroying one
// costs several driver calls. An event whose handle may still be known elsewhere is never a spare:
// one that was given out, shared, captured or waited for. The lock of the stock guards them.
//
// Each has its handle. Mostly that is the closed event's own: see spareHandle.
type spares struct {
	kinds   []spareKind // in the order of their first use
	looking bool        // a look is scheduled
}

// spareKind holds the spares that were created with the same options, all of which count.
type spareKind struct {
	flags driver.EventFlags
	free  []*handle
	low   int // the fewest since the last look: that many were not needed
}

const (
	maxSpares     = 1024 // of each kind
	maxSpareKinds = math.MaxUint8
	spareLife     = 100 * time.Millisecond
)

// spareKind returns the number of an event's kind among the spares, from 1; 0 if such events can't
// be spares. The caller holds the lock of the stock.
func (d *Device) spareKind(f driver.EventFlags) uint8 {
	if f.IPC || f.External || d.IsHost() {
		return 0
	}
	kinds := d.stock.kinds
	for i := range kinds {
		if kinds[i].flags == f {
			return uint8(i) + 1
		}
	}
	if len(kinds) == maxSpareKinds {
		return 0
	}
	d.stock.kinds = append(kinds, spareKind{flags: f})
	return uint8(len(d.stock.kinds))
}

// createEvent returns the handle of a native event, either a new one or a spare.
func (d *Device) createEvent(f driver.EventFlags) (*handle, error) {
	d.stock.mu.Lock()
	kind := d.spareKind(f)
	h := d.stock.take(kind)
	if h != nil {
		d.stock.begun++
	}
	d.stock.mu.Unlock()
	if h != nil {
		return h, nil
	}
	return d.createCounted(kind, f)
}

// createNewEvent is createEvent without spares, for callers that need an event without an earlier
// record.
func (d *Device) createNewEvent(f driver.EventFlags) (*handle, error) {
	d.stock.mu.Lock()
	kind := d.spareKind(f)
	d.stock.mu.Unlock()
	return d.createCounted(kind, f)
}

// createCounted returns the handle of a new native event.
func (d *Device) createCounted(kind uint8, f driver.EventFlags) (*handle, error) {
	h, err := d.createNative(kind, f)
	if err == nil {
		d.stock.begin()
	}
	return h, err
}

// createNative returns the handle of a new native event, which is not counted yet.
func (d *Device) createNative(spareKind uint8, f driver.EventFlags) (*handle, error) {
	native, err := d.driver.CreateEvent(f)
	if err != nil {
		return nil, err
	}
	kind := isOwned
	if f.IPC {
		kind |= isShared
	}
	h := newHandle(d, native, kind)
	h.spareKind = spareKind
	return h, nil
}

// spare keeps the native event of a handle as a spare, if it can be one, instead of destroying it.
// The handle stays closed, for others may still refer to it. The spare gets a new one.
func (h *handle) spare() bool {
	return h.spareKind != 0 && !h.has(isGiven) && h.keep(false)
}

// spareHandle keeps the handle of an event that was just closed, native event and all, for the
// next event. It does so only if no use is in flight and nobody can refer to the handle but late
// users, who came before Close and have not begun their use yet. When they begin it, they see that
// their event is closed, and end it: see use. So the handle is not even marked as closed, and needs
// nothing to be undone before its next event gets it.
func (e *Event) spareHandle(h *handle) (ok bool, err error) {
	// No other mark: it is not left to the holder of the lock, who may close it, not shared, not aged.
	if h.spareKind == 0 || e.rec.marks.Load() != markClosed ||
		h.state.Load() != 0 || h.traits.Load()&^isSpare != 0 || h.device.gone() {
		return false, nil
	}
	on := h.on.Load()
	if !h.keep(true) {
		return false, nil
	}
	if on != nil && h.needsStream() {
		err = on.leave()
	}
	return true, err
}

// take returns the handle of a spare, or nil if there is none of that kind. The caller holds the
// lock.
func (all *spares) take(kind uint8) *handle {
	if kind == 0 {
		return nil
	}
	k := &all.kinds[kind-1]
	n := len(k.free) - 1
	if n < 0 {
		return nil
	}
	h := k.free[n]
	k.free = k.free[:n]
	k.low = min(k.low, n)
	return h
}

// keep keeps the native event for a new event, with the handle or with another one. From then on
// they are not the caller's any more. If there are enough spares, it returns false.
func (h *handle) keep(withHandle bool) bool {
	all := &h.device.stock
	all.mu.Lock() // no defer here and in newEvent, for speed
	k := &all.kinds[h.spareKind-1]
	if len(k.free) == maxSpares {
		all.mu.Unlock()
		return false
	}
	if !withHandle {
		kind := h.spareKind
		h = newHandle(h.device, h.native, isOwned)
		h.spareKind = kind
	}
	h.note(isSpare)
	h.on.Store(nil)
	k.free = append(k.free, h)
	all.kept++
	if !all.looking {
		all.looking = true
		time.AfterFunc(spareLife, h.device.lookAtSpares)
	}
	all.mu.Unlock()
	return true
}

// lookAtSpares destroys the spares that were not needed since the last look.
func (d *Device) lookAtSpares() {
	handles, left := d.stock.unneeded()
	d.destroySpares(handles, reportLate)
	if left {
		time.AfterFunc(spareLife, d.lookAtSpares)
	}
}

// unneeded removes the spares that were not needed since the last look. It reports whether some are
// left to look at again.
func (all *stock) unneeded() (handles []*handle, left bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for i := range all.kinds {
		k := &all.kinds[i]
		handles = append(handles, k.free[:k.low]...)
		n := copy(k.free, k.free[k.low:])
		clear(k.free[n:cap(k.free)])
		k.free, k.low = k.free[:n], n
		if n == 0 {
			k.free = nil
		}
		left = left || n > 0
	}
	all.looking = left
	return handles, left
}

func (d *Device) destroySpares(handles []*handle, report func(error)) {
	if len(handles) == 0 {
		return
	}
	d.driver.Relaxed(func() {
		for _, h := range handles {
			if d.gone() {
				return
			}
			if err := d.driver.DestroyEvent(h.native); err != nil && !d.gone() {
				report(fmt.Errorf("destroy %v: %w", h, err))
			}
		}
	})
}

// dropSpares destroys all spare events.
func (d *Device) dropSpares(report func(error)) {
	for range 2 { // the first look keeps those used since the look before
		handles, _ := d.stock.unneeded()
		d.destroySpares(handles, report)
	}
}
