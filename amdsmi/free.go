package amdsmi

import (
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// FreeNameValues frees an array that [GetGpuPmMetricsInfo] or [GetGpuRegTableInfo] allocated, with
// the C library's free. It does nothing with nil.
func FreeNameValues(values *NameValue) {
	free := ccall.LibC("free")
	if values == nil || free == 0 {
		return
	}
	call := ccall.Regs{Fn: free, A: [ccall.MaxRegs]uintptr{ccall.Ptr(unsafe.Pointer(values))}}
	call.Call()
	runtime.KeepAlive(values)
}
