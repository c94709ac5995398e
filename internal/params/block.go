// Package params holds the parameters of kernel launches in memory that C may read: in the heap,
// where callbacks that move the goroutine's stack move nothing, and kept for the next launch, so
// that a launch allocates nothing.
package params

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// Block holds the parameters of one launch: the values and their addresses. The zero value has no
// parameters. One goroutine at a time may use it.
type Block struct {
	values []uint64         // each value begins a word
	begins []int            // where, in words
	at     []unsafe.Pointer // the argument for C, once it is built
	ready  bool
}

// Put adds a value of a plain type.
func Put[T int32 | uint32 | int64 | uint64 | float32 | float64 | uintptr](b *Block, v T) {
	b.add(unsafe.Pointer(&v), unsafe.Sizeof(v))
}

// PutBytes adds a value of any type, as C has it in memory.
func (b *Block) PutBytes(v []byte) { b.add(unsafe.Pointer(unsafe.SliceData(v)), uintptr(len(v))) }

func (b *Block) add(p unsafe.Pointer, size uintptr) {
	first := len(b.values)
	b.begins = append(b.begins, first)
	for range max(1, (size+7)/8) {
		b.values = append(b.values, 0)
	}
	to := unsafe.Slice((*byte)(unsafe.Pointer(&b.values[first])), size)
	copy(to, unsafe.Slice((*byte)(p), size))
	b.ready = false
}

// Len returns the number of parameters.
func (b *Block) Len() int { return len(b.begins) }

// Pointers returns the addresses as C takes them, void **; nil if there are no parameters. They are
// valid until the next parameter is added or the block is reset. The caller keeps the block alive.
func (b *Block) Pointers() *unsafe.Pointer {
	if len(b.begins) == 0 {
		return nil
	}
	if !b.ready {
		ccall.Ptr(unsafe.Pointer(unsafe.SliceData(b.values))) // they are in the heap
		b.at = b.at[:0]
		for _, i := range b.begins {
			b.at = append(b.at, unsafe.Pointer(&b.values[i]))
		}
		b.ready = true
	}
	return unsafe.SliceData(b.at)
}

// Reset removes all parameters and keeps the memory.
func (b *Block) Reset() { b.values, b.begins, b.ready = b.values[:0], b.begins[:0], false }

// Set makes the block's parameters those of another block.
func (b *Block) Set(from *Block) {
	b.values, b.begins = append(b.values[:0], from.values...), append(b.begins[:0], from.begins...)
	b.ready = false
}
