package sim

import "github.com/gpuevent/gpuevent/internal/host"

func (f *face) ipcGet(call string, out *descriptor, h uintptr) code {
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
	switch {
	case e.shared == nil && e.flags&eventInterprocess != 0:
		return notSupported
	case e.shared == nil && f.plays(amdIPCNotShared):
		return invalidConfiguration
	case e.shared == nil, !e.shared.exporter:
		return invalidHandle
	}
	e.exported.Store(true)
	*out = e.shared.descriptor()
	return success
}

func (f *face) ipcOpen(_ string, out *uintptr, d *descriptor) code {
	switch {
	case f.plays(chipIPCUnsupported):
		return notSupported
	case out == nil || d == nil:
		return invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return fault
	}
	if d.valid() && d.local() && f.plays(gpuIPCSameProcess) && !f.m.options.SameProcessIPC {
		return invalidContext
	}
	shared, err := importEvent(*d)
	if err != nil {
		return codeOf(err)
	}
	ev := c.engine.NewEvent(host.EventOptions{})
	*out = f.newEvent(c, ev, shared, eventInterprocess|eventDisableTiming)
	return success
}
