package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/tools/results/growth"
	"github.com/gpuevent/gpuevent/tools/results/plot"
)

// grown is how a figure of tools/growth is drawn and explained.
type grown struct {
	title, x, alt, text string
	y                   map[string]plot.Axis // by panel
	rest                plot.Axis            // of the other panels
	wide                bool                 // the x axis has room for numbers
	perObject           bool                 // also draw the values divided by the number
	tail                string               // the panel whose 99th percentiles are drawn too
}

// figures are those of tools/growth.
var figures = map[string]grown{
	"events": {
		title: "What an event costs among many", x: "events",
		alt:  "Cost of an event over the number of events, from 1 to 1,000,000",
		rest: plot.Axis{Label: "time per event", Unit: plot.Nanoseconds, Log: true},
		y: map[string]plot.Axis{
			"memory of an open event": {Label: "heap per event", Unit: plot.Bytes, Log: true},
		},
		text: "All of these should be flat. A run creates n events, records and queries each on an idle " +
			"stream, and closes them; times are wall time per event. A closed event's native event is " +
			"kept for the next ones, up to a limit: below it, creating one makes no driver call, and " +
			"package event is cheaper than the calls to the simulator alone; above it, an event takes " +
			"a native one, in its context. The driver's work is the simulator's own in both lines. " +
			"From some ten thousand events on, they no longer fit into the processor's caches. " +
			"Memory is the heap after garbage collections with n recorded events open; the simulator's " +
			"events are on the same heap.",
	},
	"streams": {
		title: "What it costs to wait for many streams", x: "streams that are waited for",
		alt:  "Processor time, driver queries and wake-up latency over the number of streams",
		wide: true,
		tail: "wake-up latency",
		y: map[string]plot.Axis{
			"processor while waiting": {Label: "of a core", Unit: plot.Percent, Log: true},
			"driver queries":          {Label: "queries per second", Log: true},
			"wake-up latency":         {Label: "median latency", Unit: plot.Nanoseconds, Log: true},
		},
		text: "Goroutines wait for an event on each of n streams whose work does not end. Polling may " +
			"grow linearly: each stream is queried about once a millisecond, until the poller takes " +
			"a tenth of a processor and rests. *The simulator alone* is what as many queries take through " +
			"cudrv. The host has no poller. For the latency, one of the streams has work of 2 to 8 ms, " +
			"again and again, at random; it ends by a call in the same process. That should not depend " +
			"on how many others are stuck, until the poller rests.",
	},
	"waiters": {
		title: "How long until all waiters are awake", x: "waiters",
		alt:       "Time until all waiters are awake over their number, from 1 to 400,000",
		rest:      plot.Axis{Label: "until the last is awake", Unit: plot.Nanoseconds, Log: true},
		perObject: true,
		text: "From the end of the work until the last of n waiters is awake. The time should be linear " +
			"in n, and flat per waiter, once it is longer than the wake-up latency of a single one, " +
			"which is up to a millisecond on a polled driver. On the left, n goroutines are in " +
			"Event.Wait for one event; on the right, a goroutine receives from the Done channels of n " +
			"events of one stream.",
	},
}

// axis is that of the numbers.
func (g grown) axis() plot.Axis { return plot.Axis{Label: g.x, Log: true, Tight: true, Wide: g.wide} }

// drawGrowth draws all figures of growth.json.
func drawGrowth(file string) (section, error) {
	r, err := growth.Read(file)
	if err != nil {
		return section{}, err
	}
	s := section{
		title: "Growth",
		before: fmt.Sprintf("%s: %v. One process measures the host device and, in package eventsim, a "+
			"simulated CUDA driver whose functions are Go functions that are called as C functions: "+
			"this call and the simulator's work cost most of what its lines show. *The simulator alone* "+
			"is the same calls through cudrv without package event. Nothing is subtracted; each timed "+
			"loop includes a reading of the clock, which takes %.0f ns and can be seen at n = 1. "+
			"The data is in [growth.json](growth.json).", r.Date, r.Machine, r.Clock),
	}
	var names []string
	for _, c := range r.Curves {
		if !slices.Contains(names, c.Figure) {
			names = append(names, c.Figure)
		}
	}
	for _, name := range names {
		p, err := growthPicture(r, name)
		if err != nil {
			return section{}, fmt.Errorf("%s: %w", file, err)
		}
		s.pictures = append(s.pictures, p)
	}
	s.after, err = growthTable(r)
	return s, err
}

