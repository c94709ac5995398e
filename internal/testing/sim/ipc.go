package sim

import "github.com/gpuevent/gpuevent/internal/host"

func (f *face) ipcGet(call string, out *[host.DescriptorSize]byte, h uintptr) code {
	switch {
	case f.plays(chipIPCUnsupported):
		return notSupported
	case out == nil, h == 0 && f.plays(amdIPCNullEvent):
		return invalidValue
	}
	e, fault := f.event(call, h)
	if fault != success {
		return fault
	}
	if c := e.context.failed(); c != success {
		return c
	}
	d, err := e.event.Descriptor()
	switch {
	case err == host.ErrNotIPC && e.flags&eventInterprocess != 0:
		return notSupported
	case err == host.ErrNotIPC && f.plays(amdIPCNotShared):
		return invalidConfiguration
	case err != nil:
		return codeOf(err)
	}
	*out = d
	return success
}

func (f *face) ipcOpen(_ string, out *uintptr, handle *[host.DescriptorSize]byte) code {
	switch {
	case f.plays(chipIPCUnsupported):
		return notSupported
	case out == nil || handle == nil:
		return invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return fault
	}
	d, err := host.ParseDescriptor(handle[:])
	if err != nil {
		return codeOf(err)
	}
	if d.Local() && f.plays(gpuIPCSameProcess) && !f.m.options.SameProcessIPC {
		return invalidContext
	}
	ev, err := c.engine.OpenEvent(d[:])
	if err != nil {
		return codeOf(err)
	}
	*out = f.newEvent(c, ev, eventInterprocess|eventDisableTiming)
	return success
}
