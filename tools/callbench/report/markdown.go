package report

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is the page.
func (r Report) Markdown() (string, error) {
	if err := r.validate(); err != nil {
		return "", err
	}
	p := &page{}
	m := r.Machine
	p.text("# What a call costs")
	p.text("Written by `make bench`, %s, on %s, %d cores of %s, with %s and\n%s. "+
		"Times are in nanoseconds per operation. The data is in [calls.json](calls.json).",
		r.Date, m.Platform, m.Cores, m.CPU, goVersion(m.Go), m.Compiler)
	p.text("![CPU time per operation in each way](calls.svg)")
	p.text(method, r.Rounds, number(r.RoundMS), r.loop(), 100*(r.spread()-1))
	for _, api := range r.apis() {
		rows := r.of(api)
		ways := present(rows)
		p.text("## %s: CPU time", api)
		p.text("Medians.")
		p.values(rows, ways, func(c Cell) string { return number(c.CPU.Median) })
		p.text("## %s: ratios of CPU time", api)
		p.ratios(rows)
		p.targets(api, rows)
		p.text("## %s: wall time", api)
		p.text("Minimum and median.")
		p.values(rows, ways, func(c Cell) string {
			return number(c.Wall.Min) + " / " + number(c.Wall.Median)
		})
		p.text("## %s: allocations", api)
		p.values(rows, ways, func(c Cell) string { return allocations(c) })
	}
	p.memory(r.Memory)
	p.collections(r.Collections)
	return p.String(), nil
}

// method says how it was measured, and what the columns are. Its verbs are the rounds, how long
// they are, the cost of the loop, and the noise.
const method = `All ways are measured in turns in one process: %d rounds of about %s ms each,
through all rows, with the ways of a row in a new random order each time. CPU time is that of the
whole process. It includes garbage collection that runs during a round; the heap is also collected
after each round, which is not counted, so ways that allocate cost more than the figures show. The
callee is the same C function in all ways, of a driver that does next to nothing. It counts its
calls, and a wrong count stops the benchmark. Nothing is subtracted:

- *C* is the driver itself, called in a loop in C. It is part of every other column.
- *cgo* is a hand-written binding, *cgo nocallback* one with ` + "`#cgo noescape` and\n" +
	"  `#cgo nocallback`" + `. A launch is either a C function written for the kernel, which takes
  its parameters, or Go code for any kernel, which has to pin them.
- *SyscallN* and *RegisterFunc* are hand-written bindings with purego.
- *raw* is cudrv or hip; a launch for any kernel takes its parameters from cudrv.Params.
- *event* is package event, or package compute for a launch, which checks its arguments and makes
  the device's context current.
- All but *C* include the loop in Go and the call of a function value: %s.

Unless a row says otherwise, the stream's handle was not given out and no context is current on the
thread, as in a program that leaves contexts to package event. The other ways make the bare call in
all rows: they do not handle captures and contexts, and query again what is known to be done. HIP's
functions have the same prototypes as CUDA's, so ways that would differ only in a name are left out
there. The HIP driver has one device, which is always current.

Noise of the machine: the median round took %.0f %% more CPU time than the quickest, as a median over
all ways.`

// loop is what the loop in Go costs.
func (r Report) loop() string {
	for _, row := range r.Rows {
		if c, ok := row.Cells[Loop]; ok {
			return number(c.CPU.Median) + " ns"
		}
	}
	return "not measured"
}

// spread is the middle ratio of medians to least times, over all that was measured.
func (r Report) spread() float64 {
	var all []float64
	for _, row := range r.Rows {
		for _, c := range row.Cells {
			all = append(all, c.CPU.Median/c.CPU.Min)
		}
	}
	return StatOf(all).Median
}

// apis are those of the rows, in their order.
func (r Report) apis() (apis []string) {
	for _, row := range r.Rows {
		if row.API != "" && !slices.Contains(apis, row.API) {
			apis = append(apis, row.API)
		}
	}
	return apis
}

func (r Report) of(api string) (rows []Row) {
	for _, row := range r.Rows {
		if row.API == api {
			rows = append(rows, row)
		}
	}
	return rows
}

// present are the ways in which any of the rows was measured.
func present(rows []Row) []string {
	return slices.DeleteFunc(Ways(), func(way string) bool { return !has(rows, way) })
}

func has(rows []Row, way string) bool {
	return slices.ContainsFunc(rows, func(r Row) bool {
		_, ok := r.Cells[way]
		return ok
	})
}

// page is a Markdown page in the making.
type page struct{ strings.Builder }

// text adds a paragraph.
func (p *page) text(format string, args ...any) {
	if p.Len() > 0 {
		p.WriteString("\n")
	}
	fmt.Fprintf(p, format+"\n", args...)
}

// table adds a table whose first column holds names and whose others hold numbers.
func (p *page) table(head []string, lines [][]string) {
	p.text("| %s |", strings.Join(head, " | "))
	fmt.Fprintf(p, "|---|%s\n", strings.Repeat("--:|", len(head)-1))
	for _, line := range lines {
		fmt.Fprintf(p, "| %s |\n", strings.Join(line, " | "))
	}
}

