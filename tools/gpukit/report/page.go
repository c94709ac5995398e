package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Markdown is the report as a page.
func (r *Report) Markdown() string {
	p := &page{}
	title := "no GPU"
	if len(r.Devices) > 0 && r.Devices[0].Backend != Host {
		title = r.Devices[0].Model
	}
	fmt.Fprintf(p, "# GPU kit: %s\n\n", title)
	for _, line := range r.Verdict() {
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
	r.machinePart(p)
	r.stepsPart(p)
	r.failuresPart(p)
	r.factsPart(p)
	r.figuresPart(p)
	r.soakPart(p)
	r.skipsPart(p)
	for _, s := range r.Steps {
		if s.Text != "" && s.Outcome == Passed {
			p.heading("Output of " + s.title())
			p.code(s.Text)
		}
	}
	return strings.TrimRight(p.String(), "\n") + "\n"
}

func (r *Report) machinePart(p *page) {
	p.heading("Devices and machine")
	var rows [][]string
	for _, d := range r.Devices {
		model := d.Model + map[bool]string{true: " (simulated)"}[d.Simulated]
		rows = append(rows, []string{d.Name, model, d.Architecture, gib(d.Memory), d.API, d.Driver})
	}
	p.table([]string{"device", "model", "architecture", "memory:", "API", "driver"}, rows)
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
		rows = append(rows, []string{s.Name, s.Device, string(s.Outcome), minutes(s.Seconds), tests,
			s.Reason})
	}
	p.table([]string{"step", "device", "outcome", "took:", "tests", "reason"}, rows)
}

func (r *Report) failuresPart(p *page) {
	var failures []Failure
	for _, s := range r.Steps {
		found := slices.ContainsFunc(r.Tallies, func(t Tally) bool { // which follow
			return t.Device == s.Device && t.Name == s.Name && len(t.Failures) > 0
		})
		if s.Tests != nil {
			for _, f := range s.Tests.Failures {
				failures = append(failures, Failure{s.title() + ": " + f.Name, f.Text})
			}
		} else if (s.Outcome == Failed || s.Outcome == TimedOut) && !found {
			failures = append(failures, Failure{s.title(), cmp.Or(s.Text, s.Reason)})
		}
	}
	for _, t := range r.Tallies {
		failures = append(failures, t.Failures...)
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

// fewFacts is the largest number of facts with the same reason that are named.
const fewFacts = 12

func (r *Report) factsPart(p *page) {
	if len(r.Facts) == 0 {
		return
	}
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
	p.heading("Driver facts")
	p.text("docs/driver-facts.md has their texts.")
	// those that differ come first
	slices.SortStableFunc(rows, func(a, b []string) int { return strings.Compare(b[2], a[2]) })
	p.table([]string{"fact", "device", "answer", "behaviour of the driver"}, rows)
	for _, reason := range reasons {
		// most are about another vendor or release
		which := fmt.Sprintf("%d facts", len(waiting[reason]))
		if len(waiting[reason]) <= fewFacts {
			which = strings.Join(waiting[reason], ", ")
		}
		p.item("Not askable on %s: %s.", strings.TrimSuffix(reason, "."), which)
	}
	p.WriteByte('\n')
}

// figuresPart has a table for each device: medians, and ratios to raw calls.
func (r *Report) figuresPart(p *page) {
	for _, d := range r.Devices {
		var table, notes [][]string
		for _, row := range r.rows(d.Name) {
			line := []string{row.operation}
			for _, way := range ways {
				f, ok := row.figures[way]
				cell := ""
				if ok {
					cell = number(f.Median) + " / " + number(f.Best)
				}
				if ratio, ok := row.ratio(way); ok && way != ways[0] {
					cell += fmt.Sprintf(" (%.2f×)", ratio)
				}
				line = append(line, cell)
				if f.Note != "" {
					notes = append(notes, []string{row.operation, way, f.Note})
				}
			}
			table = append(table, line)
		}
		if len(table) == 0 {
			continue
		}
		p.heading("Figures: " + d.Name)
		p.text("Median / best in nanoseconds of wall time, and the median divided by the raw call's.")
		p.table([]string{"operation", "raw:", "event:", "event Sync:", "compute:", "timeline:"}, table)
		p.table([]string{"operation", "way", "note"}, notes)
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
			if !slices.Contains(left, l) {
				left = append(left, l)
			}
		}
	}
	p.table([]string{"soak", "device", "took:", "did", "failures:"}, rows)
	for _, l := range left {
		p.item("Left out: %s.", strings.TrimSuffix(l, "."))
	}
	p.WriteByte('\n')
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
	if len(rows) > 0 {
		p.heading("Skipped tests")
		p.table([]string{"step", "reason", "tests:", "which"}, rows)
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
	return strconv.FormatFloat(ns, 'f', map[bool]int{true: 0, false: 1}[ns >= 100], 64)
}

// wide is how long a line of prose may be.
const wide = 100

// page collects Markdown.
type page struct{ strings.Builder }

// text adds a paragraph, in lines that are not too long.
func (p *page) text(format string, args ...any) {
	p.wrap("", fmt.Sprintf(format, args...))
	p.WriteByte('\n')
}

// item adds a point of a list.
func (p *page) item(format string, args ...any) { p.wrap("- ", fmt.Sprintf(format, args...)) }

func (p *page) wrap(mark, text string) {
	indent := strings.Repeat(" ", len(mark))
	line := mark
	for i, word := range strings.Fields(text) {
		if i > 0 {
			if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > wide {
				p.WriteString(line + "\n")
				line = indent
			} else {
				line += " "
			}
		}
		line += word
	}
	p.WriteString(line + "\n")
}

// heading adds one, of the second level.
func (p *page) heading(text string) { fmt.Fprintf(p, "## %s\n\n", text) }

// table adds one. Columns whose name ends in a colon are aligned right.
func (p *page) table(columns []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	var names, marks []string
	for _, c := range columns {
		name, number := strings.CutSuffix(c, ":")
		names = append(names, name)
		marks = append(marks, map[bool]string{true: "--:", false: "---"}[number])
	}
	fmt.Fprintf(p, "| %s |\n|%s|\n", strings.Join(names, " | "), strings.Join(marks, "|"))
	for _, row := range rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, cell(c))
		}
		fmt.Fprintf(p, "| %s |\n", strings.Join(cells, " | "))
	}
	p.WriteByte('\n')
}

// cell keeps a text from ending the cell of a table, and from being read as HTML.
func cell(text string) string {
	return strings.NewReplacer("|", "/", "\n", " ", "\r", " ", "<", "&lt;").
		Replace(strings.TrimSpace(text))
}

// code adds a text as it is, in a fence that the text can't end.
func (p *page) code(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(p, "%s\n%s\n%s\n\n", fence, strings.TrimRight(text, "\n"), fence)
}
