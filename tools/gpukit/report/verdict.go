package report

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is a report in three lines.
type Verdict struct {
	Green bool // nothing failed, and every GPU passed the conformance suite
	Lines [3]string
}

// Verdict says what a report comes to: what passed, what the drivers do, and what it costs.
func (r *Report) Verdict() Verdict {
	passed, bad := 0, []string{}
	conforms := map[string]bool{}
	for _, s := range r.Steps {
		switch s.Outcome {
		case Passed:
			passed++
			if s.Name == Conformance {
				conforms[s.Device] = true
			}
		case Failed, TimedOut:
			bad = append(bad, fmt.Sprintf("%s %s", s.title(), s.Outcome))
		}
	}
	gpus, untested := 0, []string{}
	for _, d := range r.Devices {
		if d.Backend == Host {
			continue
		}
		gpus++
		if !conforms[d.Name] {
			untested = append(untested, d.Name)
		}
	}
	green := len(bad) == 0 && len(untested) == 0 && r.Stopped == ""
	return Verdict{green && gpus > 0, [3]string{
		r.outcome(green, gpus, passed, bad, untested), r.factLine(), r.costLine()}}
}

// Conformance is the name of the step that runs the conformance suite.
const Conformance = "conformance"

// title is the step with its device.
func (s Step) title() string { return strings.TrimSpace(s.Name + " " + s.Device) }

func (r *Report) outcome(green bool, gpus, passed int, bad, untested []string) string {
	kind := "GPU"
	if slices.ContainsFunc(r.Devices, func(d Device) bool { return d.Simulated }) {
		kind = "simulated GPU"
	}
	on := "on " + count(gpus, kind) + " and the host"
	if gpus == 0 {
		on = "on the host alone: no GPU is usable here"
	}
	switch {
	case len(bad) > 0:
		return fmt.Sprintf("Not green: %s; %s passed, %s.", strings.Join(bad, ", "),
			count(passed, "step"), on)
	case r.Stopped != "":
		return fmt.Sprintf("Not finished: %s; %s passed, %s.", r.Stopped, count(passed, "step"), on)
	case len(untested) > 0:
		return fmt.Sprintf("Not green: the conformance suite did not run on %s.",
			strings.Join(untested, ", "))
	case green && gpus > 0:
		return fmt.Sprintf("Green: all %s that could run passed, %s.", count(passed, "step"), on)
	}
	return fmt.Sprintf("%s passed, %s.", upper(count(passed, "step")), on)
}

func (r *Report) factLine() string {
	by := map[Answer]int{}
	var differ []string
	for _, f := range r.Facts {
		by[f.Answer]++
		if f.Answer == Differs && !slices.Contains(differ, f.ID) {
			differ = append(differ, f.ID)
		}
	}
	if by[Confirmed]+by[Differs] == 0 {
		return "Driver facts: none could be asked."
	}
	line := fmt.Sprintf("Driver facts: %d confirmed, %d differ", by[Confirmed], by[Differs])
	if len(differ) > 0 {
		line += " (" + strings.Join(differ, ", ") + ")"
	}
	return fmt.Sprintf("%s, %d not askable here.", line, by[NotAskable])
}

// costLine compares event with the base on the first device that has both.
func (r *Report) costLine() string {
	for _, d := range r.Devices {
		var parts []string
		base := ""
		for _, row := range r.KeyRatios(d.Name) {
			parts = append(parts, fmt.Sprintf("%s %.2f×", row.Operation, row.Ratio))
			base = row.Base
		}
		if len(parts) > 0 {
			return fmt.Sprintf("Cost on %s, event against %s: %s.", d.Name, base,
				strings.Join(parts, ", "))
		}
	}
	if len(r.Figures) > 0 {
		return fmt.Sprintf("Cost: %s, without a base to compare with.",
			count(len(r.Figures), "figure"))
	}
	return "Cost: not measured."
}

// KeyRatio is the cost of package event for an operation that everybody uses.
type KeyRatio struct {
	Operation, Base string
	Ratio           float64
}

// KeyRatios are at most four of a device's, all with the same base.
func (r *Report) KeyRatios(device string) (all []KeyRatio) {
	for _, row := range r.Rows(device) {
		ratio, ok := row.Ratio("event")
		if !ok || !slices.Contains(keyOperations, row.Operation) {
			continue
		}
		base, _ := row.Base()
		if len(all) > 0 && all[0].Base != base.Way {
			continue
		}
		all = append(all, KeyRatio{row.Operation, base.Way, ratio})
	}
	return all[:min(len(all), 4)]
}

var keyOperations = []string{"record", "query pending", "query done", "elapsed", "stream wait"}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