// absent stands where an operation does not exist in a way.
const absent = "–"

// values adds a table of one value for each row and way.
func (p *page) values(rows []Row, ways []string, value func(Cell) string) {
	var lines [][]string
	for _, row := range rows {
		line := []string{row.Name}
		for _, way := range ways {
			if c, ok := row.Cells[way]; ok {
				line = append(line, value(c))
			} else {
				line = append(line, absent)
			}
		}
		lines = append(lines, line)
	}
	p.table(append([]string{"operation"}, ways...), lines)
}

// ratios adds how many times one way's CPU time is of another's, where both were measured.
func (p *page) ratios(rows []Row) {
	pairs := slices.DeleteFunc([][2]string{{Cgo, C}, {Quiet, Cgo}, {SyscallN, Cgo},
		{RegisterFunc, Cgo}, {Raw, C}, {Raw, Cgo}, {Event, C}, {Event, Cgo}, {Event, Raw},
	}, func(pair [2]string) bool {
		return !has(rows, pair[0]) || !has(rows, pair[1])
	})
	head := []string{"operation"}
	for _, pair := range pairs {
		head = append(head, pair[0]+" / "+pair[1])
	}
	var lines [][]string
	for _, row := range rows {
		line := []string{row.Name}
		for _, pair := range pairs {
			over, ok := row.Cells[pair[0]]
			under, both := row.Cells[pair[1]]
			if ok && both {
				line = append(line, ratio(over.CPU.Median/under.CPU.Median))
			} else {
				line = append(line, absent)
			}
		}
		lines = append(lines, line)
	}
	p.table(head, lines)
}

// targets adds what package event costs beside what it should.
func (p *page) targets(api string, rows []Row) {
	var lines [][]string
	for _, row := range rows {
		cost, ok := row.Cost()
		if !ok {
			continue
		}
		measure, reached := "in all", "no"
		if row.Target.Over != "" {
			measure = "over " + row.Target.Over
		}
		if cost <= row.Target.NS {
			reached = "yes"
		}
		e := row.Cells[Event]
		lines = append(lines, []string{row.Name, measure, number(cost), number(row.Target.NS),
			reached, fmt.Sprintf("%.2f", e.Allocs), fmt.Sprintf("%.1f", e.Calls)})
	}
	if lines == nil {
		return
	}
	p.text("## %s: package event and its targets", api)
	p.table([]string{"operation", "measure", "cost", "at most", "reached", "allocations",
		"driver calls"}, lines)
	if api == "HIP" {
		p.text("AMD's query of an event ends the capture of its stream. So a query is counted on the\n" +
			"stream while it is in flight, and the stream's handle is given out when none is: two\n" +
			"atomic additions more than on CUDA, for which the targets were set.")
	}
}

func (p *page) memory(all []Memory) {
	if len(all) == 0 {
		return
	}
	p.text("## Memory per open event")
	p.text("Bytes, after garbage collections, each row in a process of its own; the caller's\n" +
		"own pointer is not counted. *runtime* is all that Go's runtime holds, heap included.\n" +
		"The driver's events take none of it.")
	var lines [][]string
	for _, m := range all {
		lines = append(lines, []string{m.What, fmt.Sprint(m.Events), fmt.Sprintf("%.0f", m.Heap),
			fmt.Sprintf("%.0f", m.Runtime), fmt.Sprintf("%.2f", m.Allocs),
			fmt.Sprint(m.Goroutines)})
	}
	p.table([]string{"events", "open", "heap", "runtime", "allocations", "more goroutines"},
		lines)
}

func (p *page) collections(all []Collection) {
	if len(all) == 0 {
		return
	}
	p.text("## Garbage collection with many open events")
	p.text("Milliseconds, each row in a process of its own: medians of `runtime.GC()`. *pause*\n" +
		"is the most that one stopped the program for.")
	var lines [][]string
	for _, c := range all {
		lines = append(lines, []string{c.Backend, fmt.Sprint(c.Events), number(c.Wall),
			number(c.CPU), fmt.Sprintf("%.3f", c.Pause), number(c.WithoutWall), number(c.Create),
			number(c.Close)})
	}
	p.table([]string{"events of", "open", "wall", "CPU", "pause", "wall with none",
		"create and record all", "close all"}, lines)
}

// number spells a number with about three digits.
func number(v float64) string {
	switch {
	case v > -100 && v < 100:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.0f", v)
	}
}

func ratio(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f", v)
	}
	return number(v)
}

func allocations(c Cell) string {
	if c.Allocs < 0.005 {
		return "0"
	}
	return fmt.Sprintf("%.2g (%.0f bytes)", c.Allocs, c.Bytes)
}

// goVersion spells "go1.26.8" as "Go 1.26.8".
func goVersion(v string) string { return "Go " + strings.TrimPrefix(v, "go") }
