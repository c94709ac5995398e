package fake

import "unsafe"

// Args are the argument words of a C call, as the first six integer registers or stack words have
// them. Words behind the last argument of the C prototype are arbitrary.
type Args [6]uintptr

// Put32 writes what a 4-byte out parameter points to. A nil pointer is left alone.
func (a Args) Put32(i int, v int32) {
	if p := a.pointer(i); p != nil {
		*(*int32)(p) = v
	}
}

// Put64 writes what an 8-byte out parameter points to. A nil pointer is left alone.
func (a Args) Put64(i int, v uintptr) {
	if p := a.pointer(i); p != nil {
		*(*uintptr)(p) = v
	}
}

// pointer is word i as the address that it is. It reads the word as a pointer, for the checks of
// package unsafe refuse to convert a number that points into Go memory.
func (a Args) pointer(i int) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a[i])) }
