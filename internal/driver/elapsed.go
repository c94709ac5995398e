package driver

import (
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// elapsed calls the function that takes the time between two events. The bindings would get memory
// for the result from a pool.
func (v *vendor) elapsed(p *dl.Proc, start, end Object, ms *float32) error {
	addr, err := p.Addr()
	if err != nil {
		return v.failed(p.Symbol, err)
	}
	call := ccall.Regs{Fn: addr, A: [ccall.MaxRegs]uintptr{
		ccall.Ptr(unsafe.Pointer(ms)), start.Word, end.Word}}
	code := call.Call()
	runtime.KeepAlive(ms)
	if code != 0 {
		return v.failed(p.Symbol, v.result(code))
	}
	return nil
}
