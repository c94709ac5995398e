package sim

import (
	"bytes"
	"runtime/debug"
	"unsafe"
)

// source is the memory that a module was loaded from. HIP does not copy a plain code object: it
// reads the caller's memory until the module is unloaded.
type source struct {
	at    *byte
	image []byte // what the memory had to have
	noted bool
}

// checkSource notes that the memory of a module's image was changed, or freed and used again.
func (f *face) checkSource(call string, m *module) {
	s := m.source
	if s == nil || s.noted {
		return
	}
	if now := readMemory(s.at, len(s.image)); !bytes.Equal(now, s.image) {
		s.noted = true
		f.note(Crash{call, m.handle,
			"the memory of the module's image was changed or freed before the module was unloaded"},
			true)
	}
}

// readMemory copies memory of C's, as much of it as there is. It does not look at what belongs to
// Go: a driver does not either.
func readMemory(at *byte, size int) []byte {
	copied := make([]byte, 0, size)
	readInto(&copied, unsafe.Pointer(at))
	return copied
}

// readInto fills the capacity of to.
//
//go:nocheckptr
func readInto(to *[]byte, from unsafe.Pointer) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }() // beyond the end of what is mapped
	const piece = 256
	for n := cap(*to) - len(*to); n > 0; n = cap(*to) - len(*to) {
		n = min(n, piece)
		*to = append(*to, unsafe.Slice((*byte)(from), n)...)
		from = unsafe.Pointer(uintptr(from) + uintptr(n))
	}
}

// readText copies memory of C's up to the first NUL, which is included if there is one within
// limit.
//
//go:nocheckptr
func readText(from *byte, limit int) (text []byte) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	for at := unsafe.Pointer(from); len(text) < limit; at = unsafe.Pointer(uintptr(at) + 1) {
		b := *(*byte)(at)
		text = append(text, b)
		if b == 0 {
			break
		}
	}
	return text
}
