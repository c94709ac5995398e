//go:build !windows

package ccall

import "unsafe"

// The System V ABI of amd64.
const (
	intRegs          = 6
	maxInts          = 8 // the trampolines of all targets know the same offsets
	positionalFloats = false
)

// Struct adds a struct or union by value: size bytes at p, no member of a floating-point type. Up
// to 16 bytes are passed in registers if enough are left, otherwise on the stack; a larger struct
// is always passed on the stack.
func (f *Frame) Struct(p unsafe.Pointer, size uintptr) {
	w := words(p, size)
	if size <= 16 && f.nint+len(w) <= intRegs {
		f.nint += copy(f.ints[f.nint:], w)
		return
	}
	for _, x := range w {
		f.push(x)
	}
}

// resultInRegs reports whether a struct result of size bytes is returned in registers.
func resultInRegs(size uintptr) bool { return size <= 16 }

// resultInMemory passes the result's address as a hidden first argument.
func (f *Frame) resultInMemory(p uintptr) { f.Int(p) }