func growthPicture(r growth.Report, name string) (picture, error) {
	g, ok := figures[name]
	if !ok {
		return picture{}, fmt.Errorf("%w: the figure %q is not known", plot.ErrBadData, name)
	}
	l := plot.Lines{
		Title:   g.title,
		Below:   fmt.Sprintf("%s, %s, %s", r.Machine.CPU, r.Machine.Platform, r.Date),
		Columns: 2,
		Height:  230,
	}
	var each []plot.Panel // of the values per object
	for _, c := range r.Curves {
		if c.Figure != name {
			continue
		}
		y, ok := g.y[c.Panel]
		if !ok {
			y = g.rest
		}
		whole, per := growthLine(c)
		add(&l.Panels, plot.Panel{Title: c.Panel, Y: y, X: g.axis()}, whole)
		if c.Panel == g.tail {
			y.Label = "99th percentile"
			tail := plot.Line{Name: c.Way, X: whole.X}
			for _, p := range c.Points {
				tail.Y = append(tail.Y, max(p.Value, p.High))
			}
			add(&each, plot.Panel{Title: c.Panel + ": 99th percentile", Y: y, X: g.axis()}, tail)
		}
		if g.perObject {
			y.Label = "time per waiter"
			add(&each, plot.Panel{Title: c.Panel + ": per waiter", Y: y, X: g.axis()}, per)
		}
	}
	shown := map[string]growth.Verdict{}
	for _, c := range r.Curves {
		if c.Figure == name {
			shown[c.Panel] = c.Should
		}
	}
	for i := range l.Panels {
		guide(&l.Panels[i], shown[l.Panels[i].Title])
	}
	for i := range each {
		guide(&each[i], growth.Flat)
	}
	l.Panels = append(l.Panels, each...)
	svg, err := l.SVG()
	return picture{"growth-" + name + ".svg", g.alt, g.text, svg}, err
}

// add puts a line into the panel of that title.
func add(to *[]plot.Panel, p plot.Panel, l plot.Line) {
	i := slices.IndexFunc(*to, func(q plot.Panel) bool { return q.Title == p.Title })
	if i < 0 {
		i = len(*to)
		*to = append(*to, p)
	}
	(*to)[i].Lines = append((*to)[i].Lines, l)
}

// growthLine is a curve as it was measured, and divided by the number of objects.
func growthLine(c growth.Curve) (whole, each plot.Line) {
	whole.Name, each.Name = c.Way, c.Way
	for _, p := range c.Points {
		n := float64(p.N)
		whole.X, whole.Y = append(whole.X, n), append(whole.Y, p.Value)
		each.X, each.Y = append(each.X, n), append(each.Y, p.Value/n)
	}
	return whole, each
}

// guide adds a line to compare with: above the data, as steep as the curves should be.
func guide(p *plot.Panel, should growth.Verdict) {
	from, to, top := math.Inf(1), 0.0, 0.0
	slope := 0.0
	if should == growth.Linear {
		slope = 1
	}
	for _, l := range p.Lines {
		for i, x := range l.X {
			from, to = min(from, x), max(to, x)
			top = max(top, l.Y[i])
		}
	}
	least := math.Inf(1)
	for _, l := range p.Lines {
		for _, y := range l.Y {
			least = min(least, y)
		}
	}
	// At least two powers of ten, so that noise does not look like growth.
	if top/least < 100 {
		p.Y.Min, p.Y.Max = least/math.Sqrt(100/(top/least)), top*math.Sqrt(100/(top/least))
	}
	switch should {
	case growth.Linear:
		at := 0.0 // above what the last power of ten suggests
		for _, l := range p.Lines {
			for i, x := range l.X {
				if x >= to/10 {
					at = max(at, 2*l.Y[i]*to/x)
				}
			}
		}
		begin := max(from, to*least/at) // not below the data
		p.Guides = []plot.Line{{Name: "linear", X: []float64{begin, to},
			Y: []float64{at * math.Pow(begin/to, slope), at}}}
	case growth.Flat:
		p.Guides = []plot.Line{{Name: "flat", X: []float64{from, to}, Y: []float64{top * 2.5, top * 2.5}}}
	}
}

// growthTable lists how each curve grows.
func growthTable(r growth.Report) (string, error) {
	var b strings.Builder
	b.WriteString("### How they grow\n\n")
	b.WriteString(wrap(fmt.Sprintf("The exponent e of cost ~ nᵉ over a curve's last %d powers of ten: "+
		"the median of the slopes between all pairs of its points, which a few disturbed points do "+
		"not move. Within %.1f of 0 is flat, within %.1f of 1 linear, between them sublinear. A curve "+
		"is as it should be if its exponent is not larger than that allows.",
		growth.Decades, growth.Tolerance, growth.Tolerance)))
	b.WriteString("\n| figure | measure | device | n | first | last | exponent | it is | should be | so |\n")
	b.WriteString("|---|---|---|---|--:|--:|--:|---|---|---|\n")
	for _, c := range r.Curves {
		f, err := c.Fit()
		if err != nil {
			return "", fmt.Errorf("%s, %s, %s: %w", c.Figure, c.Panel, c.Way, err)
		}
		so, should := "yes", string(c.Should)
		switch {
		case should == "":
			so, should = "–", "–"
		case !f.Good(c.Should):
			so = "no"
		}
		unit := figures[c.Figure].rest.Unit
		if y, ok := figures[c.Figure].y[c.Panel]; ok {
			unit = y.Unit
		}
		value := func(p growth.Point) string { return unit.Format(p.Value) }
		fmt.Fprintf(&b, "| %s | %s | %s | %s to %s | %s | %s | %.2f | %s | %s | %s |\n", c.Figure, c.Panel,
			c.Way, plot.Number.Format(float64(f.From)), plot.Number.Format(float64(f.To)),
			value(fromPoint(c, f)), value(c.Points[len(c.Points)-1]), f.Exponent, f.Verdict(), should, so)
	}
	return b.String(), nil
}

// fromPoint is the first point that the fit has.
func fromPoint(c growth.Curve, f growth.Fit) growth.Point {
	i := slices.IndexFunc(c.Points, func(p growth.Point) bool { return p.N == f.From })
	return c.Points[i]
}
