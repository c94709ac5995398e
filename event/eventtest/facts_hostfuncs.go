package eventtest

import (
	"sync/atomic"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

var hostFuncFacts = []fact{
	{"gpu-hostfunc-in-order", func(p *probe) {
		s := p.stream()
		open := p.gate(s)
		var first, second atomic.Bool
		p.enqueue(s, func() { first.Store(true) })
		p.enqueue(s, func() { second.Store(first.Load()) })
		e := p.recorded(s)
		p.note(!first.Load(), "ran before earlier work: %v", first.Load())
		p.code("query of an event behind them", p.queryEvent(e), notReadyCode)
		open()
		p.code("synchronize", p.syncEvent(e), successCode)
		p.note(first.Load() && second.Load(), "both ran in order before the event: %v", second.Load())
	}},
	{"gpu-hostfunc-in-graph", func(p *probe) {
		s := p.stream()
		var ran atomic.Int32
		p.needs("begin a capture", p.beginCapture(s, uint32(relaxed)))
		err := p.registered(s, func() { ran.Add(1) })
		graph, endErr := p.endCapture(s)
		if endErr == nil {
			p.later(func() { _ = p.destroyGraph(graph) })
		}
		p.code("host function in a capture", err, successCode)
		p.code("end of the capture", endErr, successCode)
		if err != nil || endErr != nil {
			return
		}
		exec, err := p.instantiate(graph)
		p.needs("instantiate a graph", err)
		p.later(func() { _ = p.destroyExec(exec) })
		p.note(ran.Load() == 0, "calls before a launch: %d", ran.Load())
		for range 2 {
			p.needs("launch a graph", p.launch(exec, s))
			p.needs("wait for a stream", p.syncStream(s))
		}
		p.note(ran.Load() == 2, "after two: %d", ran.Load())
	}},
	{"cuda-hostfunc-no-api", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		inside := make(chan error, 1)
		p.enqueue(s, func() { inside <- p.queryEvent(e) })
		p.needs("wait for a stream", p.syncStream(s))
		p.code("query in a host function", <-inside, notPermittedCode)
	}},
	{"amd-hostfunc-missing", func(p *probe) {
		p.has("hipLaunchHostFunc", hip.Has("hipLaunchHostFunc"), false)
	}},
}

// enqueue makes the stream call f.
func (p *probe) enqueue(s uintptr, f func()) {
	err := p.hostFunc(s, f)
	if codeIn(err) == missingCode {
		p.skip("enqueue a host function: %v", err)
	}
	p.needs("enqueue a host function", err)
}

// registered captures a host function that a graph may call any number of times until the probe
// ends.
func (p *probe) registered(s uintptr, f func()) error {
	if c, ok := p.calls.(cudaCalls); ok {
		fn := cudrv.NewHostFn(f)
		p.later(fn.Release)
		return c.inside(func() error { return cudrv.LaunchHostFuncRef(cudrv.Stream(s), fn) })
	}
	fn := hip.NewHostFn(f)
	p.later(fn.Release)
	return hip.LaunchHostFuncRef(hip.Stream(s), fn)
}

// has notes whether the library has a function.
func (p *probe) has(symbol string, has, want bool) {
	p.note(has == want, "the library has %s: %v", symbol, has)
}
