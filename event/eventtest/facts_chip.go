package eventtest

import (
	"strings"

	"github.com/gpuevent/gpuevent/hip"
)

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
	{"chip-captures-run-at-once", func(p *probe) {
		s, e := p.stream(), p.event(disableTiming)
		c := p.capture(s, relaxed)
		p.needs("record in a capture", p.record(e, s))
		p.code("query of the event in the capture", p.soon(func() error { return p.queryEvent(e) }),
			successCode)
		graph, err := p.endCapture(s)
		p.needs("end the capture", err)
		c.ended = true
		p.later(func() { _ = p.destroyGraph(graph) })
	}},
	{"chip-release-flags", func(p *probe) {
		both := uint32(hip.EventReleaseToDevice | hip.EventReleaseToSystem)
		p.creates("both release flags", both, successCode)
		p.creates("unknown flags", 1<<20, invalidValueCode)
	}},
	{"chip-stream-query-wrong", func(p *probe) {
		s := p.stream()
		e := p.recorded(s)
		p.needs("reach the record", p.soon(func() error { return p.queryEvent(e) }))
		const times = 1000
		busy := 0
		for range times {
			if codeIn(p.queryStream(s)) == notReadyCode {
				busy++
			}
		}
		p.note(busy > 0, "%d of %d queries of an idle stream gave %d", busy, times, notReadyCode)
	}},
	{"chip-no-architecture", func(p *probe) {
		d, err := hip.GetDevice()
		p.needs("get the device", err)
		properties, err := hip.GetDeviceProperties(int32(d))
		p.code("properties of the device", err, successCode)
		name := properties.GcnArchNameString()
		p.note(!strings.HasPrefix(name, "gfx"), "the architecture is %q", name)
	}},
	{"chip-destroyed-stream-checked", func(p *probe) {
		s := p.stream()
		p.gone[s] = true
		p.needs("destroy a stream", p.destroyStream(s))
		p.code("query of a destroyed stream", p.queryStream(s), destroyedCode)
	}},
	{"chip-priorities", func(p *probe) {
		least, greatest, err := p.priorityRange()
		p.code("range of priorities", err, successCode)
		p.note(least == 2 && greatest == 0, "from %d to %d", least, greatest)
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
