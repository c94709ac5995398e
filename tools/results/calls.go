package main

import (
	"fmt"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
	"github.com/gpuevent/gpuevent/tools/results/plot"
)

// aim is the series of what package event should cost.
const aim = "event's target"

// drawCalls draws what calls cost.
func drawCalls(file string) (section, error) {
	r, err := report.Read(file)
	if err != nil {
		return section{}, err
	}
	t := callsTable(r)
	t.Title = "What a call costs"
	t.Below = fmt.Sprintf("CPU time per operation, medians of %d rounds; further left is better. "+
		"%s, %s, %s", r.Rounds, r.Machine.CPU, r.Machine.Platform, r.Date)
	marks, err := t.Dots()
	if err != nil {
		return section{}, fmt.Errorf("%s: %w", file, err)
	}
	s := section{
		title: "Cost of a call",
		before: fmt.Sprintf("%s: %s, %d cores of %s, %s, %s. All ways call the same C function, which "+
			"does next to nothing, in turns in one process. [calls.md](calls.md) explains the rows and "+
			"has the figures; the data is in [calls.json](calls.json).",
			r.Date, r.Machine.Platform, r.Machine.Cores, r.Machine.CPU, r.Machine.Go, r.Machine.Compiler),
		pictures: []picture{{"calls.svg", "CPU time per operation in each way, as marks on a line",
			"A line is an operation, a mark a way to make it. *C* is a loop in C, without a crossing: " +
				"what is between it and the others is the crossing. An upright stroke is the target of " +
				"package event.", marks}},
	}
	bars, err := ratioBars(r)
	if err != nil {
		return section{}, fmt.Errorf("%s: %w", file, err)
	}
	s.pictures = append(s.pictures, picture{"calls-ratios.svg",
		"CPU time of CUDA's operations as a multiple of cgo's, as bars",
		"The same CPU times for CUDA as multiples of a hand-written cgo binding's. Bars to the left " +
			"of 1 are cheaper than cgo. The scale is logarithmic.", bars})
	return s, nil
}

// callsTable has the CPU times of all operations.
func callsTable(r report.Report) plot.Table {
	t := plot.Table{
		Axis:   plot.Axis{Label: "CPU time per operation", Unit: plot.Nanoseconds, Log: true, Wide: true},
		Series: append(report.Ways(), aim),
	}
	for _, row := range r.Rows {
		values := map[string]float64{}
		for way, c := range row.Cells {
			if way != report.Loop {
				values[way] = c.CPU.Median
			}
		}
		if len(values) == 0 {
			continue
		}
		if ns, ok := row.Aim(); ok {
			values[aim] = ns
		}
		n := len(t.Groups)
		if n == 0 || t.Groups[n-1].Name != row.API {
			t.Groups = append(t.Groups, plot.Group{Name: row.API})
			n++
		}
		t.Groups[n-1].Rows = append(t.Groups[n-1].Rows, plot.Row{Name: row.Name, Values: values})
	}
	return t
}

// inRatios are the operations whose ratios are drawn: one of each kind.
var inRatios = []string{
	"record", "record on the default stream", "query, pending", "query, known to be done", "elapsed",
	"stream waits for event", "create + record + destroy",
	"launch, 4 parameters; cgo: for any kernel",
}

// ratioBars draws CPU times as multiples of cgo's, for one API.
func ratioBars(r report.Report) ([]byte, error) {
	some := r
	some.Rows = nil
	for _, name := range inRatios {
		for _, row := range r.Rows {
			if row.API == "CUDA" && row.Name == name {
				row.Target = nil
				some.Rows = append(some.Rows, row)
			}
		}
	}
	t := callsTable(some)
	t.Series = []string{report.Cgo, report.Quiet, report.SyscallN, report.RegisterFunc, report.Raw,
		report.Event}
	for _, g := range t.Groups {
		for _, row := range g.Rows {
			delete(row.Values, report.C)
		}
	}
	t.Title = "Cost of a call beside cgo"
	t.Below = "CPU time as a multiple of a cgo binding's; below 1 is cheaper than cgo"
	t, err := t.Ratios(report.Cgo)
	if err != nil {
		return nil, err
	}
	return t.Bars()
}
