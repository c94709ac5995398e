package sim

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

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
	return f.workOf(call, s, do(func() error {
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
	s.tells()
	return f.workOf(call, s, do(func() error {
		w.store(value)
		return nil
	}))
}

// do puts a function on a queue.
func do(fn func() error) func(*host.Queue) error {
	return func(q *host.Queue) error { return q.Do(fn) }
}
