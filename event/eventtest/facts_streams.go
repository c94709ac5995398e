package eventtest

import (
	"time"

	"github.com/gpuevent/gpuevent/hip"
)

var streamFacts = []fact{
	{"gpu-null-stream-asks-per-thread", func(p *probe) {
		const perThread = 2
		open := p.gate(perThread)
		p.code("query of the null stream while a per-thread one is busy", p.queryStream(0), notReadyCode)
		open()
		p.code("query afterwards", p.eventually(func() error { return p.queryStream(0) }), successCode)
	}},
	{"gpu-null-stream-ignores-non-blocking", func(p *probe) {
		open := p.gate(p.stream())
		p.code("query of the null stream while a non-blocking one is busy",
			p.soon(func() error { return p.queryStream(0) }), successCode)
		open()
	}},
	{"gpu-null-stream-asks-blocking", func(p *probe) {
		open := p.gate(p.blockingStream())
		p.code("query of the null stream while a blocking one is busy", p.queryStream(0), notReadyCode)
		open()
		p.code("query afterwards", p.eventually(func() error { return p.queryStream(0) }), successCode)
	}},
	{"cuda-default-handles", func(p *probe) {
		for handle, name := range []string{"null", "legacy", "per-thread"} {
			err := p.record(p.event(disableTiming), uintptr(handle))
			p.code("record on the "+name+" stream", err, successCode)
		}
	}},
	{"cuda-stream-destroy-returns", func(p *probe) {
		returned, err := p.destroyBusy(holdFor / 2)
		p.note(returned, "destruction of a busy stream returns at once: %v", returned)
		p.code("its result", err, successCode)
	}},
	{"amd-stream-destroy-waits", func(p *probe) {
		returned, err := p.destroyBusy(shortly)
		p.note(!returned, "destruction of a busy stream returns at once: %v", returned)
		p.code("its result", err, successCode)
	}},
	{"amd-legacy-handle", func(p *probe) {
		p.code("record on hipStreamLegacy", p.record(p.event(disableTiming), 1), successCode)
	}},
	{"amd-per-thread-handle", func(p *probe) {
		p.code("record on hipStreamPerThread", p.record(p.event(disableTiming), 2), successCode)
	}},
	{"amd-destroyed-stream-checked", func(p *probe) {
		s := p.destroyedStream()
		p.code("query of a destroyed stream", p.queryStream(s), destroyedCode)
	}},
	{"amd-wait-destroyed-stream", func(p *probe) {
		e := p.event(disableTiming)
		s := p.destroyedStream()
		p.code("wait of a destroyed stream", p.waitEvent(s, e, 0), invalidHandleCode)
	}},
	{"cuda-priorities", func(p *probe) { p.prioritiesAre(0, -1, -5) }},
	{"amd-priorities", func(p *probe) { p.prioritiesAre(1, -1, -1) }},
	{"amd-null-stream-flags", func(p *probe) {
		_, err := hip.StreamGetFlags(0)
		p.code("flags of the null stream", err, invalidValueCode)
	}},
}

// destroyBusy destroys a stream that is held up, and reports whether the call returns before the
// stream goes on.
func (p *probe) destroyBusy(within time.Duration) (bool, error) {
	s := p.stream()
	open := p.gate(s)
	p.gone[s] = true
	var err error
	returned, wait := p.returns(within, func() { err = p.destroyStream(s) })
	open()
	wait()
	return returned, err
}

// destroyedStream returns the handle of a destroyed stream. HIP checks it before version 7; from
// then on it follows the pointer, which must not be tried.
func (p *probe) destroyedStream() uintptr {
	p.only("to ask for a destroyed stream would be a use after free", before(7, 0))
	s := p.stream()
	p.gone[s] = true
	p.needs("destroy a stream", p.destroyStream(s))
	return s
}

// prioritiesAre wants a range that others are moved into. How high the highest is depends on the
// GPU.
func (p *probe) prioritiesAre(least, greatestAtMost, greatestAtLeast int32) {
	l, g, err := p.priorityRange()
	p.code("range of priorities", err, successCode)
	p.note(l == least && g <= greatestAtMost && g >= greatestAtLeast, "from %d to %d", l, g)
	for _, x := range []struct{ ask, get int32 }{{1000, l}, {-1000, g}} {
		s, err := p.createStream(1, x.ask)
		p.code("creation of a stream outside it", err, successCode)
		if err != nil {
			continue
		}
		got, err := p.priority(s)
		p.code("its priority", err, successCode)
		p.note(got == x.get, "%d became %d", x.ask, got)
		_ = p.destroyStream(s)
	}
}
