//go:build !amd64 && !arm64

package ccall

import "unsafe"

// No ABI: C is not called on this target. The limits are those of amd64.
const (
	intRegs          = 6
	maxInts          = 8
	positionalFloats = false
)

// Struct adds a struct or union by value: size bytes at p.
func (f *Frame) Struct(p unsafe.Pointer, size uintptr) {
	for _, x := range words(p, size) {
		f.push(x)
	}
}

// resultInRegs reports whether a struct result of size bytes is returned in registers.
func resultInRegs(uintptr) bool { return false }

// resultInMemory passes the result's address as a hidden first argument.
func (f *Frame) resultInMemory(p uintptr) { f.Int(p) }
