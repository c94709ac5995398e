package sim

import "fmt"

// What uses memory checks it twice, as drivers and devices do: the call, which can see that there
// is no such memory, and the work, when its stream comes to it. Calls whose arguments are opaque to
// drivers, such as launches, only check the order with [face.uses].

// resolve returns the live memory from an address to the end of its block.
func (f *face) resolve(address uintptr) ([]byte, error) {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b, why := f.memory.usable(address, 1)
	if why != "" {
		return nil, fmt.Errorf("%w: %s", workError(illegalAddress), why)
	}
	return b.bytes(address), nil
}

// usable returns the block that has all of a range, or says why work can't use the range now. The
// caller holds the lock.
func (m *memory) usable(address, size uintptr) (b *block, why string) {
	b, why = m.find(address, size)
	if why == "" && !b.reached {
		why = fmt.Sprintf("the %d bytes at %#x are used before the stream that allocates them has "+
			"reached the allocation, or after it has reached the free", b.size, b.at)
	}
	return b, why
}

// find returns the block that has all of a range. The caller holds the lock.
func (m *memory) find(address, size uintptr) (b *block, why string) {
	b = m.live.of(address)
	switch {
	case b == nil:
		return nil, m.missing(address)
	case !b.holds(address, size):
		return nil, fmt.Sprintf("%d bytes at %#x go beyond the end of the %d bytes at %#x", size,
			address, b.size, b.at)
	}
	return b, ""
}

// missing says why there is no memory at an address. The caller holds the lock.
func (m *memory) missing(address uintptr) string {
	if b := m.freed.of(address); b != nil {
		return fmt.Sprintf("the %d bytes at %#x are freed", b.size, b.at)
	}
	return fmt.Sprintf("no memory at %#x", address)
}

// known returns a range's block if a call may name the range, otherwise it notes the misuse.
func (f *face) known(call string, address, size uintptr) *block {
	f.memory.mu.Lock()
	b, why := f.memory.find(address, size)
	if why == "" && b.freeing {
		why = fmt.Sprintf("the %d bytes at %#x are freed", b.size, b.at)
	}
	f.memory.mu.Unlock()
	if why != "" {
		f.note(Crash{call, address, why}, false)
		return nil
	}
	return b
}

// bytes returns memory that a call names, nil if it is not all in one block.
func (f *face) bytes(address, size uintptr) []byte {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if b := f.memory.live.of(address); b != nil && b.holds(address, size) && !b.freeing {
		return b.bytes(address)[:size:size]
	}
	return nil
}

// lease is memory that work uses right now. Its bytes stay as they are if it is freed meanwhile.
type lease struct {
	block *block
	bytes []byte
}

// lease returns a range of memory for work of a context that runs now, until it ends the lease. If
// there is no such memory, that is noted and the context fails; the work must return the error.
func (f *face) lease(call string, c *context, address, size uintptr) (lease, error) {
	l, err := f.borrow(call, address, size)
	if err != nil {
		c.engine.Fail(err)
	}
	return l, err
}

// borrow is lease for work that notes more before it fails the context.
func (f *face) borrow(call string, address, size uintptr) (lease, error) {
	f.memory.mu.Lock()
	b, why := f.memory.usable(address, size)
	if why != "" {
		f.memory.mu.Unlock()
		return lease{}, f.illegal(call, address, why)
	}
	defer f.memory.mu.Unlock()
	b.users++
	return lease{b, b.bytes(address)[:size:size]}, nil
}

// leaseRest is [face.lease] for a kernel of a context: it returns the memory from an address to the
// end of its block, which must be the host's, or of the context's device or of one that it may
// access.
func (f *face) leaseRest(call string, c *context, address uintptr) (lease, error) {
	f.memory.mu.Lock()
	b, why := f.memory.usable(address, 1)
	if why == "" && !f.accessible(c, b) {
		why = fmt.Sprintf("the %d bytes at %#x are on device %d, and device %d has no access to it",
			b.size, b.at, b.device.ordinal, c.device.ordinal)
	}
	if why != "" {
		f.memory.mu.Unlock()
		err := f.illegal(call, address, why)
		c.engine.Fail(err)
		return lease{}, err
	}
	defer f.memory.mu.Unlock()
	b.users++
	return lease{b, b.bytes(address)}, nil
}

// endLease ends the use of memory.
func (f *face) endLease(l lease) {
	if l.block == nil {
		return
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if l.block.users--; l.block.users == 0 && l.block.gone {
		f.memory.bury(l.block)
	}
}

// illegal notes that work went to memory that is not there, and returns what its context must fail
// with. AMD's runtime ends the process.
func (f *face) illegal(call string, address uintptr, why string) error {
	f.note(Crash{call, address, why}, f.plays(amdFaultAborts))
	return workError(illegalAddress)
}
