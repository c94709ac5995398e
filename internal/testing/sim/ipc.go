package sim

import "github.com/gpuevent/gpuevent/internal/host"

func (f *face) ipcGet(call string, out *[host.DescriptorSize]byte, h uintptr) code {
	if out == nil {
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
	case err == host.ErrNotIPC && f.hip():
		return invalidConfiguration
	case err != nil:
		return codeOf(err)
	}
	*out = d
	return success
}

func (f *face) ipcOpen(_ string, out *uintptr, handle *[host.DescriptorSize]byte) code {
	if out == nil || handle == nil {
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
	if d.Local() && !f.m.options.SameProcessIPC {
		return invalidContext
	}
	ev, err := c.engine.OpenEvent(d[:])
	if err != nil {
		return codeOf(err)
	}
	*out = f.newEvent(c, ev, eventInterprocess|eventDisableTiming)
	return success
}
