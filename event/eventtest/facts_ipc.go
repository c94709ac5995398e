package eventtest

import "github.com/gpuevent/gpuevent/hip"

var ipcFacts = []fact{
	{"gpu-ipc-same-process", func(p *probe) {
		handle, err := p.ipcGet(p.shared())
		p.needs("export an event", err)
		e, err := p.ipcOpen(handle)
		p.code("import of one's own event", err, invalidContextCode)
		if err == nil {
			_ = p.destroyEvent(e)
		}
	}},
	{"amd-ipc-orders-nothing", func(p *probe) {
		s, e, waiting := p.stream(), p.shared(), p.stream()
		_, err := p.ipcGet(e)
		p.needs("export an event", err)
		open := p.gate(s)
		p.needs("record an event", p.record(e, s))
		p.code("query of a pending Interprocess event", p.queryEvent(e), successCode)
		p.code("wait of a stream for it", p.waitEvent(waiting, e, 0), successCode)
		after := p.recorded(waiting)
		p.code("query behind the wait", p.soon(func() error { return p.queryEvent(after) }), successCode)
		open()
	}},
	{"amd-ipc-destroy-waits", func(p *probe) {
		e := p.shared()
		s := p.stream()
		p.needs("record an event", p.record(e, s))
		p.needs("wait for an event", p.syncEvent(e))
		_, err := hip.IpcGetEventHandle(hip.Event(e))
		p.needs("export an event", err)
		open := p.gate(p.stream())
		p.gone[e] = true
		returned, wait := p.returns(shortly, func() { err = p.destroyEvent(e) })
		open()
		wait()
		p.note(!returned, "destruction returns while another stream is busy: %v", returned)
		p.code("its result", err, successCode)
	}},
	{"amd-ipc-null-event", func(p *probe) {
		_, err := hip.IpcGetEventHandle(0)
		p.code("export of a null event", err, invalidValueCode)
	}},
	{"amd-ipc-not-shared", func(p *probe) { p.exportsPlain(9) }},
	{"cuda-ipc-not-shared", func(p *probe) { p.exportsPlain(invalidHandleCode) }},
}

// shared makes an event for other processes.
func (p *probe) shared() uintptr { return p.event(interprocess | disableTiming) }

// exportsPlain wants a result from exporting an event that is not Interprocess.
func (p *probe) exportsPlain(want int32) {
	_, err := p.ipcGet(p.event(disableTiming))
	p.code("export of an event that is not Interprocess", err, want)
}
