package ccall

import (
	"bytes"
	"unsafe"
)

// Bool is a C _Bool as an argument word.
func Bool(b bool) uintptr {
	if b {
		return 1
	}
	return 0
}

// Pointer is a result word as a pointer to memory that C owns.
func Pointer(word uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&word)) }

// TextAt returns a copy of the C text whose address is a result word; "" for 0.
func TextAt(word uintptr) string { return GoString(Pointer(word)) }

// TextIn returns a copy of the text in a C array, up to its NUL byte or its end.
func TextIn(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
