package eventtest

import "github.com/gpuevent/gpuevent/hip"

// chipFacts are about HIP on a CPU.
var chipFacts = []fact{
	{"chip-is-capturing-unsupported", func(p *probe) {
		_, err := p.capturing(p.stream())
		p.code("question whether a stream captures", err, notSupportedCode)
	}},
	{"chip-ipc-unsupported", func(p *probe) {
		_, err := p.ipcGet(p.shared())
		p.code("export of an event", err, notSupportedCode)
	}},
	{"chip-unrecorded-not-ready", func(p *probe) {
		e := p.event(disableTiming)
		p.code("query of an event that was never recorded", p.queryEvent(e), notReadyCode)
	}},
	{"chip-capturing-stream-code", func(p *probe) {
		s := p.stream()
		p.capture(s, relaxed)
		p.code("query of a captured stream", p.queryStream(s), invalidatedCode)
	}},
	{"chip-captured-record-is-node", func(p *probe) { p.runsWithGraph(p.record) }},
	{"chip-event-flags-unchecked", func(p *probe) { p.creates("unknown flags", 1<<20, successCode) }},
	{"chip-destroyed-stream-checked", func(p *probe) {
		s := p.stream()
		p.gone[s] = true
		p.needs("destroy a stream", p.destroyStream(s))
		p.code("query of a destroyed stream", p.queryStream(s), destroyedCode)
	}},
	{"chip-priorities", func(p *probe) {
		least, greatest, err := p.priorityRange()
		p.code("range of priorities", err, successCode)
		p.note(least == 1 && greatest == 0, "from %d to %d", least, greatest)
	}},
	{"chip-driver-version", func(p *probe) {
		v, err := hip.DriverGetVersion()
		p.code("version of the driver", err, successCode)
		p.note(v == 4, "%d", v)
	}},
	{"chip-missing-symbols", func(p *probe) {
		p.has("hipEventRecordWithFlags", hip.Has("hipEventRecordWithFlags"), false)
		p.has("hipStreamGetId", hip.Has("hipStreamGetId"), false)
	}},
}
