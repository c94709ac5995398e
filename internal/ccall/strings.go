package ccall

import (
	"errors"
	"strings"
	"unsafe"
)

// ErrNUL reports that a text for C contains a NUL byte, which would end it in C.
var ErrNUL = errors.New("the text contains a NUL byte, where C would cut it off")

// CString returns a copy of s in the heap, with a NUL byte at its end.
func CString(s string) (*byte, error) {
	if strings.IndexByte(s, 0) >= 0 {
		return nil, ErrNUL
	}
	b := make([]byte, len(s)+1)
	copy(b, s)
	return unsafe.SliceData(b), nil
}

// GoString returns a copy of the text at p, which ends at its NUL byte; "" for nil.
func GoString(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
