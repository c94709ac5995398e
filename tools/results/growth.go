package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/tools/results/growth"
	"github.com/gpuevent/gpuevent/tools/results/plot"
)

// drawGrowth draws all figures of growth.json.
func drawGrowth(file string) (section, error) {
	r, err := growth.Read(file)
	if err != nil {
		return section{}, err
	}
	s := section{
		title: "Growth",
		before: fmt.Sprintf(`%s: %v. One process measures the host device and, in package eventsim, a
			simulated CUDA driver. The simulator's functions are Go functions that are called as C
			functions, and this and their work make up most of what its lines show. *The simulator
			alone* is the same calls through cudrv without package event. Nothing is subtracted; each
			timed loop includes a reading of the clock, which takes %.0f ns and can be seen at n = 1.
			Everything is measured several times, in turns. Of times per event and times until waiters
			are awake the least run counts, since other work of the machine can only lengthen it; other
			points are medians. All are in [growth.json](growth.json).`,
			r.Date, r.Machine, r.Clock),
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
	var each []plot.Panel // of the values per object, or of others
	should := map[string]growth.Verdict{}
	for _, c := range r.Curves {
		if c.Figure != name {
			continue
		}
		should[c.Panel] = c.Should
		y := g.of(c.Panel)
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
	for i := range l.Panels {
		guide(&l.Panels[i], should[l.Panels[i].Title])
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
		whole.X, whole.Y = append(whole.X, n), append(whole.Y, c.Cost(p))
		each.X, each.Y = append(each.X, n), append(each.Y, c.Cost(p)/n)
	}
	return whole, each
}

// guide adds a line to compare with: above the data, as steep as the curves should be.
func guide(p *plot.Panel, should growth.Verdict) {
	var xs, ys []float64
	for _, l := range p.Lines {
		xs, ys = append(xs, l.X...), append(ys, l.Y...)
	}
	from, to := slices.Min(xs), slices.Max(xs)
	least, most := slices.Min(ys), slices.Max(ys)
	// At least two powers of ten, so that noise does not look like growth.
	if missing := 100 * least / most; missing > 1 {
		p.Y.Min, p.Y.Max = least/math.Sqrt(missing), most*math.Sqrt(missing)
	}
	switch should {
	case growth.Flat:
		y := 2.5 * most
		p.Guides = []plot.Line{{Name: "flat", X: []float64{from, to}, Y: []float64{y, y}}}
	case growth.Linear:
		each := 0.0 // per object, above that of the last power of ten
		for i, x := range xs {
			if x >= to/10 {
				each = max(each, 2*ys[i]/x)
			}
		}
		begin := max(from, least/each) // where the data begins
		p.Guides = []plot.Line{{Name: "linear", X: []float64{begin, to},
			Y: []float64{each * begin, each * to}}}
	}
}

// growthTable lists how each curve grows.
func growthTable(r growth.Report) (string, error) {
	var b strings.Builder
	b.WriteString("### How they grow\n\n")
	b.WriteString(wrap(fmt.Sprintf(`The exponent e of cost ~ nᵉ over a curve's last %d powers of ten:
		the median of the slopes between all pairs of its points, which a few disturbed points do not
		move. Within %.1f of 0 is flat, within %.1f of 1 linear, between them sublinear. A curve is as
		it should be if its exponent is no larger than that allows. The spread is the greatest over the
		least cost there, or cost per object if these are closer: a step, which the exponent hides,
		shows in it.`,
		growth.Decades, growth.Tolerance, growth.Tolerance)))
	b.WriteString("\n| measure | device | n | cost at first | at last | exponent | spread | " +
		"it is | it should be | met |\n|---|---|---|--:|--:|--:|--:|---|---|---|\n")
	for _, c := range r.Curves {
		f, err := c.Fit()
		if err != nil {
			return "", fmt.Errorf("%s, %s, %s: %w", c.Figure, c.Panel, c.Way, err)
		}
		met, should := "yes", string(c.Should)
		switch {
		case should == "":
			met, should = "–", "–"
		case !f.Good(c.Should):
			met = "no"
		}
		unit := figures[c.Figure].of(c.Panel).Unit
		number := func(n int) string { return plot.Number.Format(float64(n)) }
		fmt.Fprintf(&b, "| %s | %s | %s to %s | %s | %s | %.2f | %.1f | %s | %s | %s |\n",
			c.Panel, c.Way, number(f.From), number(f.To), unit.Format(c.Cost(fromPoint(c, f))),
			unit.Format(c.Cost(c.Points[len(c.Points)-1])), f.Exponent, f.Spread, f.Verdict(),
			should, met)
	}
	return b.String(), nil
}

// fromPoint is the first point that the fit has.
func fromPoint(c growth.Curve, f growth.Fit) growth.Point {
	i := slices.IndexFunc(c.Points, func(p growth.Point) bool { return p.N == f.From })
	return c.Points[i]
}
