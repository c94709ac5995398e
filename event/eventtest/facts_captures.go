package eventtest

var captureFacts = []fact{
	{"gpu-legacy-stream-in-capture", func(p *probe) {
		e := p.event(disableTiming)
		p.code("capture of the legacy stream", p.beginCapture(0, uint32(relaxed)), unsupportedCode, implicitCode)
		p.capture(p.blockingStream(), relaxed)
		p.code("record on the legacy stream while a blocking one captures", p.record(e, 0), implicitCode)
	}},
	{"gpu-capture-modes", func(p *probe) {
		other := p.stream()
		p.needs("wait for a stream", p.syncStream(other))
		c := p.capture(p.stream(), global)
		var lax, strict error
		p.elsewhere(func() {
			if mode, err := p.exchangeMode(uint32(relaxed)); err == nil {
				lax = p.queryStream(other)
				_, _ = p.exchangeMode(mode)
			}
			strict = p.queryStream(other)
		})
		p.code("query of another stream in a relaxed thread", lax, successCode)
		p.code("in a global one", strict, unsupportedCode)
		p.code("end of the capture", c.finish(), invalidatedCode)
	}},
	{"gpu-capture-mode-per-thread", func(p *probe) {
		_, err := p.exchangeMode(uint32(relaxed))
		p.needs("change the capture mode", err)
		mode := uint32(99)
		p.elsewhere(func() {
			if mode, err = p.exchangeMode(uint32(global)); err == nil {
				_, err = p.exchangeMode(mode)
			}
		})
		p.code("change on another thread", err, successCode)
		p.note(mode == uint32(global), "mode there %d", mode)
		mode, err = p.exchangeMode(uint32(global))
		p.code("change back", err, successCode)
		p.note(mode == uint32(relaxed), "mode here %d", mode)
	}},
	{"gpu-wait-joins-capture", func(p *probe) {
		s, other, e, back := p.stream(), p.stream(), p.event(disableTiming), p.event(disableTiming)
		c := p.capture(s, relaxed)
		p.code("record on the capturing stream", p.record(e, s), successCode)
		p.code("wait of another", p.waitEvent(other, e, 0), successCode)
		status, err := p.capturing(other)
		p.code("question whether that captures", err, successCode)
		p.note(status == 1, "status %d", status)
		p.code("record there", p.record(back, other), successCode)
		p.code("wait for it", p.waitEvent(s, back, 0), successCode)
		p.code("end of the capture", c.finish(), successCode)
	}},
	{"cuda-captured-event-query", func(p *probe) {
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
		elapsed := func() error {
			_, err := p.elapsed(e, e)
			return err
		}
		p.code("synchronize of a captured event", p.syncEvent(e), capturedCode)
		p.code("elapsed", elapsed(), capturedCode)
		_ = c.finish()
		p.code("synchronize afterwards", p.syncEvent(e), invalidValueCode)
		p.code("elapsed", elapsed(), invalidValueCode)
	}},
	{"amd-capture-asks-its-event", func(p *probe) {
		for what, ask := range p.questions() {
			s, e := p.stream(), p.event(disableTiming)
			c := p.capture(s, relaxed)
			p.needs("record an event", p.record(e, s))
			p.code(what+" of a captured event", ask(e), capturedCode)
			p.code("end of the capture", c.finish(), invalidatedCode)
		}
	}},
	{"amd-capture-asks-noted-stream", func(p *probe) {
		for what, ask := range p.questions() {
			s := p.stream()
			e := p.recorded(s)
			p.needs("wait for an event", p.syncEvent(e))
			c := p.capture(s, relaxed)
			p.code(what+" of an event from before the capture", ask(e), capturedCode)
			p.code("end of the capture", c.finish(), invalidatedCode)
		}
	}},
	{"amd-captured-event-succeeds", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		c := p.capture(s, relaxed)
		p.needs("record an event", p.record(e, s))
		p.code("query of a captured event", p.queryEvent(e), successCode)
		p.code("end of the capture", c.finish(), successCode)
	}},
	{"amd-captured-event-forgotten", func(p *probe) {
		s, e := p.stream(), p.event(0)
		c := p.capture(s, relaxed)
		p.needs("record an event", p.record(e, s))
		p.code("end of the capture", c.finish(), successCode)
		p.code("query afterwards", p.queryEvent(e), successCode)
		_, err := p.elapsed(e, e)
		p.code("elapsed", err, invalidHandleCode)
	}},
	{"amd-null-stream-in-capture", func(p *probe) {
		e := p.event(disableTiming)
		p.capture(p.stream(), relaxed)
		p.code("record on the null stream while a non-blocking one captures", p.record(e, 0), implicitCode, unsupportedCode)
	}},
	{"amd-wait-captured-isolation", func(p *probe) {
		s := p.stream()
		e := p.recorded(s)
		p.needs("wait for an event", p.syncEvent(e))
		p.capture(s, relaxed)
		p.code("wait of another stream for an event from before the capture", p.waitEvent(p.stream(), e, 0), isolationCode)
	}},
	{"amd-wait-captured-noop", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		c := p.capture(s, relaxed)
		p.needs("record an event", p.record(e, s))
		p.code("end of the capture", c.finish(), successCode)
		p.code("wait of another stream afterwards", p.waitEvent(p.stream(), e, 0), successCode)
	}},
	{"cuda-external-needs-capture", func(p *probe) {
		s := p.stream()
		p.code("external record outside a capture", p.recordExternal(p.event(0), s), invalidValueCode)
		p.code("external wait", p.waitEvent(s, p.recorded(s), 1), invalidValueCode)
	}},
	{"amd-external-outside-capture", func(p *probe) {
		s, e := p.stream(), p.event(0)
		p.code("external record outside a capture", p.recordExternal(e, s), successCode)
		p.code("synchronize", p.syncEvent(e), successCode)
		_, err := p.elapsed(e, e)
		p.code("elapsed", err, successCode)
	}},
	{"cuda-external-runs-with-graph", (*probe).externalRunsWithGraph},
	{"amd-external-runs-with-graph", (*probe).externalRunsWithGraph},
}

// questions are the ways to ask for an event.
func (p *probe) questions() map[string]func(uintptr) error {
	return map[string]func(uintptr) error{"query": p.queryEvent, "synchronize": p.syncEvent}
}

func (p *probe) externalRunsWithGraph() {
	s, e := p.stream(), p.event(0)
	p.needs("begin a capture", p.beginCapture(s, uint32(relaxed)))
	recorded := p.recordExternal(e, s)
	graph, err := p.endCapture(s)
	if err == nil {
		p.later(func() { _ = p.destroyGraph(graph) })
	}
	p.code("external record in a capture", recorded, successCode)
	p.code("end of the capture", err, successCode)
	exec, err := p.instantiate(graph)
	p.needs("instantiate a graph", err)
	p.later(func() { _ = p.destroyExec(exec) })
	_, err = p.elapsed(e, e)
	p.code("elapsed before a launch", err, invalidHandleCode)
	p.needs("launch a graph", p.launch(exec, s))
	p.code("synchronize after it", p.syncEvent(e), successCode)
	_, err = p.elapsed(e, e)
	p.code("elapsed", err, successCode)
}
