package ccall

import (
	"sync"
	"unsafe"
)

// MaxSteps is the number of steps of a [List].
const MaxSteps = 6

// List is a short list of calls with memory for what they write: heap memory, pooled, so that a use allocates nothing. It belongs to
// one goroutine at a time.
type List struct {
	steps [MaxSteps]Step
	n     int
	out   [2]uint64
}

var lists = sync.Pool{New: func() any { return new(List) }}

// NewList returns a list without steps. Give it back with [List.Free].
func NewList() *List { return lists.Get().(*List) }

// Free gives the list back.
func (l *List) Free() {
	l.n, l.out = 0, [2]uint64{}
	lists.Put(l)
}

// Add adds a call of the C function at fn, with at most three argument words: 0 where it has fewer.
func (l *List) Add(fn, a, b, c uintptr) *Step {
	s := &l.steps[l.n]
	l.n++
	return s.SetShort(fn, a, b, c)
}

// Step returns the i-th step.
func (l *List) Step(i int) *Step { return &l.steps[i] }

// Run makes the calls: see [Run].
func (l *List) Run() (ok bool) { return Run(l.steps[:l.n]) }

// Out returns the i-th of two words that are zero at first, for C to write into and for guards to look at.
func (l *List) Out(i int) *uintptr { return (*uintptr)(unsafe.Pointer(&l.out[i])) }

// Word returns the address of a word of the list as an argument word.
func (l *List) Word(p *uintptr) uintptr { return Ptr(unsafe.Pointer(p)) }
