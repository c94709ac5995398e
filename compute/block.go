package compute

import (
	"errors"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// block is memory of a device: what a Buffer and its slices stand for.
type block struct {
	device  *device
	address uintptr
	bytes   uintptr
	host    []byte  // the memory, on the host device
	inOrder bool    // it came from a pool, and is freed in the order of a stream
	unclear bool    // the device failed at an ordered free, which may have had its effect
	module  *Module // that the memory belongs to; nil for a buffer
	label   string

	lifetime // without effect if the memory belongs to a module: see life
}

// String returns the device's name and the address, as events and streams have it.
func (b *block) String() string { return b.label }

// life returns how long the memory lasts: as long as its module, if it belongs to one.
func (b *block) life() *lifetime {
	if b.module != nil {
		return &b.module.lifetime
	}
	return &b.lifetime
}

// release ends a use that life().retain began.
func (b *block) release() {
	switch last := b.life().release(); {
	case last && b.module != nil:
		b.module.endLater()
	case last:
		b.device.background(func() { report(b.end("Buffer.Close")) })
	}
}

// close ends the block when no call and no graph uses it. It returns the error of freeing the
// memory, if that was done at once.
func (b *block) close(op string) error {
	if !b.lifetime.close() {
		return nil // the last use ends it
	}
	return b.device.relaxed(func() error { return b.end(op) })
}

// closeAsync is close for the garbage collector.
func (b *block) closeAsync() {
	if !b.isClosed() {
		b.device.account.lost()
		b.device.background(func() { report(b.close("Buffer")) })
	}
}

// end orders the block's end after the work of its users: on the stream, if there is one, and else
// when all are done. A stream that waited for the others here would hold up its own work.
func (b *block) end(op string) error {
	all := b.users.take()
	if b.inOrder && len(all) == 1 && !b.device.driver.Gone() && b.freeOn(all[0]) {
		all[0].drop()
		b.device.account.end(b)
		return nil
	}
	return b.device.whenDone(all, func() error {
		defer b.device.account.end(b)
		return failed(op, b, b.device.destroy(func() error {
			if b.inOrder && len(all) > 0 && !b.unclear && b.freeOn(all[0]) {
				return nil
			}
			b.device.account.freeing(b, true)
			err := b.device.backend.Free(b.address)
			if b.unclear { // no error of a second free is news
				return nil
			}
			return err
		}))
	})
}

// freeOn frees the block in the order of a stream, and reports whether it could.
func (b *block) freeOn(o user) bool {
	if o.stream == nil || o.stream.Device() != b.device.event || o.capturing() {
		return false
	}
	stream := streamOf(o.stream)
	if !stream.Retain() {
		return false
	}
	defer stream.Release()
	b.device.account.freeing(b, true)
	err := b.device.backend.FreeOn(stream.Object, b.address)
	if err != nil && !isLate(err) && !driver.OnlyRestore(err) {
		b.device.account.freeing(b, false)
		b.unclear = isDeviceFailure(err)
		return false
	}
	report(failed("Buffer.Close", b, err))
	return true
}

// open refuses a closed block.
func (b *block) open(op string) error {
	if b.life().isClosed() {
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
