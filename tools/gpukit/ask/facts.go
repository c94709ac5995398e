package main

import (
	"fmt"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// answers are what the outcomes of probes are in a report.
var answers = map[eventtest.Outcome]report.Answer{
	eventtest.Confirmed:     report.Confirmed,
	eventtest.Contradicted:  report.Differs,
	eventtest.NotApplicable: report.NotAskable,
}

// facts compares a device's driver with docs/driver-facts.md.
func facts(device string) ([]report.Fact, error) {
	d, err := event.Open(device)
	if err != nil {
		return nil, err
	}
	if d.IsHost() {
		return nil, fmt.Errorf("%w: the host has no driver to ask", errNotPossible)
	}
	var all []report.Fact
	for _, r := range eventtest.Facts(d) {
		all = append(all, report.Fact{Device: d.String(), ID: r.ID, Answer: answers[r.Outcome],
			Saw: r.Saw})
	}
	return all, nil
}
