package ccall

import "unsafe"

// The procedure call standard of 64-bit ARM (AAPCS64), which Windows follows for everything that
// the two APIs use.
const (
	intRegs          = 8
	maxInts          = 8
	positionalFloats = false
)

// Struct adds a struct or union by value: size bytes at p, no member of a floating-point type. Up
// to 16 bytes are passed in registers; if too few are left, the struct and every integer after it
// go on the stack. A larger struct is passed as the address of a copy.
func (f *Frame) Struct(p unsafe.Pointer, size uintptr) {
	if size > 16 {
		f.byReference(p, size)
		return
	}
	w := words(p, size)
	if f.nint+len(w) <= intRegs {
		f.nint += copy(f.ints[f.nint:], w)
		return
	}
	f.nint = intRegs
	for _, x := range w {
		f.push(x)
	}
}

// resultInRegs reports whether a struct result of size bytes is returned in registers.
func resultInRegs(size uintptr) bool { return size <= 16 }

// resultInMemory passes the result's address in the register that is reserved for it.
func (f *Frame) resultInMemory(p uintptr) { f.sret = p }
