package sim

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// memory holds the allocations: host memory that C finds at its address.
type memory struct {
	mu     sync.Mutex
	blocks map[uintptr]block // by their first address
}

// block is one allocation. That of a device takes some of its memory.
type block struct {
	words  []uint64
	device *device // nil for host memory
}

// alloc allocates on the current device.
func (f *face) alloc(out *uintptr, size uintptr) code {
	c, fault := f.here()
	if fault != success {
		return f.allocate(out, size, nil)
	}
	return f.allocate(out, size, c.device)
}

// hostAlloc allocates memory of the host that devices see.
func (f *face) hostAlloc(out *uintptr, size uintptr) code { return f.allocate(out, size, nil) }

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
	*free = *total - f.memory.used(c.device)
	return success
}

// used returns how much memory of a device is allocated. The caller holds the lock.
func (m *memory) used(d *device) (n uintptr) {
	for _, b := range m.blocks {
		if b.device == d {
			n += b.size()
		}
	}
	return n
}

func (b block) size() uintptr { return 8 * uintptr(len(b.words)) }

// allocate makes allocations of a device and of the host.
func (f *face) allocate(out *uintptr, size uintptr, d *device) code {
	if out == nil {
		return invalidValue
	}
	if size == 0 {
		if f.plays(amdEmptyAllocation) {
			*out = 0
			return success
		}
		return invalidValue
	}
	if size > f.m.options.Memory {
		return outOfMemory
	}
	if _, fault := f.here(); fault != success {
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	n := (size + 7) / 8
	if d != nil && 8*n > d.memory-f.memory.used(d) {
		return outOfMemory
	}
	words := make([]uint64, n)
	at := uintptr(unsafe.Pointer(&words[0]))
	if f.memory.blocks == nil {
		f.memory.blocks = map[uintptr]block{}
	}
	f.memory.blocks[at] = block{words, d}
	f.created[memoryKind].Add(1)
	*out = at
	return success
}

func (f *face) free(address uintptr) code {
	if address == 0 && f.plays(amdEmptyAllocation) {
		return success
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if f.memory.blocks[address].words == nil {
		return invalidValue
	}
	delete(f.memory.blocks, address)
	f.ended[memoryKind].Add(1)
	return success
}

// bytes returns allocated memory, nil if it is not all in one block.
func (f *face) bytes(address, size uintptr) []byte {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for at, b := range f.memory.blocks {
		all := b.size()
		if address >= at && address-at <= all && size <= all-(address-at) {
			return unsafe.Slice((*byte)(unsafe.Pointer(&b.words[0])), all)[address-at : address-at+size]
		}
	}
	return nil
}

func (f *face) devicePointer(out *uintptr, address uintptr) code {
	if out == nil || f.bytes(address, 1) == nil {
		return invalidValue
	}
	*out = address
	return success
}

// fill makes a stream write count times the size low bytes of value.
func (f *face) fill(call string, address uintptr, value uint32, size, count, h uintptr) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	b := f.bytes(address, size*count)
	if b == nil {
		return invalidValue
	}
	return f.work(s, do(func() error {
		for i := range b {
			b[i] = byte(value >> (8 * (uintptr(i) % size)))
		}
		return nil
	}))
}

// word is a value of 4 or 8 bytes in memory that the host looks at meanwhile.
type word struct {
	size    uintptr
	address unsafe.Pointer
}

func (f *face) word(address, size uintptr) (word, bool) {
	b := f.bytes(address, size)
	if b == nil || address%size != 0 {
		return word{}, false
	}
	return word{size, unsafe.Pointer(&b[0])}, true
}

func (w word) load() uint64 {
	if w.size == 4 {
		return uint64(atomic.LoadUint32((*uint32)(w.address)))
	}
	return atomic.LoadUint64((*uint64)(w.address))
}

func (w word) store(v uint64) {
	if w.size == 4 {
		atomic.StoreUint32((*uint32)(w.address), uint32(v))
		return
	}
	atomic.StoreUint64((*uint64)(w.address), v)
}

// reached reports whether a wait for value is over.
func (w word) reached(value, mask uint64, condition uint32) bool {
	v := w.load() & mask
	switch condition {
	case 0: // at least, in the sense of cyclic counters
		if w.size == 4 {
			return int32(uint32(v)-uint32(value)) >= 0
		}
		return int64(v-value) >= 0
	case 1:
		return v == value
	case 2:
		return v&value != 0
	default:
		return ^(v | value) != 0
	}
}

const waitValueFlush = 1 << 30

func (f *face) waitValue(call string, h, address, size uintptr, value, mask uint64,
	flags uint32) code {
	condition := flags &^ waitValueFlush
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	w, ok := f.word(address, size)
	if !ok || condition > 3 {
		return invalidValue
	}
	if size == 4 {
		value &= 0xffffffff
		mask &= 0xffffffff
	}
	engine := s.context.engine
	return f.work(s, do(func() error {
		for pause := 10 * time.Microsecond; !w.reached(value, mask, condition) &&
			!f.down.Load(); pause = min(2*pause, time.Millisecond) {
			if err := engine.Err(); err != nil {
				return err
			}
			time.Sleep(pause)
		}
		return nil
	}))
}

func (f *face) writeValue(call string, h, address, size uintptr, value uint64) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	w, ok := f.word(address, size)
	if !ok {
		return invalidValue
	}
	return f.work(s, do(func() error {
		w.store(value)
		return nil
	}))
}

// do puts a function on a queue.
func do(fn func() error) func(*host.Queue) error {
	return func(q *host.Queue) error { return q.Do(fn) }
}
