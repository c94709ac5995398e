package params

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// Extra is what the extra of a launch wants: a list of words, some of them addresses, over one
// buffer that has the parameters laid out as C lays out a struct. The garbage collector sees no
// address in a word. So the list lies in the Extra itself, which holds the buffer by a pointer: who
// holds the list holds both. The zero value has no parameters. It belongs to one goroutine at a
// time.
type Extra struct {
	list   [5]uintptr
	size   uintptr
	buffer []byte
}

// The words of the list, which are the same for both vendors but for the end.
const (
	bufferPointer = 1
	bufferSize    = 2
)

// PutAligned adds a value of a plain type, behind as much padding as C puts there.
func PutAligned[T int32 | uint32 | int64 | uint64 | float32 | float64](e *Extra, v T) {
	e.add(unsafe.Pointer(&v), unsafe.Sizeof(v), unsafe.Sizeof(v))
}

// PutBytes adds a value of any type, as C has it in memory, with its alignment, a power of two.
func (e *Extra) PutBytes(v []byte, align uintptr) {
	e.add(unsafe.Pointer(unsafe.SliceData(v)), uintptr(len(v)), max(align, 1))
}

func (e *Extra) add(p unsafe.Pointer, size, align uintptr) {
	for uintptr(len(e.buffer))%align != 0 {
		e.buffer = append(e.buffer, 0)
	}
	e.buffer = append(e.buffer, unsafe.Slice((*byte)(p), size)...)
}

// Size is the number of bytes in the buffer.
func (e *Extra) Size() int { return len(e.buffer) }

// Reset takes all parameters out and keeps the memory.
func (e *Extra) Reset() { e.buffer = e.buffer[:0] }

// List returns the list, with the word that ends it; nil if there are no parameters. It holds until
// the next change.
func (e *Extra) List(end uintptr) *uintptr {
	if len(e.buffer) == 0 {
		return nil
	}
	ccall.Ptr(unsafe.Pointer(e)) // it lives in the heap
	e.size = uintptr(len(e.buffer))
	e.list = [5]uintptr{
		bufferPointer, ccall.Ptr(unsafe.Pointer(unsafe.SliceData(e.buffer))),
		bufferSize, ccall.Ptr(unsafe.Pointer(&e.size)),
		end,
	}
	return &e.list[0]
}
