package main

import (
	"slices"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// Any handles do for calls below package event. They are not those of its objects: whoever asks for
// these may record and capture, which package event has to look for from then on.
const (
	rawEvent, rawStart, rawEnd = 0x1010, 0x1020, 0x1030
	rawStream                  = 0x1040
	createFlags                = 2 // no timing: what package event's own default is
	kernel, launchStream       = 1, 9
)

const defaultCurrent = "record on the default stream, context current"

// operations are the ways below package event to make each of its operations, but for its own.
type operations struct {
	record, recordDefault, pending, done, recordQuery, elapsed, wait, createDestroy,
	createRecordDestroy []way
}

// rows puts package event's own ways beside those of an API.
func (r *rig) rows(api string, o operations) []row {
	over := func(ns float64) *report.Target { return &report.Target{NS: ns, Over: report.Raw} }
	in := func(ns float64) *report.Target { return &report.Target{NS: ns} }
	record, query := tally{callRecord: 1}, tally{callQuery: 1}
	return []row{
		{api: api, name: "record", prepare: at(false, false), calls: record,
			ways: with(o.record, r.record(r.recorded, r.stream)), target: over(45)},
		{api: api, name: "record, stream's handle given out", prepare: at(false, false),
			calls: record, ways: with(o.record, r.record(r.onGiven, r.given)), target: over(70)},
		{api: api, name: "record on the default stream", prepare: at(false, false), calls: record,
			ways:   with(o.recordDefault, r.record(r.onDefault, r.device.DefaultStream())),
			target: over(70)},
		{api: api, name: defaultCurrent,
			prepare: at(false, true), calls: record,
			ways:   with(o.recordDefault, r.record(r.onDefault, r.device.DefaultStream())),
			target: over(70)},
		{api: api, name: "query, pending", prepare: at(true, false, r.recordPending), calls: query,
			ways: with(o.pending, r.query(r.pending, false)), target: over(32)},
		{api: api, name: "query, known to be done", prepare: at(false, false, r.noteDone),
			calls: query, event: &tally{}, ways: with(o.done, r.query(r.done, true)),
			target: in(8)},
		{api: api, name: "record + query, done", prepare: at(false, false),
			calls: tally{callRecord: 1, callQuery: 1},
			ways:  with(o.recordQuery, r.recordQuery())},
		{api: api, name: "elapsed", prepare: at(false, false), calls: tally{callElapsed: 1},
			ways: with(o.elapsed, r.elapsed()), target: over(35)},
		{api: api, name: "stream waits for event", prepare: at(true, false),
			calls: tally{callWait: 1}, ways: with(o.wait, r.wait()), target: over(40)},
		{api: api, name: "create + destroy", prepare: at(false, false),
			calls: tally{callCreate: 1, callDestroy: 1},
			ways:  with(o.createDestroy, r.createClose())},
		{api: api, name: "create + record + destroy", prepare: at(false, false),
			calls:  tally{callCreate: 1, callRecord: 1, callDestroy: 1},
			ways:   with(o.createRecordDestroy, r.createRecordClose()),
			target: in(250)},
	}
}

func with(ways []way, w way) []way { return append(slices.Clone(ways), w) }

const cuda, hipAPI = "CUDA", "HIP"

// allRows are all operations on both drivers. HIP's prototypes are CUDA's, so that the ways which
// differ in nothing but a name are measured once.
func allRows() ([]row, error) {
	c, err := newRig("cuda:0")
	if err != nil {
		return nil, err
	}
	h, err := newRig("hip:0")
	if err != nil {
		return nil, err
	}
	rows := c.rows(cuda, joined(inC(), cgoBinding().operations(), quietBinding().operations(),
		syscallNBinding().operations(), registerBinding().operations(),
		cudrvBinding().operations()))
	rows = append(rows, c.launchRows()...)
	amd := h.rows(hipAPI, joined(inC(), cgoBinding().operations(), hipBinding().operations()))
	amd = slices.DeleteFunc(amd, func(r row) bool { return r.name == defaultCurrent }) // always is
	return append(rows, amd...), nil
}

// joined puts several ways beside each other.
func joined(all ...operations) (o operations) {
	for _, one := range all {
		o.record = append(o.record, one.record...)
		o.recordDefault = append(o.recordDefault, one.recordDefault...)
		o.pending = append(o.pending, one.pending...)
		o.done = append(o.done, one.done...)
		o.recordQuery = append(o.recordQuery, one.recordQuery...)
		o.elapsed = append(o.elapsed, one.elapsed...)
		o.wait = append(o.wait, one.wait...)
		o.createDestroy = append(o.createDestroy, one.createDestroy...)
		o.createRecordDestroy = append(o.createRecordDestroy, one.createRecordDestroy...)
	}
	return o
}
