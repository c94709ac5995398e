package sim

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// memory is what was allocated: host memory that C finds at its address.
type memory struct {
	mu     sync.Mutex
	blocks map[uintptr][]uint64 // by their first address
	owners map[uintptr]*device  // of the blocks that are in a device's memory
	used   map[*device]uintptr  // the sum of their sizes
}

// allocOnDevice takes memory of the device whose context is current.
func (f *face) allocOnDevice(out *uintptr, size uintptr) code {
	c, fault := f.here()
	if fault != success {
		return fault
	}
	d, m := c.device, &f.memory
	if size > d.memory {
		return outOfMemory
	}
	words := (size + 7) &^ 7
	m.mu.Lock()
	if words > d.memory-m.used[d] {
		m.mu.Unlock()
		return outOfMemory
	}
	if m.used == nil {
		m.used, m.owners = map[*device]uintptr{}, map[uintptr]*device{}
	}
	m.used[d] += words
	m.mu.Unlock()
	fault = f.alloc(out, size)
	m.mu.Lock()
	defer m.mu.Unlock()
	if fault == success && *out != 0 {
		m.owners[*out] = d
	} else {
		m.used[d] -= words
	}
	return fault
}

// size is that of the block at an address.
func (m *memory) size(at uintptr) uintptr { return 8 * uintptr(len(m.blocks[at])) }

// alloc serves allocations of the device and of the host alike.
func (f *face) alloc(out *uintptr, size uintptr) code {
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
	block := make([]uint64, (size+7)/8)
	at := uintptr(unsafe.Pointer(&block[0]))
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if f.memory.blocks == nil {
		f.memory.blocks = map[uintptr][]uint64{}
	}
	f.memory.blocks[at] = block
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
	if f.memory.blocks[address] == nil {
		return invalidValue
	}
	if d := f.memory.owners[address]; d != nil {
		f.memory.used[d] -= f.memory.size(address)
		delete(f.memory.owners, address)
	}
	delete(f.memory.blocks, address)
	f.ended[memoryKind].Add(1)
	return success
}

// bytes is allocated memory, nil if it is not all in one block.
func (f *face) bytes(address, size uintptr) []byte {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for at, block := range f.memory.blocks {
		all := uintptr(len(block)) * 8
		if address >= at && address-at <= all && size <= all-(address-at) {
			return unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), all)[address-at : address-at+size]
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

// fill has a stream write count times the size low bytes of value.
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

// reached tells whether a wait for value is over.
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

func (f *face) waitValue(call string, h, address, size uintptr, value, mask uint64, flags uint32) code {
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
		for pause := 10 * time.Microsecond; !w.reached(value, mask, condition) && !f.down.Load(); pause = min(2*pause, time.Millisecond) {
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

// do lays a function on a queue.
func do(fn func() error) func(*host.Queue) error {
	return func(q *host.Queue) error { return q.Do(fn) }
}
