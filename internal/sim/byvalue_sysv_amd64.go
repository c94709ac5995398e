//go:build !windows

package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// defIPCOpen defines f(handle *out, struct of 64 bytes by value): the System V ABI passes the struct on the stack, behind which
// registers are left unused.
func defIPCOpen(a *api, name, since string) {
	fn := a.define(name, since, wantsThread)
	fn.impl = func(out *uintptr, _, _, _, _, _, w0, w1, w2, w3, w4, w5, w6, w7 uintptr) uintptr {
		e := fn.enter()
		if e.run {
			words := [...]uintptr{w0, w1, w2, w3, w4, w5, w6, w7}
			e.result = e.face.ipcOpen(name, out, (*[host.DescriptorSize]byte)(unsafe.Pointer(&words)))
		}
		return e.leave()
	}
}
