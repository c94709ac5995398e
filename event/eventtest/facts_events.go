package eventtest

import (
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

var eventFacts = []fact{
	{"gpu-unrecorded-succeeds", func(p *probe) {
		s, e := p.stream(), p.event(0)
		p.code("query of an event that was never recorded", p.queryEvent(e), successCode)
		p.code("synchronize", p.syncEvent(e), successCode)
		p.code("wait of a stream", p.waitEvent(s, e, 0), successCode)
	}},
	{"gpu-null-event", func(p *probe) {
		s := p.stream()
		p.code("query of a null event", p.queryEvent(0), invalidHandleCode)
		p.code("synchronize", p.syncEvent(0), invalidHandleCode)
		p.code("record", p.record(0, s), invalidHandleCode)
		p.code("destroy", p.destroyEvent(0), invalidHandleCode)
	}},
	{"gpu-elapsed-codes", func(p *probe) {
		s := p.stream()
		timed, untimed, unrecorded, late := p.event(0), p.recorded(s), p.event(0), p.event(0)
		p.needs("record an event", p.record(timed, s))
		p.needs("wait for a stream", p.syncStream(s))
		elapsed := func(start, end uintptr) error {
			_, err := p.elapsed(start, end)
			return err
		}
		p.code("elapsed to an untimed event", elapsed(timed, untimed), invalidHandleCode)
		p.code("to an unrecorded one", elapsed(timed, unrecorded), invalidHandleCode)
		open := p.gate(s)
		p.needs("record an event", p.record(late, s))
		p.code("to a pending one", elapsed(timed, late), notReadyCode)
		open()
		p.needs("wait for a stream", p.syncStream(s))
		p.code("once it is done", elapsed(timed, late), successCode)
	}},
	{"gpu-rerecord-keeps-waits", func(p *probe) {
		held, idle, waiting := p.stream(), p.stream(), p.stream()
		open := p.gate(held)
		e := p.recorded(held)
		p.needs("have a stream wait", p.waitEvent(waiting, e, 0))
		after := p.recorded(waiting)
		p.needs("record an event again", p.record(e, idle))
		again := func() error { return p.queryEvent(e) }
		p.code("query of the new record", p.soon(again), successCode)
		p.code("query behind the wait for the old one", p.queryEvent(after), notReadyCode)
		open()
		p.code("and then", p.eventually(func() error { return p.queryEvent(after) }), successCode)
	}},
	{"gpu-destroy-pending-event", func(p *probe) {
		s, waiting := p.stream(), p.stream()
		open := p.gate(s)
		e := p.recorded(s)
		p.needs("have a stream wait", p.waitEvent(waiting, e, 0))
		after := p.recorded(waiting)
		p.gone[e] = true
		var err error
		returned, wait := p.returns(holdFor/2, func() { err = p.destroyEvent(e) })
		p.note(returned, "destruction of a pending event returns at once: %v", returned)
		p.code("query behind a wait for it", p.queryEvent(after), notReadyCode)
		open()
		wait()
		p.code("result of the destruction", err, successCode)
		p.code("and then", p.eventually(func() error { return p.queryEvent(after) }), successCode)
	}},
	{"cuda-by-handle-without-context", func(p *probe) {
		s, a, b := p.stream(), p.event(0), p.event(0)
		doomed, doomedStream := p.event(disableTiming), p.stream()
		p.gone[doomed], p.gone[doomedStream] = true, true
		p.withoutContext(func() {
			p.code("record without a current context", p.record(a, s), successCode)
			p.code("record", p.record(b, s), successCode)
			p.code("synchronize", p.syncEvent(b), successCode)
			p.code("query", p.queryEvent(b), successCode)
			_, err := p.elapsed(a, b)
			p.code("elapsed", err, successCode)
			p.code("wait of a stream", p.waitEvent(s, b, 0), successCode)
			p.code("query of a stream", p.eventually(func() error { return p.queryStream(s) }), successCode)
			p.code("destruction of an event", p.destroyEvent(doomed), successCode)
			p.code("of a stream", p.destroyStream(doomedStream), successCode)
		})
	}},
	{"cuda-create-needs-context", func(p *probe) {
		p.withoutContext(func() {
			e, err := p.createEvent(disableTiming)
			p.code("creation of an event without a current context", err, invalidContextCode)
			if err == nil {
				_ = p.destroyEvent(e)
			}
			s, err := p.createStream(1, 0)
			p.code("of a stream", err, invalidContextCode)
			if err == nil {
				_ = p.destroyStream(s)
			}
			p.code("query of the null stream", p.queryStream(0), invalidContextCode)
		})
	}},
	{"cuda-record-across-contexts", func(p *probe) {
		s := p.stream()
		device, err := cudrv.CtxGetDevice()
		p.needs("ask for the device", err)
		context, err := cudrv.CtxCreate(0, device)
		p.needs("create a context", err)
		e, createErr := p.createEvent(0)
		recordErr := p.record(e, s)
		destroyErr := cudrv.CtxDestroy(context) // makes ours current again, and destroys the event
		p.needs("create an event", createErr)
		p.needs("destroy a context", destroyErr)
		p.code("record of an event on another context's stream", recordErr, invalidHandleCode)
	}},
	{"amd-event-lock", func(p *probe) {
		s := p.stream()
		open := p.gate(s)
		e := p.recorded(s)
		_, wait := p.returns(0, func() { _ = p.syncEvent(e) })
		blocked := false
		// The synchronize may not have the lock yet.
		for began := time.Now(); !blocked && time.Since(began) < holdFor/4; {
			var returned bool
			returned, _ = p.returns(shortly, func() { _ = p.queryEvent(e) })
			blocked = !returned
		}
		open()
		wait()
		p.note(blocked, "a query waits for another thread's synchronize: %v", blocked)
	}},
	{"amd-release-flags", func(p *probe) {
		device, system := uint32(hip.EventReleaseToDevice), uint32(hip.EventReleaseToSystem)
		p.creates("ReleaseToDevice", device, successCode)
		p.creates("ReleaseToSystem", system, successCode)
		p.creates("both", device|system, invalidValueCode)
	}},
	{"amd-system-fence-flag", func(p *probe) {
		p.creates("DisableSystemFence", uint32(hip.EventDisableSystemFence), successCode)
	}},
	{"gpu-interprocess-untimed", func(p *probe) {
		p.creates("Interprocess and DisableTiming", interprocess|disableTiming, successCode)
		p.creates("Interprocess alone", interprocess, invalidValueCode)
	}},
	{"amd-interprocess-alone", func(p *probe) {
		p.creates("Interprocess alone", interprocess, successCode)
	}},
	{"amd-double-destroy-checked", func(p *probe) {
		p.only("to destroy an event twice would be a use after free", from(5, 6))
		e, err := p.createEvent(disableTiming)
		p.needs("create an event", err)
		p.needs("destroy an event", p.destroyEvent(e))
		p.code("destroying it again", p.destroyEvent(e), destroyedCode)
	}},
}

// creates wants a result from creating an event.
func (p *probe) creates(flags string, f uint32, want int32) {
	e, err := p.createEvent(f)
	p.code("creation with "+flags, err, want)
	if err == nil {
		_ = p.destroyEvent(e)
	}
}

// withoutContext runs f while the thread has no current context.
func (p *probe) withoutContext(f func()) {
	context, err := cudrv.CtxGetCurrent()
	p.needs("ask for the current context", err)
	for {
		now, err := cudrv.CtxGetCurrent()
		p.needs("ask for the current context", err)
		if now == 0 {
			break
		}
		p.needs("leave the context", cudrv.CtxSetCurrent(0))
	}
	defer func() { _ = cudrv.CtxSetCurrent(context) }()
	f()
}
