package ccall

import "unsafe"

// Step is one call of a list that [Run] makes. It and all that it points to must be in the heap: a
// list is read and written between calls, while callbacks may move the goroutine's stack. So C may
// write a result straight into an argument word of a later step.
type Step struct {
	// The trampolines know the offsets of these fields.
	Fn uintptr           // the address of the C function, never 0
	N  uintptr           // how many argument words are in use
	A  [MaxWords]uintptr // words from N to MaxRegs are passed as well and cost nothing

	// A step with a guard is made only if the word at the address If equals Is, or differs from it if
	// Not is 1.
	If, Is, Not uintptr
	// If Always is 1, the step is made even if an earlier one failed.
	Always uintptr

	State State // its state after a run
	Code  int32 // what C returned, if it was made
}

// State is the result of a step. The guard of a later step may test it.
type State uintptr

// The states, which the trampolines know as numbers.
const (
	Skipped   State = iota // not made
	Succeeded              // made, and C returned 0
	Failed                 // made, and C returned something else
)

// When guards the step: it is made only if the word at p, which is in the list or elsewhere in the
// heap, then equals v.
func (s *Step) When(p *uintptr, v uintptr) *Step { return s.guard(p, v, 0) }

// Unless guards the step: it is made only if the word at p then differs from v.
func (s *Step) Unless(p *uintptr, v uintptr) *Step { return s.guard(p, v, 1) }

// After guards the step: it is made if and only if an earlier one has that state, even if others
// failed meanwhile.
func (s *Step) After(earlier *Step, state State) *Step {
	s.Always = 1
	return s.guard((*uintptr)(&earlier.State), uintptr(state), 0)
}

func (s *Step) guard(p *uintptr, v, not uintptr) *Step {
	s.If, s.Is, s.Not = Ptr(unsafe.Pointer(p)), v, not
	return s
}

// Set makes the step a call without a guard.
func (s *Step) Set(fn uintptr, words ...uintptr) *Step {
	s.SetShort(fn, 0, 0, 0)
	s.N = uintptr(len(words))
	copy(s.A[:], words)
	return s
}

// SetShort is Set for at most three words, without a loop. Words that the function does not take
// may have any value.
func (s *Step) SetShort(fn, a, b, c uintptr) *Step {
	s.Fn, s.N = fn, 3
	s.A[0], s.A[1], s.A[2], s.A[3], s.A[4], s.A[5] = a, b, c, 0, 0, 0
	s.If, s.Always, s.State = 0, 0, Skipped
	return s
}
