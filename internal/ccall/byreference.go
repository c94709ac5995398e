//go:build arm64 || (windows && amd64)

package ccall

import "unsafe"

// byReference adds the address of a copy of size bytes at p.
func (f *Frame) byReference(p unsafe.Pointer, size uintptr) {
	w := words(p, size)
	copied := unsafe.Pointer(unsafe.SliceData(w))
	f.keep = append(f.keep, copied)
	f.Int(Ptr(copied))
}
