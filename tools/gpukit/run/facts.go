package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/versions"
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
	page := readFacts(string(text))
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
func answer(r eventtest.FactResult, row factRow, vendor, release string) report.Fact {
	f := report.Fact{ID: r.ID, Saw: r.Saw}
	is := row.is(vendor, release)
	if vendor == chipStar && !strings.HasPrefix(r.ID, "chip-") {
		is = unclear // some of AMD's hold there too
	}
	switch {
	case r.Outcome == eventtest.NotApplicable:
		f.Answer = report.NotAskable
	case r.Outcome == eventtest.Confirmed && is == no:
		f.Answer = report.Differs
		f.Saw = fmt.Sprintf("it is so here too, and the fact is about %s: %s", row.about, r.Saw)
	case r.Outcome == eventtest.Confirmed:
		f.Answer = report.Confirmed
	case is == yes:
		f.Answer = report.Differs
	case is == no:
		f.Answer, f.Saw = report.NotAskable, "the fact is about "+row.about
	default:
		f.Answer = report.NotAskable
		f.Saw = fmt.Sprintf("the fact is about %s, and whether %s is one is not known: %s", row.about,
			cmp.Or(release, "this release of "+vendor), r.Saw)
	}
	return f
}

// factID is the first cell of a fact's row.
var factID = regexp.MustCompile(`^(cuda|amd|chip|gpu)(-[a-z0-9]+)+$`)

// factRow is a fact in docs/driver-facts.md.
type factRow struct {
	about             string // the drivers and their versions: "CUDA from 11.1, AMD from 6.4.2"
	playedBy, shownBy string
}

// readFacts reads the tables of the page, by the id of the fact.
func readFacts(text string) map[string]factRow {
	page := map[string]factRow{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 7 && factID.MatchString(cells[0]) {
			page[cells[0]] = factRow{cells[1], cells[4], cells[5]}
		}
	}
	return page
}

// known is whether a fact is about a driver, as far as that is known.
type known int

// The answers.
const (
	unclear known = iota
	yes
	no
)

// is reports whether the fact is about a driver: of "CUDA", "AMD" or "chipStar", and a release of
// which the first two numbers count, since drivers report no more. Where a third would decide, or
// where the release counts and is unknown (""), it is unclear.
func (r factRow) is(vendor, release string) known {
	for clause := range strings.SplitSeq(r.about, ", ") {
		name, span, _ := strings.Cut(clause, " ")
		if name == vendor {
			if strings.HasSuffix(r.about, ", or earlier") {
				return unclear
			}
			return inside(span, release)
		}
	}
	return no
}

// inside reports whether a release, "" if unknown, is one of "", "from X", "before X", "X to Y" and
// "X".
func inside(span, release string) known {
	words := strings.Fields(span)
	release = minor(release)
	switch {
	case len(words) == 0:
		return yes
	case release == "":
		return unclear
	case words[0] == "from" && len(words) == 2:
		return since(words[1], release)
	case words[0] == "before" && len(words) == 2:
		return not(since(words[1], release))
	case len(words) == 3 && words[1] == "to":
		if slices.Contains([]known{no, unclear}, since(words[0], release)) {
			return since(words[0], release)
		}
		last := minor(words[2])
		switch c := versions.Compare(release, last); {
		case c < 0:
			return yes
		case c > 0:
			return no
		case last == words[2]:
			return yes
		}
		return unclear
	case len(words) == 1 && minor(words[0]) == words[0]:
		return map[bool]known{true: yes, false: no}[words[0] == release]
	}
	return unclear
}

// since reports whether a release is not before another, which may have a third number.
func since(from, release string) known {
	switch c := versions.Compare(release, minor(from)); {
	case c < 0:
		return no
	case c > 0 || minor(from) == from:
		return yes
	}
	return unclear
}

func not(k known) known {
	switch k {
	case yes:
		return no
	case no:
		return yes
	}
	return unclear
}

// minor is a release without what follows its second number.
func minor(release string) string {
	parts := strings.SplitN(release, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}
