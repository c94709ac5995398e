package main

import (
	"fmt"
	"slices"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// aim is the series of the cost that package event should have.
const aim = "event's target"

// drawCalls draws the costs of calls, and the same as multiples of cgo's.
func drawCalls(file string, files map[string]string) (string, error) {
	r, err := report.Read(file)
	if err != nil {
		return "", err
	}
	below := fmt.Sprintf("CPU time per operation, medians of %d rounds; further left is better. "+
		"%s, %s, %s", r.Rounds, r.Machine.CPU, r.Machine.Platform, r.Date)
	files["calls.svg"] = dots("Cost of a call", below, costs(r, nil), nanoseconds)
	files["calls-ratios.svg"] = dots("Cost of a call beside cgo",
		"CPU time as a multiple of a cgo binding's; below 1 is cheaper than cgo",
		costs(r, inRatios), times)
	return fmt.Sprintf(callsText, where(r.Date, r.Machine)), nil
}

const callsText = `## Cost of a call

%s
All ways call the same C function, which does next to nothing, in turns in one process.
[calls.md](calls.md) explains the rows and has the figures. The data is in [calls.json](calls.json).

![CPU time per operation in each way, as marks on a line](calls.svg)

A line is an operation, a mark a way to make it. *C* is a loop in C, without a crossing: the
difference between it and the other ways is the crossing.

![CPU time of CUDA's operations as a multiple of cgo's, as marks on a line](calls-ratios.svg)

The same CPU times for CUDA as multiples of a hand-written cgo binding's.
`

// inRatios are the operations of CUDA whose ratios are drawn: one of each kind.
var inRatios = []string{
	"record", "record on the default stream", "query, pending", "query, known to be done", "elapsed",
	"stream waits for event", "create + record + destroy",
	"launch, 4 parameters; cgo: for any kernel",
}

// line is an operation with the values of its series.
type line struct {
	api, name string
	values    map[string]float64
}

// costs are the CPU times of all operations or, of some operations of CUDA, their ratios to cgo.
func costs(r report.Report, ratios []string) (all []line) {
	for _, row := range r.Rows {
		base := row.Cells[report.Cgo].CPU.Median
		if ratios != nil && (row.API != "CUDA" || !slices.Contains(ratios, row.Name) || base == 0) {
			continue
		}
		l := line{row.API, row.Name, map[string]float64{}}
		for way, c := range row.Cells {
			switch {
			case ratios == nil && way != report.Loop:
				l.values[way] = c.CPU.Median
			case ratios != nil && way != report.Loop && way != report.C:
				l.values[way] = c.CPU.Median / base
			}
		}
		if ns, ok := row.Aim(); ok && ratios == nil {
			l.values[aim] = ns
		}
		if len(l.values) > 0 {
			all = append(all, l)
		}
	}
	return all
}

// dots draws each operation as a line with a mark for each series.
func dots(title, below string, all []line, format func(float64) string) string {
	const names, step = 370.0, 18.0
	var series []string
	var values []float64
	for _, way := range append(report.Ways(), aim) {
		if slices.ContainsFunc(all, func(l line) bool { return l.values[way] != 0 }) {
			series = append(series, way)
		}
	}
	for _, l := range all {
		for _, v := range l.values {
			values = append(values, v)
		}
	}
	p := &picture{}
	y := p.heading(title, below, series, false)
	x := newAxis(values, names, width-margin-20, format)
	api := ""
	for _, l := range all {
		if l.api != api {
			api = l.api
			y += 24
			p.text(margin, y-4, "start", `font-weight="bold"`, api)
			x.ticks(func(at float64, label string) {
				p.text(at, y-4, "middle", `fill="#707070"`, label)
			})
		}
		y += step
		p.text(names-14, y-5, "end", "", l.name)
		p.line(names, y-9, width-margin-20, y-9, thin)
		x.ticks(func(at float64, _ string) { p.line(at, y-step, at, y, thin) })
		for i, way := range series {
			if v, ok := l.values[way]; ok {
				p.mark(i, x.at(v), y-9)
			}
		}
	}
	return p.end(y + margin)
}
