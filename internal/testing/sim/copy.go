package sim

import (
	"slices"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// copyEnd is where a copy goes to, or where it comes from.
type copyEnd struct {
	address uintptr
	block   *block         // nil for memory that the driver does not know
	host    unsafe.Pointer // such memory of the process: pageable
}

func (e copyEnd) onDevice() bool { return e.block != nil && e.block.kind == deviceBlock }

// copyEnd finds out what an address is. Memory must not be the process's own if it must be known.
func (f *face) copyEnd(call string, address, size uintptr, mustKnow bool) (copyEnd, code) {
	f.memory.mu.Lock()
	foreign := !isDeviceAddress(address) && f.memory.live.of(address) == nil
	freed := foreign && f.memory.freed.of(address) != nil
	f.memory.mu.Unlock()
	switch {
	case address == 0:
		return copyEnd{}, invalidValue
	case foreign && !mustKnow && !freed:
		return copyEnd{address: address, host: pointerTo(address)}, success
	}
	b := f.known(call, address, size)
	if b == nil {
		return copyEnd{}, invalidValue
	}
	return copyEnd{address: address, block: b}, success
}

// copying is a copy that a call asks for.
type copying struct {
	call     string
	to, from copyEnd
	size     uintptr
	sync     bool // the form that is not called Async
}

// copyRange is which ends of a copy must be memory that the driver knows.
type copyRange uint8

const (
	copyAny    copyRange = 0
	copyToGPU  copyRange = 1 << 0
	copyGPU    copyRange = 1 << 1 // from one
	copyWithin           = copyToGPU | copyGPU
)

// copyMemory copies, in stream order.
func (f *face) copyMemory(call string, to, from, size, h uintptr, r copyRange, sync bool) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if sync {
		if fault := f.mayCopyNow(s); fault != success {
			return fault
		}
	}
	if size == 0 {
		return success
	}
	c := copying{call: call, size: size, sync: sync}
	if c.to, fault = f.copyEnd(call, to, size, r&copyToGPU != 0); fault != success {
		return fault
	}
	if c.from, fault = f.copyEnd(call, from, size, r&copyGPU != 0); fault != success {
		return fault
	}
	return f.copyOn(s, c)
}

// copyOn puts a copy on a stream, and waits as long as the driver does. A captured copy reads and
// writes memory of the host at each launch.
func (f *face) copyOn(s *stream, c copying) code {
	if f.captureFor(c.call, s) != nil {
		return f.typed(memcpyNodeType, s, c.in(f, s.context))
	}
	f.uses(c.call, s, c.to.address, c.from.address)
	if !c.to.onDevice() {
		s.tells()
	}
	before, after := f.copyWaits(c)
	if before {
		if err := s.queue.Sync(); err != nil {
			return codeOf(err)
		}
	}
	if c.from.host != nil && !after {
		staged := slices.Clone(unsafe.Slice((*byte)(c.from.host), c.size))
		c.from.host = unsafe.Pointer(&staged[0])
	}
	if fault := f.enqueue(s, c.in(f, s.context)); fault != success || !after {
		return fault
	}
	return codeOf(s.queue.Sync())
}

// amdStaging is how much of pageable memory AMD's runtime copies without waiting.
const amdStaging = 1 << 20

// copyWaits reports whether a call waits for the stream's earlier work, and for the copy. If it
// does not wait for the copy, memory that is pageable has been read when it returns.
func (f *face) copyWaits(c copying) (before, after bool) {
	switch to, from := c.to, c.from; {
	case to.onDevice() && from.onDevice():
		return false, c.sync && f.plays(amdPeerCopyWaits) && to.block.device != from.block.device
	case !to.onDevice() && !from.onDevice():
		pinned := to.host == nil && from.host == nil
		return false, c.sync || !pinned || !f.plays(amdPinnedCopyIsAsynchronous)
	case to.host != nil:
		return false, true
	case from.host != nil && f.plays(amdPageableCopyWaits):
		return false, true
	case from.host != nil && f.plays(amdLargePageableCopyWaits):
		return false, c.sync || c.size > amdStaging
	case from.host != nil:
		return c.sync, false
	}
	return false, c.sync
}

// in returns the copy as work of a context.
func (c copying) in(f *face, ctx *context) func(*host.Queue) error {
	return do(func() error { return c.now(f, ctx) })
}

// now copies.
func (c copying) now(f *face, ctx *context) error {
	from, err := f.openEnd(c.call, ctx, c.from, c.size)
	if err != nil {
		return err
	}
	defer f.endLease(from)
	to, err := f.openEnd(c.call, ctx, c.to, c.size)
	if err != nil {
		return err
	}
	defer f.endLease(to)
	copy(to.bytes, from.bytes)
	return nil
}

func (f *face) openEnd(call string, c *context, e copyEnd, size uintptr) (lease, error) {
	if e.host != nil {
		return lease{bytes: unsafe.Slice((*byte)(e.host), size)}, nil
	}
	return f.lease(call, c, e.address, size)
}
