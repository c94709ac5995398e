package kernel

import (
	"fmt"
	"reflect"
	"unsafe"
)

// sharedAlign is the alignment of shared memory. No type of C needs more.
const sharedAlign = 128

// Memory is the dynamic shared memory of the blocks that one worker runs one after the other. It
// marks a struct as a block: only packages of this module can name it.
type Memory struct {
	size   int
	memory []byte       // size bytes, once a kernel asked
	fresh  bool         // not yet asked for in this block
	elem   reflect.Type // the type that was checked last
}

// Shared returns the dynamic shared memory of b's launch as elements of type T, as C does with
//
//	extern __shared__ T memory[];
//
// Each block has its own. Calls in one block return the same bytes, also with another type. What
// they hold when a block starts is undefined: floats are NaN and integers are -1, so that a missing
// initialization shows. Shared panics if T holds Go pointers or a type without a fixed width.
func Shared[T any](b *Block) []T { return SharedOf[T](b.Memory) }

// SharedOf is Shared for a block of another type.
func SharedOf[T any](s *Memory) []T {
	if s == nil || s.size == 0 {
		return nil
	}
	if t := reflect.TypeFor[T](); t != s.elem {
		s.check(t)
	}
	if s.fresh {
		s.begin()
	}
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(&s.memory[0])), s.size/int(unsafe.Sizeof(zero)))
}

// check panics if elements of type t cannot lie in shared memory.
func (s *Memory) check(t reflect.Type) {
	if bad := element(t); bad != nil {
		panic(fmt.Sprintf("kernel.Shared[%v]: %s; %s", t, bad.reason, bad.remedy))
	}
	s.elem = t
}

// begin gives a block undefined memory.
func (s *Memory) begin() {
	if s.memory == nil {
		raw := make([]byte, s.size+sharedAlign)
		skip := -uintptr(unsafe.Pointer(&raw[0])) & (sharedAlign - 1)
		s.memory = raw[skip:][:s.size:s.size]
	}
	s.memory[0] = 0xff
	for n := 1; n < len(s.memory); n *= 2 {
		copy(s.memory[n:], s.memory[:n])
	}
	s.fresh = false
}
