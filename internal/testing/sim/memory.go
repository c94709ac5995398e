package sim

import (
	"fmt"
	"sync"
	"unsafe"
)

// memory is all the memory that a driver knows.
type memory struct {
	mu    sync.Mutex
	live  blocks
	freed freedBlocks
}

// alloc allocates on the current device.
func (f *face) alloc(out *uintptr, size uintptr) code {
	if fault := f.mayManageMemory(); fault != success {
		return fault
	}
	return f.allocDevice(out, size)
}

// allocDevice is alloc for calls that heed no captures.
func (f *face) allocDevice(out *uintptr, size uintptr) code {
	c, fault := f.here()
	switch {
	case out == nil:
		return invalidValue
	case size == 0:
		return f.allocateNothing(out)
	case fault != success:
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if size > c.device.memory-c.device.used {
		return outOfMemory
	}
	c.device.used += size
	*out = f.add(&block{at: deviceAddress(size), size: size, device: c.device, context: c,
		reached: true})
	return success
}

// allocateNothing answers a request for 0 bytes.
func (f *face) allocateNothing(out *uintptr) code {
	if f.plays(amdEmptyAllocation) {
		*out = 0
		return success
	}
	return invalidValue
}

// add makes a block known. The caller holds the lock.
func (f *face) add(b *block) uintptr {
	f.memory.live.insert(b)
	f.created[memoryKind].Add(1)
	return b.at
}

// drop makes a block unknown. Work that uses it goes on with memory that nobody else has, which is
// misuse: the result says so. The caller holds the lock.
func (f *face) drop(b *block) (misuse string) {
	switch {
	case b.gone:
		return ""
	case b.node.graphs > 0:
		return f.dropNode(b)
	}
	b.gone = true
	f.memory.live.remove(b)
	if !b.node.made {
		f.ended[memoryKind].Add(1)
	}
	switch {
	case b.pool != nil:
		b.pool.used -= b.size
		if b.pool.destroyed {
			b.pool.trim(0)
		}
	case b.node.made: // the device keeps it for other graphs
		b.unback()
	case b.device != nil:
		b.device.used -= b.size
	}
	if b.users == 0 {
		f.memory.bury(b)
		return ""
	}
	return fmt.Sprintf("the %d bytes at %#x are freed while work uses them", b.size, b.at)
}

// release is drop for callers without the lock. It notes misuse.
func (f *face) release(call string, b *block) {
	f.memory.mu.Lock()
	misuse := f.drop(b)
	f.memory.mu.Unlock()
	if misuse != "" {
		f.note(Crash{call, b.at, misuse}, false)
	}
}

// free ends an allocation: memory of a device, or of the host if that is what the function is for.
// HIP has one function for both.
func (f *face) free(call string, address uintptr, kind blockKind) code {
	if address == 0 && f.plays(amdEmptyAllocation) {
		return success
	}
	if fault := f.mayManageMemory(); fault != success {
		return fault
	}
	b := f.claim(call, address, func(b *block) bool {
		return b.kind == kind || kind == deviceBlock && b.kind == managedBlock ||
			f.hip() && b.kind != registeredBlock
	})
	if b == nil {
		return invalidValue
	}
	late := f.beforeFree(b)
	f.release(call, b)
	return late
}

// beforeFree waits for the device if freeing a block does. It returns failures of earlier work.
func (f *face) beforeFree(b *block) code {
	if f.freeWaits(b) {
		b.context.tells()
		return codeOf(b.context.engine.Sync())
	}
	return b.context.failed()
}

// claim finds the block at an address that a call wants to free. Only one call gets it.
func (f *face) claim(call string, address uintptr, may func(*block) bool) *block {
	f.memory.mu.Lock()
	b := f.memory.live.of(address)
	why := ""
	switch {
	case b == nil:
		why = f.memory.missing(address)
	case b.freeing || b.node.made && !b.node.out:
		why = fmt.Sprintf("the %d bytes at %#x are freed", b.size, b.at)
	case b.global:
		why = "it is a variable of a module"
	case b.at != address:
		why = fmt.Sprintf("the address is inside the %d bytes at %#x", b.size, b.at)
	case !may(b):
		why = "a function for other memory frees it"
	default:
		b.freeing = true
		if b.node.out { // the next launch may allocate it again, behind the free
			b.node.out = false
			f.ended[memoryKind].Add(1)
		}
	}
	f.memory.mu.Unlock()
	if why != "" {
		f.note(Crash{call, address, why}, false)
		return nil
	}
	return b
}

// freeWaits reports whether freeing a block waits for its device.
func (f *face) freeWaits(b *block) bool {
	switch {
	case b.kind != deviceBlock && b.kind != managedBlock:
		return f.plays(amdHostFreeWaits)
	case b.pool != nil || b.node.made:
		return !f.plays(cudaPoolFreeReturns)
	}
	return true
}

// freeAll ends everything that was allocated in a context.
func (f *face) freeAll(c *context) {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for i := len(f.memory.live) - 1; i >= 0; i-- {
		if b := f.memory.live[i]; b.context == c {
			f.drop(b)
		}
	}
	c.device.trimGraphs()
}

// memoryInfo returns how much memory the current device has, and how much is free.
func (f *face) memoryInfo(free, total *uintptr) code {
	if free == nil || total == nil {
		return invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	*total = c.device.memory
	*free = *total - c.device.used
	return success
}

// memoryRange returns the allocation that has an address.
func (f *face) memoryRange(start, size *uintptr, address uintptr) code {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b := f.memory.live.of(address)
	switch {
	case b != nil && !b.freeing:
	case f.plays(amdAddressRangePointer):
		return invalidDevicePointer
	default:
		return notFound
	}
	if start != nil {
		*start = b.at
	}
	if size != nil {
		*size = b.size
	}
	return success
}

// pointerTo makes a pointer of an address that C passed as a number.
func pointerTo(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}
