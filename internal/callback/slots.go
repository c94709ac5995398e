package callback

import (
	"sync"

	"github.com/ebitengine/purego"
)

// MaxSlots is how many calls with a callback of one type, that has no user data, may be under way at a time. More wait.
const MaxSlots = 32

// Slots serves a callback type without user data, for calls that use the callback only while they last: each such call gets a C
// function of its own, and gives it back. Calls may nest.
type Slots struct {
	// New makes the Go function behind one slot: integers and pointers in, one uintptr out.
	New func(*Slot) any

	mu   sync.Mutex
	cond *sync.Cond
	free []*Slot
	made int
}

// Slot is one C function and the closure that it calls at present.
type Slot struct {
	addr uintptr
	fn   any
}

// Take returns a slot that calls fn.
func (s *Slots) Take(fn any) *Slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cond == nil {
		s.cond = sync.NewCond(&s.mu)
	}
	for len(s.free) == 0 && s.made == MaxSlots {
		s.cond.Wait()
	}
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		slot.fn = fn
		return slot
	}
	slot := &Slot{fn: fn}
	slot.addr = purego.NewCallback(s.New(slot))
	s.made++
	return slot
}

// Give takes a slot back.
func (s *Slots) Give(slot *Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot.fn = nil
	s.free = append(s.free, slot)
	s.cond.Signal()
}

// Addr returns the C function pointer.
func (s *Slot) Addr() uintptr { return s.addr }

// RunSlot hands the closure of a slot to call.
func RunSlot[F any](name string, s *Slot, call func(F)) {
	guard(name, func() { call(s.fn.(F)) })
}
