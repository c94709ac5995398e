package eventtest

import "github.com/gpuevent/gpuevent/hip"

var amdCaptureFacts = []fact{
	{"amd-captures-unguarded", func(p *probe) {
		s := p.stream()
		c := p.capture(s, relaxed)
		p.code("query of a captured stream", p.queryStream(s), successCode)
		p.code("end of the capture", c.finish(), successCode)
	}},
	{"amd-captures-unspoilt", func(p *probe) {
		s, other := p.stream(), p.idleStream()
		c := p.capture(s, global)
		_, _ = p.queryStream(s), p.queryStream(other) // refused by some releases
		p.code("end of a capture after queries", c.finish(), successCode)
	}},
	{"amd-failed-capture-stays", func(p *probe) {
		s, joined, e, at := p.stream(), p.stream(), p.event(disableTiming), p.hipMemory(8)
		fill := func(s uintptr) { p.needs("fill memory", hip.MemsetAsync(at, 0, 8, hip.Stream(s))) }
		c := p.capture(s, threadLocal)
		fill(s)
		p.needs("record an event", p.record(e, s))
		p.needs("join the capture", p.waitEvent(joined, e, 0))
		fill(joined)
		p.code("end of a capture with a stream that was not joined", c.finish(), unjoinedCode)
		for _, x := range []uintptr{s, joined} {
			status, err := p.capturing(x)
			p.needs("ask whether a stream captures", err)
			p.note(status == activeStatus, "status afterwards %d", status)
		}
		_, err := p.endCapture(s)
		p.code("end again", err, wrongThreadCode)
	}},
	{"amd-record-notes-stream", func(p *probe) {
		s, other := p.stream(), p.stream()
		e := p.recorded(s)
		p.needs("wait for an event", p.syncEvent(e))
		c := p.capture(s, relaxed)
		p.code("wait for an event whose last stream captures", p.waitEvent(other, e, 0), isolationCode)
		p.code("end of the capture", c.finish(), successCode)
		p.code("wait afterwards", p.waitEvent(other, e, 0), successCode)
	}},
	{"amd-stream-heeds-captures", func(p *probe) {
		other := p.idleStream()
		c := p.capture(p.stream(), global)
		p.inMode(global, func() {
			p.code("query of another stream", p.queryStream(other), unsupportedCode)
		})
		p.code("end of the capture", c.finish(), invalidatedCode, successCode)
	}},
	{"amd-relaxed-threads-heed", func(p *probe) {
		other := p.idleStream()
		c := p.capture(p.stream(), global)
		p.inMode(relaxed, func() {
			p.code("query of another stream in a relaxed thread", p.queryStream(other), unsupportedCode)
		})
		p.code("end of the capture", c.finish(), successCode)
	}},
	{"amd-global-capture-heeded-by-all", func(p *probe) {
		other := p.idleStream()
		c := p.capture(p.stream(), global)
		p.inMode(threadLocal, func() {
			p.code("query of another stream in a thread-local thread", p.queryStream(other), unsupportedCode)
		})
		p.code("end of the capture", c.finish(), invalidatedCode, successCode)
	}},
	{"amd-query-heeds-captures", func(p *probe) {
		e := p.doneEvent()
		c := p.capture(p.stream(), global)
		p.inMode(relaxed, func() {
			p.code("query of another stream's event in a relaxed thread", p.queryEvent(e), successCode)
		})
		p.inMode(global, func() { p.code("in a global one", p.queryEvent(e), unsupportedCode) })
		p.code("end of the capture", c.finish(), invalidatedCode)
	}},
	{"amd-event-heeds-modes", func(p *probe) {
		e := p.doneEvent()
		c := p.capture(p.stream(), global)
		p.inMode(threadLocal, func() {
			p.code("synchronize of another's event in a thread-local thread", p.syncEvent(e), successCode)
		})
		p.inMode(global, func() { p.code("in a global one", p.syncEvent(e), unsupportedCode) })
		p.code("end of the capture", c.finish(), invalidatedCode)
	}},
	{"amd-capture-asks-its-event", func(p *probe) {
		for _, q := range p.questions() {
			s, e := p.stream(), p.event(disableTiming)
			c := p.capture(s, relaxed)
			p.needs("record an event", p.record(e, s))
			p.code(q.what+" of a captured event", q.ask(e), capturedCode)
			p.code("end of the capture", c.finish(), invalidatedCode)
		}
	}},
	{"amd-capture-asks-noted-stream", func(p *probe) {
		for _, q := range p.questions() {
			s := p.stream()
			e := p.recorded(s)
			p.needs("wait for an event", p.syncEvent(e))
			c := p.capture(s, relaxed)
			p.code(q.what+" of an event from before the capture", q.ask(e), capturedCode)
			p.code("end of the capture", c.finish(), invalidatedCode)
		}
	}},
	{"amd-capture-sync-unsupported", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		c := p.capture(s, relaxed)
		p.needs("record an event", p.record(e, s))
		p.code("query of a captured event", p.queryEvent(e), successCode)
		p.code("synchronize", p.syncEvent(e), unsupportedCode)
		p.code("end of the capture", c.finish(), successCode)
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
		p.code("elapsed", p.elapsedError(e), invalidHandleCode)
		p.code("wait of a stream", p.waitEvent(p.stream(), e, 0), successCode)
	}},
	{"amd-spoilt-capture-records", func(p *probe) {
		s, e := p.stream(), p.event(0)
		c := p.capture(s, relaxed)
		p.spoil(s)
		p.code("record on a stream whose capture is spoilt", p.record(e, s), successCode)
		p.code("end of the capture", c.finish(), invalidatedCode)
		elapsed := p.eventually(func() error { return p.elapsedError(e) })
		p.code("elapsed", elapsed, successCode)
	}},
	{"amd-wait-captured-isolation", func(p *probe) {
		s := p.stream()
		e := p.recorded(s)
		p.needs("wait for an event", p.syncEvent(e))
		p.capture(s, relaxed)
		waiting := p.waitEvent(p.stream(), e, 0)
		p.code("wait of another stream for an event from before the capture", waiting, isolationCode)
	}},
	{"amd-wait-not-isolated", func(p *probe) {
		e, s := p.doneEvent(), p.stream()
		c := p.capture(s, relaxed)
		p.code("wait of a captured stream for an event from outside", p.waitEvent(s, e, 0), successCode)
		p.code("end of the capture", c.finish(), successCode)
	}},
	{"amd-null-stream-in-capture", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		p.capture(s, relaxed)
		p.needs("record an event", p.record(e, s))
		p.code("wait of the null stream for a captured event", p.waitEvent(0, e, 0), invalidHandleCode)
	}},
	{"amd-null-stream-status", func(p *probe) {
		p.capture(p.blockingStream(), relaxed)
		_, err := p.capturing(0)
		p.code("question whether the null stream captures while a blocking one does", err, implicitCode)
	}},
	{"amd-legacy-stream-in-capture", func(p *probe) {
		e := p.event(disableTiming)
		c := p.capture(p.blockingStream(), relaxed)
		p.code("record on the null stream while a blocking one captures", p.record(e, 0), successCode)
		err := hip.StreamAddCallback(0, func(hip.Stream, hip.Result) {}, 0)
		p.code("callback on the null stream", err, implicitCode)
		p.code("end of the capture", c.finish(), invalidatedCode)
		p.needs("wait for the null stream", p.syncStream(0))
	}},
	{"amd-callback-in-capture", func(p *probe) {
		s := p.stream()
		c := p.capture(s, relaxed)
		err := hip.StreamAddCallback(hip.Stream(s), func(hip.Stream, hip.Result) {}, 0)
		p.code("callback in a capture", err, unsupportedCode)
		p.code("end of the capture", c.finish(), invalidatedCode)
	}},
	{"amd-end-capture-unmatched", func(p *probe) {
		_, err := p.endCapture(p.stream())
		p.code("end of a capture that was not begun", err, unmatchedCode)
	}},
	{"amd-external-outside-capture", func(p *probe) {
		s, e := p.stream(), p.event(0)
		p.code("external record outside a capture", p.recordExternal(e, s), successCode)
		p.code("synchronize", p.syncEvent(e), successCode)
		p.code("elapsed", p.elapsedError(e), successCode)
	}},
	{"amd-external-record-marks", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		c := p.capture(s, relaxed)
		p.code("external record in a capture", p.recordExternal(e, s), successCode)
		p.code("query", p.queryEvent(e), capturedCode)
		p.code("end of the capture", c.finish(), invalidatedCode)
	}},
	{"amd-external-wait", func(p *probe) {
		e, s := p.doneEvent(), p.stream()
		c := p.capture(s, relaxed)
		p.code("external wait in a capture", p.waitEvent(s, e, 1), successCode)
		p.code("end of the capture", c.finish(), successCode)
	}},
	{"amd-external-runs-with-graph", func(p *probe) { p.runsWithGraph(p.recordExternal) }},
}

// question is a way to query an event.
type question struct {
	what string
	ask  func(e uintptr) error
}

func (p *probe) questions() []question {
	return []question{{"query", p.queryEvent}, {"synchronize", p.syncEvent}}
}

// idleStream makes a stream that has finished its work.
func (p *probe) idleStream() uintptr {
	s := p.stream()
	p.needs("wait for a stream", p.syncStream(s))
	return s
}

// doneEvent makes an event that is recorded on a stream of its own, and is done.
func (p *probe) doneEvent() uintptr {
	e := p.recorded(p.stream())
	p.needs("wait for an event", p.syncEvent(e))
	return e
}

// spoil invalidates the capture of s.
func (p *probe) spoil(s uintptr) {
	_ = p.queryStream(s)
	if status, err := p.capturing(s); err != nil || status != spoiltStatus {
		p.skip("no way was found to spoil a capture")
	}
}
