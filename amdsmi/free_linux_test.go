package amdsmi_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/amdsmi"
	"github.com/gpuevent/gpuevent/internal/ccall"
)

// What the library allocates with the C library's malloc goes back to it. Memory that was freed is
// the next to be given out again.
func TestFreeNameValues(t *testing.T) {
	amdsmi.FreeNameValues(nil)
	for range 100 {
		malloc := ccall.New(ccall.LibC("malloc"))
		malloc.Int(10 * unsafe.Sizeof(amdsmi.NameValue{}))
		malloc.Call()
		memory := malloc.R0
		malloc.Free()
		require.NotZero(t, memory)
		values := *(**amdsmi.NameValue)(unsafe.Pointer(&memory))
		values.Value = 7
		amdsmi.FreeNameValues(values)
	}
}
