package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Markdown is the report as a page. Below its verdict it has more paragraphs, if any.
func (r *Report) Markdown(title, below string) string {
	p := &page{}
	fmt.Fprintf(p, "# %s\n\n", title)
	if r.Sample != "" {
		p.text("**This is a sample, not a measurement: %s**", r.Sample)
	}
	for _, line := range r.Verdict().Lines {
		p.item("%s", line)
	}
	p.WriteByte('\n')
	p.text("Written by gpu-kit %s on %s. It took %s of at most %s.", r.Kit,
		r.Began.Format(time.DateOnly), minutes(r.Seconds), minutes(r.Limit))
	if r.Stopped != "" {
		p.text("**It did not finish: %s.**", r.Stopped)
	}
	if r.Reduced != "" {
		p.text("It did less than it does by default: %s.", r.Reduced)
	}
	if below != "" {
		p.WriteString(below + "\n\n")
	}
	r.machinePart(p)
	r.stepsPart(p)
	r.failuresPart(p)
	r.factsPart(p)
	r.figuresPart(p)
	r.soakPart(p)
	r.skipsPart(p)
	r.textsPart(p)
	return strings.TrimRight(p.String(), "\n") + "\n"
}

func (r *Report) machinePart(p *page) {
	p.heading("Devices and machine")
	var rows [][]string
	for _, d := range r.Devices {
		model := d.Model
		if d.Simulated {
			model += " (simulated)"
		}
		rows = append(rows, []string{d.Name, model, d.Architecture, gib(d.Memory), d.Driver.String()})
	}
	p.table([]string{"device", "model", "architecture", "memory:", "driver"}, rows)
	m := r.Machine
	line := fmt.Sprintf("%s/%s, %d cores of %s", m.OS, m.Arch, m.Cores, m.CPU)
	for _, x := range []string{gib(m.Memory), m.System, m.Kernel} {
		if x != "" {
			line += ", " + x
		}
	}
	if m.Emulated {
		line += ". The processor is emulated: times mean nothing here"
	}
	if m.Load > 0 {
		line += fmt.Sprintf(". Load average at the start: %.1f", m.Load)
	}
	p.text("%s.", line)
	rows = nil
	for _, l := range r.Libraries {
		rows = append(rows, []string{l.API, l.File, l.Version, l.Reason})
	}
	p.table([]string{"library", "file", "version", "remark"}, rows)
	switch {
	case len(r.Cards()) == 0:
	case r.OthersWhy != "":
		p.text("What else used the devices is unknown: %s.", r.OthersWhy)
	case len(r.Others) > 0 && !slices.ContainsFunc(r.Others, Other.Shared):
		p.text("Nothing else used the devices when the run began, as far as their drivers say.")
	}
	for _, o := range r.Others {
		if o.Shared() {
			p.text("%s was in use when the run began: %d other processes, %s of its memory, %d %% busy.",
				o.Device, o.Processes, cmp.Or(gib(o.Memory), "nothing"), o.Busy)
		}
	}
}

func (r *Report) stepsPart(p *page) {
	p.heading("Steps")
	var rows [][]string
	for _, s := range r.Steps {
		tests := ""
		if s.Tests != nil {
			tests = fmt.Sprintf("%d passed, %d failed, %d skipped", s.Tests.Passed, s.Tests.Failed,
				s.Tests.Skipped)
		}
		reason := s.Reason
		if slices.ContainsFunc(r.Libraries, func(l Library) bool { return l.Reason == reason }) {
			reason = "" // the table of libraries has it
		}
		rows = append(rows, []string{s.Name, s.Device, string(s.Outcome), minutes(s.Seconds), tests,
			reason})
	}
	p.table([]string{"step", "device", "outcome", "took:", "tests", "reason"}, rows)
}

func (r *Report) failuresPart(p *page) {
	var failures []Failure
	for _, s := range r.Steps {
		if s.Tests != nil {
			for _, f := range s.Tests.Failures {
				failures = append(failures, Failure{s.title() + ": " + f.Name, f.Text})
			}
		} else if (s.Outcome == Failed || s.Outcome == TimedOut) && !r.found(s.Device, s.Name) {
			failures = append(failures, Failure{s.title(), cmp.Or(s.Text, s.Reason)})
		}
	}
	for _, t := range r.Tallies {
		for _, f := range t.Failures {
			name := fmt.Sprintf("soak of %s %s: %s", t.Name, t.Device, f.Name)
			failures = append(failures, Failure{name, f.Text})
		}
	}
	if len(failures) == 0 {
		return
	}
	p.heading("Failures")
	for _, f := range failures {
		p.text("%s", f.Name)
		p.code(f.Text)
	}
}

// found reports whether the step is a soak whose tallies have its findings.
func (r *Report) found(device, step string) bool {
	return step == "soak" && slices.ContainsFunc(r.Tallies, func(t Tally) bool {
		return t.Device == device && len(t.Failures) > 0
	})
}

// fewFacts is how many are named that share a reason.
const fewFacts = 12

