package compute

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// block is memory of a device: what a Buffer and its slices stand for.
type block struct {
	device  *device
	address uintptr
	bytes   uintptr
	host    []byte  // the memory, on the host device
	inOrder bool    // it came from a pool, and is freed in the order of a stream
	module  *Module // that the memory belongs to; nil for a buffer
	label   string

	closed atomic.Bool
	copies atomic.Int64 // calls that copy: they may take long
	holds  atomic.Int64 // graphs that use it
	users  users
}

// String returns the device's name and the address, as events and streams have it.
func (b *block) String() string { return b.label }

// note notes that work on a stream in use is about to use the block. It must be called before the
// caller looks whether the block is closed.
func (b *block) note(s *event.Stream) {
	if b.module != nil {
		b.module.users.note(s)
		return
	}
	b.users.note(s)
}

// isClosed reports whether the block is closed.
func (b *block) isClosed() bool {
	return b.closed.Load() || b.module != nil && b.module.closed.Load()
}

// beginCopy begins a call that uses the block on a stream in use. It returns false if the block is
// closed; otherwise end it with endCopy.
func (b *block) beginCopy(s *event.Stream) bool {
	b.copies.Add(1)
	b.note(s)
	if b.isClosed() {
		b.endCopy()
		return false
	}
	return true
}

func (b *block) endCopy() { b.copies.Add(-1) }

// patience is how long closing waits for calls in progress before it goes on in the background.
const patience = 100 * time.Millisecond

// close frees the block when no call and no graph uses it and the work enqueued on it is done. It
// returns the error of freeing it, if that was done at once.
func (b *block) close(op string) error {
	if !b.closed.CompareAndSwap(false, true) || b.holds.Load() != 0 {
		return nil // the last graph frees it
	}
	return b.device.aside(func() error { return b.finish(op) })
}

// finish frees a closed block.
func (b *block) finish(op string) error {
	if b.unused(patience) && b.users.capturing() == nil {
		return b.release(op)
	}
	b.device.background(func() {
		b.unused(math.MaxInt64)
		// Its end must not become part of the graph.
		for !b.device.driver.Gone() && b.users.capturing() != nil {
			time.Sleep(time.Millisecond)
		}
		report(b.release(op))
	})
	return nil
}

// closeAsync is close for the garbage collector.
func (b *block) closeAsync() {
	if !b.closed.Load() {
		b.device.account.lost()
		b.device.background(func() { report(b.close("Buffer")) })
	}
}

// unused waits for calls in progress that use the block, and reports whether none is left.
func (b *block) unused(limit time.Duration) bool {
	if !b.device.guard.wait(limit) {
		return false
	}
	var p pause
	for b.copies.Load() != 0 {
		if p.over(limit) {
			return false
		}
	}
	return true
}

// release orders the block's end behind the work of its users: on the stream, if there is one, and
// else when all are done. A stream that waited for the others here would hold up its own work.
func (b *block) release(op string) error {
	if b.holds.Load() != 0 { // a capture came before
		return nil
	}
	all, first := b.users.end()
	if !first {
		return nil
	}
	if b.inOrder && len(all) == 1 && !b.device.driver.Gone() && b.freeOn(all[0]) {
		all[0].drop()
		b.device.account.end(b)
		return nil
	}
	return b.device.whenDone(all, func() error {
		defer b.device.account.end(b)
		return failed(op, b, b.device.destroy(func() error {
			if b.inOrder && len(all) > 0 && b.freeOn(all[0]) {
				return nil
			}
			return b.device.backend.Free(b.address)
		}))
	})
}

// freeOn frees the block in the order of a stream, and reports whether it could.
func (b *block) freeOn(o user) bool {
	if o.shadow == nil || o.shadow.Device() != b.device.event || o.capturing() {
		return false
	}
	native, ok := door.Use(o.shadow)
	if !ok {
		return false
	}
	defer door.Release(o.shadow)
	err := b.device.backend.FreeOn(native, b.address)
	if err != nil && !isLate(err) && !driver.OnlyRestore(err) {
		return false
	}
	report(failed("Buffer.Close", b, err))
	return true
}

// open refuses a closed block.
func (b *block) open(op string) error {
	if b.isClosed() {
		return b.closedError(op)
	}
	return nil
}

func (b *block) closedError(op string) error {
	remedy := "allocate a new buffer"
	if b.module != nil {
		remedy = "its module is closed"
	}
	return refusal(op, b, event.ErrClosed, "%s", remedy)
}

// isDeviceFailure reports whether a driver's error says that the device failed earlier, so that it
// runs nothing any more. Only the code counts, since memory is freed then: a device may count as
// lost after unclear codes, and if that is wrong, its work goes on.
func isDeviceFailure(err error) bool {
	var e *event.DriverError
	if errors.As(err, &e) {
		return driver.CodeScope(e.Call, e.Code).IsSticky()
	}
	return driver.ScopeOf(err).IsSticky()
}
