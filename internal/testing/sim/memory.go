package sim

import (
	"sync"
	"unsafe"
)

// memory is all the memory that a driver knows.
type memory struct {
	mu    sync.Mutex
	live  blocks
	freed freedBlocks
}

// freedBlocks remembers the latest blocks that were freed, for messages. It keeps memory of the
// host, so that nothing else gets its address at once.
type freedBlocks struct {
	ring [1024]*block
	next int
	host uintptr // bytes of the host's that are kept
}

// keepHost is how many bytes of freed host memory are kept at most.
const keepHost = 64 << 20

func (r *freedBlocks) add(b *block) {
	if old := r.ring[r.next]; old != nil {
		r.drop(old)
	}
	r.ring[r.next] = b
	r.next = (r.next + 1) % len(r.ring)
	if b.kind != hostBlock {
		b.data = nil
		return
	}
	r.host += b.size
	for i := 0; r.host > keepHost && i < len(r.ring); i++ {
		if old := r.ring[(r.next+i)%len(r.ring)]; old != nil {
			r.drop(old)
		}
	}
}

func (r *freedBlocks) drop(b *block) {
	if b.data != nil {
		r.host -= b.size
		b.data = nil
	}
}

func (r *freedBlocks) of(address uintptr) *block {
	for _, b := range r.ring {
		if b != nil && address-b.at < max(b.size, 1) {
			return b
		}
	}
	return nil
}

// alloc allocates on the current device.
func (f *face) alloc(out *uintptr, size uintptr) code {
	c, fault := f.here()
	switch {
	case out == nil:
		return invalidValue
	case size == 0:
		return f.allocateNothing(out)
	case size > f.m.options.Memory:
		return outOfMemory
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

// hostAlloc allocates memory of the host that devices see.
func (f *face) hostAlloc(out *uintptr, size uintptr, flags uint32) code {
	c, fault := f.here()
	switch {
	case out == nil:
		return invalidValue
	case size == 0:
		return f.allocateNothing(out)
	case size > f.m.options.Memory:
		return outOfMemory
	case fault != success:
		return fault
	}
	data := newMemory(size)
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	*out = f.add(&block{at: uintptr(unsafe.Pointer(&data[0])), size: size, kind: hostBlock,
		context: c, flags: flags, data: data, reached: true})
	return success
}

// add makes a block known. The caller holds the lock.
func (f *face) add(b *block) uintptr {
	f.memory.live.insert(b)
	f.created[memoryKind].Add(1)
	return b.at
}

// drop makes a block unknown. Work that uses it goes on with memory that nobody else has. The caller
// holds the lock.
func (f *face) drop(b *block) {
	if b.gone {
		return
	}
	b.gone = true
	f.memory.live.remove(b)
	f.ended[memoryKind].Add(1)
	switch {
	case b.pool != nil:
		b.pool.used -= b.size
	case b.device != nil:
		b.device.used -= b.size
	}
	if b.users == 0 {
		f.memory.bury(b)
	}
}

// bury spoils freed memory, so that it is noticed when somebody still reads it.
func (m *memory) bury(b *block) {
	if b.kind != registeredBlock {
		fillBytes(b.data, poison)
	}
	m.freed.add(b)
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

func (f *face) free(address uintptr) code {
	if address == 0 && f.plays(amdEmptyAllocation) {
		return success
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b := f.memory.live.at(address)
	if b == nil || b.global {
		return invalidValue
	}
	f.drop(b)
	return success
}
