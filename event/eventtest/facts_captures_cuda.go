package eventtest

var cudaCaptureFacts = []fact{
	{"cuda-capture-modes", func(p *probe) {
		other := p.stream()
		e := p.recorded(other)
		p.needs("wait for a stream", p.syncStream(other))
		for _, x := range []probeCall{
			{"query of another stream", func() error { return p.queryStream(other) }},
			{"synchronize of another", func() error { return p.syncStream(other) }},
			{"query of its event", func() error { return p.queryEvent(e) }},
			{"synchronize of its event", func() error { return p.syncEvent(e) }},
		} {
			c := p.capture(p.stream(), global)
			p.inMode(relaxed, func() { p.code(x.what+" in a relaxed thread", x.call(), successCode) })
			p.inMode(threadLocal, func() { p.code("in a thread-local one", x.call(), successCode) })
			p.inMode(global, func() { p.code("in a global one", x.call(), unsupportedCode) })
			p.code("end of the capture", c.finish(), invalidatedCode)
		}
	}},
	{"cuda-legacy-stream-in-capture", func(p *probe) {
		e := p.event(disableTiming)
		for _, x := range []probeCall{
			{"record on", func() error { return p.record(e, 0) }},
			{"query of", func() error { return p.queryStream(0) }},
		} {
			c := p.capture(p.blockingStream(), relaxed)
			p.code(x.what+" the legacy stream while a blocking one captures", x.call(), implicitCode)
			p.code("end of the capture", c.finish(), invalidatedCode)
		}
	}},
	{"cuda-captured-event", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		c := p.capture(s, relaxed)
		p.needs("record an event", p.record(e, s))
		p.code("query of a captured event", p.queryEvent(e), capturedCode)
		p.code("end of the capture", c.finish(), successCode)
		p.code("query afterwards", p.queryEvent(e), capturedCode)
	}},
	{"cuda-captured-event-code", func(p *probe) {
		s, e := p.stream(), p.event(0)
		c := p.capture(s, relaxed)
		p.needs("record an event", p.record(e, s))
		p.code("synchronize of a captured event", p.syncEvent(e), capturedCode)
		p.code("elapsed", p.elapsedError(e), capturedCode)
		_ = c.finish()
		p.code("synchronize afterwards", p.syncEvent(e), invalidValueCode)
		p.code("elapsed", p.elapsedError(e), invalidValueCode)
	}},
	{"cuda-ipc-event-in-capture", func(p *probe) {
		s, e := p.stream(), p.shared()
		p.capture(s, relaxed)
		p.code("record of an Interprocess event in a capture", p.record(e, s), unsupportedCode)
	}},
	{"cuda-external-needs-capture", func(p *probe) {
		s := p.stream()
		p.code("external record outside a capture", p.recordExternal(p.event(0), s), invalidValueCode)
		p.code("external wait", p.waitEvent(s, p.recorded(s), 1), invalidValueCode)
	}},
	{"cuda-external-runs-with-graph", func(p *probe) { p.runsWithGraph(p.recordExternal) }},
}

// probeCall is one of several calls that a probe makes.
type probeCall struct {
	what string
	call func() error
}

// inMode calls f on another thread in a capture mode.
func (p *probe) inMode(mode captureMode, f func()) {
	p.elsewhere(func() {
		if previous, err := p.exchangeMode(uint32(mode)); err == nil {
			defer func() { _, _ = p.exchangeMode(previous) }()
		}
		f()
	})
}

// elapsedError returns the driver's answer for the time from an event to itself.
func (p *probe) elapsedError(e uintptr) error {
	_, err := p.elapsed(e, e)
	return err
}

// runsWithGraph wants a record in a capture to be a node that records the event at each launch.
func (p *probe) runsWithGraph(record func(e, s uintptr) error) {
	s, e := p.stream(), p.event(0)
	p.needs("begin a capture", p.beginCapture(s, uint32(relaxed)))
	recorded := record(e, s)
	graph, err := p.endCapture(s)
	if err == nil {
		p.later(func() { _ = p.destroyGraph(graph) })
	}
	p.code("record in a capture", recorded, successCode)
	p.code("end of the capture", err, successCode)
	exec, err := p.instantiate(graph)
	p.needs("instantiate a graph", err)
	p.later(func() { _ = p.destroyExec(exec) })
	p.code("elapsed before a launch", p.elapsedError(e), invalidHandleCode)
	p.needs("launch a graph", p.launch(exec, s))
	p.code("synchronize after it", p.syncEvent(e), successCode)
	p.code("elapsed", p.elapsedError(e), successCode)
}
