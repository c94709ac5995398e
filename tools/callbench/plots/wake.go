package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// drawWake draws the latencies of waits, a picture for each load of the process.
func drawWake(file string, files map[string]string) (string, error) {
	w, err := report.ReadWake(file)
	if err != nil {
		return "", err
	}
	page := fmt.Sprintf(wakeText, where(w.Date, w.Machine), w.Seconds)
	for _, load := range []struct{ name, title string }{
		{"idle", "an otherwise idle process"},
		{"one computes", "a process with one goroutine that computes"},
		{"all compute", "a process that computes on all processors"},
	} {
		rows := slices.DeleteFunc(slices.Clone(w.Rows), func(r report.WakeRow) bool {
			return r.Process != load.name
		})
		if len(rows) == 0 {
			continue
		}
		name := "wake-" + strings.ReplaceAll(load.name, " ", "-") + ".svg"
		files[name] = latencies("Wake-up latency in "+load.title, fmt.Sprintf("Further left and lower "+
			"is better; marks at the median and the 99th percentile. %s, %s, %s", w.Machine.CPU,
			w.Machine.Platform, w.Date), rows)
		page += fmt.Sprintf("\n![Wake-up latencies, by length of work; process: %s](%s)\n", load.name,
			name)
	}
	return page, nil
}

const wakeText = `## Wake-up latency

%s
The driver is a fake in C whose answers depend on the clock alone. Work ends without a
notification. A curve has %v s of record and wait in turns, in one process under the load that the
title names. [wake.md](wake.md) explains the ways and has a table. The data is in
[wake.json](wake.json).

Each panel is a length of work. The height of a curve is the share of the waits that ended later
than that after the work. Latencies below 100 ns are drawn there. A curve ends where less than one
of the measured waits is left.
`

// Limits of the axes.
const (
	soonest = 100.0 // nanoseconds: the data has tenths of microseconds
	rarest  = 0.1   // percent
)

// curve is the distribution of a row's latencies: the share of the waits that took longer. It ends
// where that is less than one wait. marks are the places of the median and the 99th percentile.
func curve(r report.WakeRow) (late, share []float64, marks []int) {
	for i, p := range report.Percents() {
		later := 100 - p
		if later <= 0 || later*float64(r.Waits) < 100 {
			continue
		}
		if p == 50 || p == 99 {
			marks = append(marks, len(late))
		}
		late = append(late, max(soonest, r.Late[i]*1e3))
		share = append(share, max(rarest, later))
	}
	return late, share, marks
}

// latencies draws a panel for each length of work, two in a row.
func latencies(title, below string, rows []report.WakeRow) string {
	const panelWidth, panelHeight, left, bottom = (width - 2*margin) / 2, 200.0, 48.0, 44.0
	var ways, works []string
	all := []float64{soonest}
	for _, r := range rows {
		if !slices.Contains(ways, r.Way) {
			ways = append(ways, r.Way)
		}
		if !slices.Contains(works, r.Work) {
			works = append(works, r.Work)
		}
		late, _, _ := curve(r)
		all = append(all, late...)
	}
	p := &picture{}
	top := p.heading(title, below, ways, true)
	for i, work := range works {
		x0 := margin + float64(i%2)*panelWidth
		y0 := top + float64(i/2)*panelHeight
		x := newAxis(all, x0+left, x0+panelWidth-10, nanoseconds)
		y := axis{rarest, 100, y0 + panelHeight - bottom, y0 + 22, percent}
		p.text(x0+panelWidth/2, y0+14, "middle", `font-weight="bold"`, "work of "+work)
		x.ticks(func(at float64, label string) {
			p.line(at, y.from, at, y.to, thin)
			p.text(at, y.from+14, "middle", "", label)
		})
		y.ticks(func(at float64, label string) {
			p.line(x.from, at, x.to, at, thin)
			p.text(x.from-5, at+4, "end", "", label)
		})
		for _, r := range rows {
			if r.Work != work {
				continue
			}
			late, share, marks := curve(r)
			var path strings.Builder
			for j := range late {
				fmt.Fprintf(&path, "%c%s %s", "ML"[min(j, 1)], short(x.at(late[j])), short(y.at(share[j])))
			}
			series := slices.Index(ways, r.Way)
			fmt.Fprintf(p, `<path d="%s" fill="none" %s/>`+"\n", path.String(),
				styles[series%len(styles)].stroke())
			for _, j := range marks {
				p.mark(series, x.at(late[j]), y.at(share[j]))
			}
		}
	}
	return p.end(top + float64((len(works)+1)/2)*panelHeight + margin)
}
