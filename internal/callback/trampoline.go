package callback

import (
	"sync"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// Trampoline is the C function pointer of one callback type. Declare it as a package variable with
// constant fields.
type Trampoline struct {
	// Fn is the Go function that it calls: integers and pointers in, one uintptr out.
	Fn any

	once sync.Once
	addr uintptr
}

// Addr returns the C function pointer, which is made at the first call and never freed.
func (t *Trampoline) Addr() uintptr {
	t.once.Do(func() { t.addr = ccall.NewCallback(t.Fn) })
	return t.addr
}
