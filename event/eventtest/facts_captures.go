package eventtest

var captureFacts = []fact{
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
	{"gpu-legacy-stream-is-not-captured", func(p *probe) {
		p.code("capture of the legacy stream", p.beginCapture(0, uint32(relaxed)), unsupportedCode)
	}},
}
