package ccall

import "unsafe"

// never is always false, which the compiler can't know.
var never bool

// sink is where Ptr pretends to store.
//
//lint:ignore U1000 it is there for the compiler to believe that p escapes
var sink unsafe.Pointer

// Ptr returns p as an argument word and makes what p points to live in the heap, where its address
// stays the same when a callback grows the goroutine's stack. The caller keeps p alive until the
// call returns: runtime.KeepAlive(p).
func Ptr(p unsafe.Pointer) uintptr {
	if never {
		sink = p
	}
	return uintptr(p)
}
