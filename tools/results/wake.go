package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
	"github.com/gpuevent/gpuevent/tools/results/plot"
)

// drawWake draws how late waiters wake up.
func drawWake(file string) (section, error) {
	w, err := report.ReadWake(file)
	if err != nil {
		return section{}, err
	}
	s := section{
		title: "Wake-up latency",
		before: fmt.Sprintf("%s: %s, %d cores of %s, %s, %s. The driver is a fake in C whose answers "+
			"depend on the clock alone: work ends without waking anybody. A line is %v s of record and "+
			"wait in turns, all in one process that otherwise does what the title says. "+
			"[wake.md](wake.md) explains the ways and has a table; the data is in [wake.json](wake.json)."+
			"\n\nEach panel is a length of work. A curve's height is the share of the waits that ended "+
			"later than that after the work. What is earlier than 100 ns is drawn there. A curve ends "+
			"where less than one of the measured waits is left: there were only some forty of 50 ms.",
			w.Date, w.Machine.Platform, w.Machine.Cores, w.Machine.CPU, w.Machine.Go,
			w.Machine.Compiler, w.Seconds),
	}
	for _, process := range []string{"idle", "one computes", "all compute"} {
		p, err := wakePicture(w, process)
		if err != nil {
			return section{}, fmt.Errorf("%s: %w", file, err)
		}
		if p.svg != nil {
			s.pictures = append(s.pictures, p)
		}
	}
	return s, nil
}

// processes name what the process does.
var processes = map[string]string{
	"idle":         "an otherwise idle process",
	"one computes": "a process with one goroutine that computes",
	"all compute":  "a process with as many computing goroutines as processors",
}

// wakePicture has a panel for each kind of work. It is empty if nothing was measured.
func wakePicture(w report.Wake, process string) (picture, error) {
	l := plot.Lines{
		Title: "How late a waiter wakes up in " + processes[process],
		Below: fmt.Sprintf("Further left and lower is better; marks at the median and the 99th "+
			"percentile. %s, %s, %s", w.Machine.CPU, w.Machine.Platform, w.Date),
		Columns: 2,
		Height:  190,
	}
	const low = 100.0 // nanoseconds: the data has tenths of microseconds
	high := 0.0       // the same in all panels
	for _, r := range w.Rows {
		if x := latenessLine(r, low).X; r.Process == process {
			high = max(high, x[len(x)-1])
		}
	}
	for _, r := range w.Rows {
		if r.Process != process {
			continue
		}
		i := slices.IndexFunc(l.Panels, func(p plot.Panel) bool { return p.Title == workName(r.Work) })
		if i < 0 {
			i = len(l.Panels)
			l.Panels = append(l.Panels, plot.Panel{
				Title: workName(r.Work),
				X:     plot.Axis{Label: "latency", Unit: plot.Nanoseconds, Log: true, Min: low, Max: high},
				Y: plot.Axis{Label: "waits that took longer", Unit: plot.Percent, Log: true,
					Min: 0.1, Max: 100},
				Rules: []float64{50, 1},
			})
		}
		l.Panels[i].Lines = append(l.Panels[i].Lines, latenessLine(r, low))
	}
	if len(l.Panels) == 0 {
		return picture{}, nil
	}
	svg, err := l.SVG()
	name := "wake-" + strings.ReplaceAll(process, " ", "-") + ".svg"
	alt := "Wake-up latencies, by length of work; process: " + process
	return picture{name: name, alt: alt, svg: svg}, err
}

// latenessLine is the share of the waits that were later, which begins at low. It ends where that
// is less than one wait.
func latenessLine(r report.WakeRow, low float64) plot.Line {
	line := plot.Line{Name: r.Way}
	for i, p := range report.Percents() {
		if later := 100 - p; later > 0 && later*float64(r.Waits) >= 100 {
			line.X = append(line.X, max(low, r.Late[i]*1e3))
			line.Y = append(line.Y, math.Round(later*10)/10)
			if p == 50 || p == 99 {
				line.Marks = append(line.Marks, len(line.X)-1)
			}
		}
	}
	return line
}

// workName is a kind of work as a title.
func workName(work string) string {
	name := strings.NewReplacer("µs", " µs", "ms", " ms", "..", " to ", "±", " ± ", "|", " or ").
		Replace(work)
	return "work of " + name
}
