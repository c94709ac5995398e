package params

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// Extra holds the extra argument of a launch: a list of words, some of which are addresses, and the
// buffer that it points to, in which the parameters are laid out like a C struct. The garbage
// collector does not see addresses in words. So the list is part of the Extra, which also has a
// pointer to the buffer: a pointer to the list keeps both alive. The zero value has no parameters.
// One goroutine at a time may use it.
type Extra struct {
	list   [5]uintptr
	size   uintptr
	buffer []byte
}

// The words of the list, which are the same for both vendors except the last.
const (
	bufferPointer = 1
	bufferSize    = 2
)

// PutAligned adds a value of a plain type, after the padding that C puts there.
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

// Size returns the number of bytes in the buffer.
func (e *Extra) Size() int { return len(e.buffer) }

// Reset removes all parameters and keeps the memory.
func (e *Extra) Reset() { e.buffer = e.buffer[:0] }

// List returns the list, with the word that ends it; nil if there are no parameters. It is valid
// until the next change.
func (e *Extra) List(end uintptr) *uintptr {
	if len(e.buffer) == 0 {
		return nil
	}
	ccall.Ptr(unsafe.Pointer(e)) // it is in the heap
	e.size = uintptr(len(e.buffer))
	e.list = [5]uintptr{
		bufferPointer, ccall.Ptr(unsafe.Pointer(unsafe.SliceData(e.buffer))),
		bufferSize, ccall.Ptr(unsafe.Pointer(&e.size)),
		end,
	}
	return &e.list[0]
}
