package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/tools/gpukit/facts"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// askFacts compares a device's driver with docs/driver-facts.md, a copy of which is in the kit.
func askFacts(device, file string) ([]report.Fact, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d, err := event.Open(device)
	if err != nil {
		return nil, err
	}
	if d.IsHost() {
		return nil, fmt.Errorf("%w: the host has no driver to ask", errNotPossible)
	}
	release, err := releaseOf(d)
	if err != nil {
		return nil, err
	}
	page := facts.Read(string(text))
	results := eventtest.Facts(d)
	vendor := vendorOf(d, results)
	var all []report.Fact
	for _, r := range results {
		f := answer(r, page[r.ID], vendor, release)
		f.Device = d.String()
		all = append(all, f)
	}
	return all, nil
}

// releaseOf returns the release of a device's driver.
func releaseOf(d *event.Device) (string, error) {
	if d.Backend() == event.CUDA {
		v, err := cudrv.DriverVersion()
		return v.String(), err
	}
	v, err := hip.RuntimeVersion()
	return v.String(), err
}

// chipStar is HIP on a CPU.
const chipStar = "chipStar"

// vendorOf names the maker of the driver as the page does. Facts of chipStar are asked of no other.
func vendorOf(d *event.Device, results []eventtest.FactResult) string {
	if d.Backend() == event.CUDA {
		return "CUDA"
	}
	if slices.ContainsFunc(results, func(r eventtest.FactResult) bool {
		return strings.HasPrefix(r.ID, "chip-") && r.Outcome != eventtest.NotApplicable
	}) {
		return chipStar
	}
	return "AMD"
}

// answer is what a probe's result says about a fact: a driver that does otherwise confirms a fact
// of other releases, and one that does the same does not.
func answer(r eventtest.FactResult, row facts.Row, vendor, release string) report.Fact {
	f := report.Fact{ID: r.ID, Saw: r.Saw}
	is := row.Is(vendor, release)
	if vendor == chipStar && !strings.HasPrefix(r.ID, "chip-") {
		is = facts.Unclear // some of AMD's hold there too
	}
	switch {
	case r.Outcome == eventtest.NotApplicable:
		f.Answer = report.NotAskable
	case r.Outcome == eventtest.Confirmed && is == facts.No:
		f.Answer = report.Differs
		f.Saw = fmt.Sprintf("it is so here too, and the fact is about %s: %s", row.About, r.Saw)
	case r.Outcome == eventtest.Confirmed:
		f.Answer = report.Confirmed
	case is == facts.Yes:
		f.Answer = report.Differs
	case is == facts.No:
		f.Answer, f.Saw = report.NotAskable, "the fact is about "+row.About
	default:
		f.Answer = report.NotAskable
		f.Saw = fmt.Sprintf("the fact is about %s, and whether %s is one is not known: %s", row.About,
			release, r.Saw)
	}
	return f
}
