//go:build !amd64 || windows

package sim

import "github.com/gpuevent/gpuevent/internal/host"

// defIPCOpen defines f(handle *out, struct of 64 bytes by value): the ABIs of arm64 and Windows pass a reference to a copy.
func defIPCOpen(a *api, name, since string) {
	fn := a.define(name, since, wantsThread)
	fn.impl = func(out *uintptr, handle *[host.DescriptorSize]byte) uintptr {
		e := fn.enter()
		if e.run {
			e.result = e.face.ipcOpen(name, out, handle)
		}
		return e.leave()
	}
}
