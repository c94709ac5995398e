package fake

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// maxSlots bounds the C function pointers that the package makes: they are never freed, and a
// process has 2000 of them.
const maxSlots = 48

// slot is a C function pointer, lent to one symbol of one library at a time.
type slot struct {
	addr  uintptr
	bound atomic.Pointer[bound]
}

// bound is what a slot does at present.
type bound struct {
	lib    *Library
	symbol string
	f      func(Args) int32
}

var slots struct {
	sync.Mutex
	free []*slot
	made int
}

// takeSlot lends a slot.
func takeSlot(b *bound) *slot {
	slots.Lock()
	defer slots.Unlock()
	var s *slot
	if n := len(slots.free); n > 0 {
		s, slots.free = slots.free[n-1], slots.free[:n-1]
	} else {
		if slots.made == maxSlots {
			panic("fake: too many C functions at a time; close libraries that are not needed any more")
		}
		slots.made++
		s = new(slot)
		s.addr = ccall.NewCallback(func(a, b, c, d, e, f uintptr) uintptr {
			return s.enter(Args{a, b, c, d, e, f})
		})
	}
	s.bound.Store(b)
	return s
}

func giveSlot(s *slot) {
	s.bound.Store(nil)
	slots.Lock()
	defer slots.Unlock()
	slots.free = append(slots.free, s)
}

// enter is a call from C.
func (s *slot) enter(a Args) uintptr {
	b := s.bound.Load()
	if b == nil {
		return 0
	}
	return uintptr(uint32(b.lib.called(b, a)))
}
