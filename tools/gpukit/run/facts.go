package main

import (
	"cmp"
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

// factsOf compares a device's driver with docs/driver-facts.md, a copy of which is in the kit.
func factsOf(d *event.Device, file string) ([]report.Fact, error) {
	if d.IsHost() {
		return nil, fmt.Errorf("%w: the host has no driver to ask", errNotPossible)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	page := facts.Read(string(text))
	results := eventtest.Facts(d)
	vendor := vendorOf(d, results)
	release, err := releaseOf(vendor)
	if err != nil {
		return nil, err
	}
	var all []report.Fact
	for _, r := range results {
		f := answer(r, page[r.ID], vendor, release)
		f.Device = d.String()
		all = append(all, f)
	}
	return all, nil
}

// releaseOf returns the release of a vendor's driver, "" if it is unknown: chipStar 1.1 to 1.3 all
// report 1.1.0.
func releaseOf(vendor string) (string, error) {
	switch vendor {
	case "CUDA":
		v, err := cudrv.DriverVersion()
		return v.String(), err
	case chipStar:
		return "", nil
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
			cmp.Or(release, "this release of "+vendor), r.Saw)
	}
	return f
}