func (r *Report) factsPart(p *page) {
	var rows [][]string
	waiting := map[string][]string{} // by reason and device
	var reasons []string
	for _, f := range r.Facts {
		if f.Answer != NotAskable {
			rows = append(rows, []string{f.ID, f.Device, string(f.Answer), f.Saw})
			continue
		}
		key := f.Device + ": " + f.Saw
		if waiting[key] == nil {
			reasons = append(reasons, key)
		}
		waiting[key] = append(waiting[key], f.ID)
	}
	if len(r.Facts) == 0 {
		return
	}
	p.heading("Driver facts")
	p.text("What each means is in docs/driver-facts.md.")
	// what differs comes first
	slices.SortStableFunc(rows, func(a, b []string) int { return strings.Compare(b[2], a[2]) })
	p.table([]string{"fact", "device", "answer", "what the driver did"}, rows)
	for _, reason := range reasons {
		// most are about another vendor or release; their names say nothing here
		which := fmt.Sprintf("%d facts", len(waiting[reason]))
		if len(waiting[reason]) <= fewFacts {
			which = strings.Join(waiting[reason], ", ")
		}
		p.item("Not askable on %s: %s.", strings.TrimSuffix(reason, "."), which)
	}
	if len(reasons) > 0 {
		p.WriteByte('\n')
	}
}

func (r *Report) figuresPart(p *page) {
	for _, d := range r.Devices {
		rows := r.Rows(d.Name)
		if len(rows) == 0 {
			continue
		}
		p.heading("Figures: " + d.Name)
		p.ratios(rows)
		p.times(rows)
		p.notes(rows)
	}
}

// ratios adds the table of ratios, where there is a way to compare with.
func (p *page) ratios(rows []Row) {
	columns, all := []string{"operation", "base:"}, Ways(rows)
	for _, way := range all {
		columns = append(columns, way+":")
	}
	var table [][]string
	for _, row := range rows {
		base, known := row.Base()
		if !known {
			continue
		}
		line := []string{row.Operation, number(base.Median) + " " + base.Way}
		for _, way := range all {
			ratio, ok := row.Ratio(way)
			line = append(line, map[bool]string{true: fmt.Sprintf("%.2f", ratio)}[ok])
		}
		table = append(table, line)
	}
	if len(table) > 0 {
		p.text("Times per operation relative to the base, which is C or, where C was not measured, " +
			"the raw call through cudrv or hip. The base is in nanoseconds.")
		p.table(columns, table)
	}
}

func (p *page) times(rows []Row) {
	columns, all := []string{"operation"}, Ways(rows)
	for _, way := range all {
		columns = append(columns, way+":")
	}
	var table [][]string
	for _, row := range rows {
		line := []string{row.Operation}
		for _, way := range all {
			f, ok := row.Ways[way]
			line = append(line, map[bool]string{true: number(f.Median) + " / " + number(f.Best)}[ok])
		}
		table = append(table, line)
	}
	p.text("Median / best, in nanoseconds of wall time.")
	p.table(columns, table)
}

func (p *page) notes(rows []Row) {
	some := false
	for _, row := range rows {
		var notes []string
		for _, way := range Ways([]Row{row}) {
			if note := row.Ways[way].Note; note != "" {
				notes = append(notes, way+": "+strings.TrimSuffix(note, "."))
			}
		}
		if len(notes) > 0 {
			p.item("%s. %s.", row.Operation, strings.Join(notes, "; "))
			some = true
		}
	}
	if some {
		p.WriteByte('\n')
	}
}

func (r *Report) soakPart(p *page) {
	if len(r.Tallies) == 0 {
		return
	}
	p.heading("Soak")
	var rows [][]string
	var left []string
	for _, t := range r.Tallies {
		var counts []string
		for what, n := range t.Counts {
			counts = append(counts, fmt.Sprintf("%s %d", what, n))
		}
		slices.Sort(counts)
		rows = append(rows, []string{t.Name, t.Device, minutes(t.Seconds), strings.Join(counts, ", "),
			strconv.Itoa(len(t.Failures))})
		for _, l := range t.LeftOut {
			text := fmt.Sprintf("Left out of the soak of %s: %s.", t.Name, strings.TrimSuffix(l, "."))
			if !slices.Contains(left, text) {
				left = append(left, text)
			}
		}
	}
	p.table([]string{"soak", "device", "took:", "did", "failures:"}, rows)
	for _, l := range left {
		p.item("%s", l)
	}
	if len(left) > 0 {
		p.WriteByte('\n')
	}
}

func (r *Report) skipsPart(p *page) {
	var rows [][]string
	for _, s := range r.Steps {
		if s.Tests == nil {
			continue
		}
		for _, k := range s.Tests.Skips {
			rows = append(rows, []string{s.title(), k.Reason, strconv.Itoa(len(k.Tests)),
				strings.Join(k.Tests, ", ")})
		}
	}
	if len(rows) == 0 {
		return
	}
	p.heading("Skipped tests")
	p.table([]string{"step", "reason", "tests:", "which"}, rows)
}

// textsPart has what the steps printed that did not fail.
func (r *Report) textsPart(p *page) {
	for _, s := range r.Steps {
		if s.Text != "" && (s.Outcome == Passed || s.Outcome == NotPossible) {
			p.heading("Output of " + s.title())
			p.code(s.Text)
		}
	}
}

// minutes is a time as people say it.
func minutes(seconds float64) string {
	if seconds < 60 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.1f min", seconds/60)
}

func gib(bytes uint64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// number has three significant digits.
func number(ns float64) string {
	switch {
	case ns >= 100:
		return fmt.Sprintf("%.0f", ns)
	case ns >= 10:
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.2f", ns)
}
