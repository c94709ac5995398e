package ccall

import (
	"sync"
	"unsafe"
)

// OutWords is the number of 8-byte slots of an [Out]. A larger result gets its own heap memory.
const OutWords = 16

// Out is memory that C writes results into: heap memory, so that a callback which moves the
// goroutine's stack moves no result with it, and pooled, so that a call allocates nothing. [NewOut]
// returns it zeroed. One goroutine at a time may use it.
type Out struct {
	W [OutWords]uint64
}

var outs = sync.Pool{New: func() any { return new(Out) }}

// NewOut returns zeroed slots. Return them with [Out.Free].
func NewOut() *Out { return outs.Get().(*Out) }

// At returns the address of slot i.
func (o *Out) At(i int) unsafe.Pointer { return unsafe.Pointer(&o.W[i]) }

// Word returns the address of slot i as an argument word. The caller keeps o alive until the call
// returns, which [Out.Free] does.
func (o *Out) Word(i int) uintptr { return uintptr(unsafe.Pointer(&o.W[i])) }

// Free clears the first n slots, which were in use, and returns o to the pool.
func (o *Out) Free(n int) {
	clear(o.W[:n])
	outs.Put(o)
}
