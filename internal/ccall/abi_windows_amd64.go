package ccall

import "unsafe"

// The x64 calling convention of Windows: every argument is one word, by its position.
const (
	intRegs          = 32 // SyscallN puts them into registers and on the stack
	maxInts          = 32
	positionalFloats = true
)

// Struct adds a struct or union by value: size bytes at p. Sizes of 1, 2, 4 and 8 bytes are passed
// as a word, all others as the address of a copy.
func (f *Frame) Struct(p unsafe.Pointer, size uintptr) {
	switch size {
	case 1, 2, 4, 8:
		f.Int(words(p, size)[0])
	default:
		f.byReference(p, size)
	}
}

// resultInRegs reports whether a struct result of size bytes is returned in registers.
func resultInRegs(size uintptr) bool { return size == 1 || size == 2 || size == 4 || size == 8 }

// resultInMemory passes the result's address as a hidden first argument.
func (f *Frame) resultInMemory(p uintptr) { f.Int(p) }
