package report

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is a report in three lines: outcomes, driver facts and costs.
func (r *Report) Verdict() [3]string { return [3]string{r.outcome(), r.factLine(), r.costLine()} }

func (r *Report) outcome() string {
	passed, bad := 0, []string{}
	conforms := map[string]bool{}
	for _, s := range r.Steps {
		switch s.Outcome {
		case Passed:
			passed++
			conforms[s.Device] = conforms[s.Device] || s.Name == Conformance
		case Failed, TimedOut:
			bad = append(bad, fmt.Sprintf("%s %s", s.title(), s.Outcome))
		}
	}
	gpus, kind := 0, "GPU"
	for _, d := range r.Devices {
		if d.Backend == Host {
			continue
		}
		gpus++
		if !conforms[d.Name] {
			bad = append(bad, "the conformance suite did not pass on "+d.Name)
		}
		if d.Simulated {
			kind = "simulated GPU"
		}
	}
	on := fmt.Sprintf("%s passed, on %s and the host", count(passed, "step"), count(gpus, kind))
	if gpus == 0 {
		on = count(passed, "step") + " passed, on the host alone: no GPU is usable here"
	}
	switch {
	case r.Stopped != "":
		return fmt.Sprintf("Not finished: %s; %s.", r.Stopped, on)
	case len(bad) > 0:
		return fmt.Sprintf("Not green: %s; %s.", strings.Join(bad, ", "), on)
	case gpus > 0:
		return "Green: all that could run, " + on + "."
	}
	return on + "."
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

// costLine has the ratios of package event on the first device with raw calls, and the largest
// ratio of all devices.
func (r *Report) costLine() string {
	var key, most string
	largest := 0.0
	for _, d := range r.Devices {
		for _, row := range r.rows(d.Name) {
			for _, way := range ways[1:] {
				ratio, ok := row.ratio(way)
				if ok && way == "event" && slices.Contains(keyOperations, row.operation) &&
					(key == "" || strings.HasPrefix(key, d.Name+",")) {
					key += fmt.Sprintf("%s, %s %.2f×", map[bool]string{true: d.Name}[key == ""],
						row.operation, ratio)
				}
				if ok && ratio > largest {
					largest = ratio
					most = fmt.Sprintf("%s on %s, %s %.2f×", row.operation, d.Name, way, ratio)
				}
			}
		}
	}
	switch {
	case key != "":
		return fmt.Sprintf("Cost of event beside raw calls on %s. The largest: %s.", key, most)
	case len(r.Figures) > 0:
		return fmt.Sprintf("Cost: %s, without raw calls beside them.", count(len(r.Figures), "figure"))
	}
	return "Cost: not measured."
}

var keyOperations = []string{"record", "query pending", "query done", "elapsed", "stream wait"}

// ways are the known ones, in the order of columns. Others are compared with the first.
var ways = []string{"raw", "event", "event Sync", "compute", "timeline"}

// row is an operation on a device, in all ways.
type row struct {
	operation string
	figures   map[string]Figure
}

// ratio is the time of a way divided by the raw call's.
func (r row) ratio(way string) (float64, bool) {
	base, known := r.figures[ways[0]]
	f, measured := r.figures[way]
	if !known || !measured {
		return 0, false
	}
	return f.Median / base.Median, true
}

// rows are the figures of a device by operation, in the order in which they came.
func (r *Report) rows(device string) (rows []row) {
	for _, f := range r.Figures {
		if f.Device != device {
			continue
		}
		i := slices.IndexFunc(rows, func(r row) bool { return r.operation == f.Operation })
		if i < 0 {
			i = len(rows)
			rows = append(rows, row{f.Operation, map[string]Figure{}})
		}
		rows[i].figures[f.Way] = f
	}
	return rows
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
