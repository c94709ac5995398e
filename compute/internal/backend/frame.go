package backend

import (
	"reflect"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Frame holds the parameters of one launch in memory that C may read, and the call that makes it.
// It is kept for the next launch, so that a launch allocates nothing. One goroutine at a time may
// use it.
type Frame struct {
	values []uint64         // each value begins a word
	at     []unsafe.Pointer // where they are, as C takes it
	// Config is the shape of the launch: here, since it is passed on by address.
	Config Config
	// Args are the parameters as Go values, for the host.
	Args []any

	entry driver.Entry // makes the launch, inside
	cuda  *cudaLaunch  // for a launch with clusters; nil before the first
}

// Reset removes all parameters.
func (f *Frame) Reset() {
	f.values, f.at = f.values[:0], f.at[:0]
	clear(f.Args)
	f.Args = f.Args[:0]
}

// Add adds a value of a size in bytes, as C has it in memory.
func (f *Frame) Add(value unsafe.Pointer, size uintptr) {
	to := f.room(size)
	switch size {
	case 8:
		*(*uint64)(to) = *(*uint64)(value)
	case 4:
		*(*uint32)(to) = *(*uint32)(value)
	default:
		copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(value), size))
	}
}

// AddValue adds a value of any type that fits device memory.
func (f *Frame) AddValue(v reflect.Value) {
	reflect.NewAt(v.Type(), f.room(v.Type().Size())).Elem().Set(v)
}

// room returns the memory of a further value, which begins a word.
func (f *Frame) room(size uintptr) unsafe.Pointer {
	first, words := len(f.values), max(1, int(size+7)/8)
	if first+words > cap(f.values) {
		f.grow(words)
	}
	f.values = f.values[:first+words]
	to := unsafe.Pointer(&f.values[first])
	f.at = append(f.at, to)
	return to
}

// AddWord adds a value of a word, such as an address.
func (f *Frame) AddWord(v uint64) { f.Add(unsafe.Pointer(&v), 8) }

// grow makes room for more words.
func (f *Frame) grow(words int) {
	values := make([]uint64, len(f.values), max(64, 2*cap(f.values), len(f.values)+words))
	ccall.Ptr(unsafe.Pointer(unsafe.SliceData(values))) // C reads it: not on the stack
	copy(values, f.values)
	from, to := unsafe.Pointer(unsafe.SliceData(f.values)), unsafe.Pointer(unsafe.SliceData(values))
	for i, at := range f.at {
		f.at[i] = unsafe.Add(to, uintptr(at)-uintptr(from))
	}
	f.values = values
}

// Len returns the number of parameters.
func (f *Frame) Len() int { return len(f.at) }

// Bytes returns the memory that the values take.
func (f *Frame) Bytes() uintptr { return uintptr(len(f.values)) * 8 }

// Value returns the memory of a parameter from its beginning.
func (f *Frame) Value(i int) unsafe.Pointer { return f.at[i] }

// Pointers returns the addresses of the parameters, void **; nil if there are none.
func (f *Frame) Pointers() *unsafe.Pointer {
	if len(f.at) == 0 {
		return nil
	}
	return &f.at[0]
}

// words is Pointers as an argument word. Both arrays are in the heap, as the frame is.
func (f *Frame) words() uintptr { return uintptr(unsafe.Pointer(f.Pointers())) }
