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
		p.code("query of an event that was never recorded", p.queryEvent(p.event(disableTiming)), notReadyCode)
	}},
	{"chip-missing-symbols", func(p *probe) {
		p.has("hipEventRecordWithFlags", hip.Has("hipEventRecordWithFlags"), false)
	}},
}
