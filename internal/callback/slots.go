package callback

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// MaxSlots is the number of calls with a callback without user data that may run at a time in a
// process, nested or on many threads. Each needs its own C function. A process can make 2000 of
// those, which are never freed, and Windows ends the process at the next one; so half of them are
// left for other packages.
const MaxSlots = 1000

// ErrTooMany is returned when no C function is left for a callback.
var ErrTooMany = errors.New("too many callbacks at a time")

// made counts the C functions of all slots.
var made atomic.Int64

// Slots holds the C functions of a callback type without user data. Each call that takes such a
// callback, and uses it only before it returns, takes a C function and gives it back. Calls may
// nest.
type Slots struct {
	// New makes the Go function of one slot: integers and pointers in, one uintptr out.
	New func(*Slot) any

	mu   sync.Mutex
	free []*Slot
}

// Slot is one C function and the closure that it calls now.
type Slot struct {
	addr uintptr
	fn   any
}

// Take returns a slot that calls fn, or [ErrTooMany]. It does not wait for a free one: a call
// nested in those that hold all of them would wait forever.
func (s *Slots) Take(fn any) (*Slot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		slot.fn = fn
		return slot, nil
	}
	slot := &Slot{fn: fn}
	addr, err := newFunction(s.New(slot))
	if err != nil {
		return nil, err
	}
	slot.addr = addr
	return slot, nil
}

// newFunction makes a C function, up to the limit.
func newFunction(f any) (addr uintptr, err error) {
	if made.Add(1) > MaxSlots {
		made.Add(-1)
		return 0, fmt.Errorf(
			"%w: %d calls with a callback are under way, and there are no C functions for more; "+
				"let some return first",
			ErrTooMany,
			MaxSlots,
		)
	}
	defer func() { // purego panics where the rest of the program has made too many
		if v := recover(); v != nil {
			made.Add(-1)
			err = fmt.Errorf("%w: %v", ErrTooMany, v)
		}
	}()
	return ccall.NewCallback(f), nil
}

// Give returns a slot for reuse.
func (s *Slots) Give(slot *Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot.fn = nil
	s.free = append(s.free, slot)
}

// Addr returns the C function pointer.
func (s *Slot) Addr() uintptr { return s.addr }

// RunSlot passes the closure of a slot to call.
func RunSlot[F any](name string, s *Slot, call func(F)) {
	Contain(func() { guard(name, func() { call(s.fn.(F)) }) })
}
