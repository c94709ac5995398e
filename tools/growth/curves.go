package main

import (
	"slices"
	"strconv"

	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// curves collects runs by panel, way and number, in the order of the first ones.
type curves struct {
	figure string
	should map[string]growth.Verdict // by panel
	least  bool                      // of the runs counts
	all    []*curve
}

type curve struct {
	panel, way string
	points     []*runs
}

// runs are those with n objects.
type runs struct {
	n, perRun int
	values    []float64
	latencies bool // the values are those of single wake-ups
}

// of returns the runs of a panel and a way with n objects.
func (c *curves) of(panel, way string, n int) *runs {
	i := slices.IndexFunc(c.all, func(c *curve) bool { return c.panel == panel && c.way == way })
	if i < 0 {
		i = len(c.all)
		c.all = append(c.all, &curve{panel: panel, way: way})
	}
	k := c.all[i]
	j := slices.IndexFunc(k.points, func(r *runs) bool { return r.n == n })
	if j < 0 {
		j = len(k.points)
		k.points = append(k.points, &runs{n: n})
	}
	return k.points[j]
}

// add adds a run of so many operations.
func (c *curves) add(panel, way string, n, perRun int, value float64) {
	r := c.of(panel, way, n)
	r.perRun, r.values = perRun, append(r.values, value)
}

// finish returns the curves.
func (c *curves) finish() (all []growth.Curve) {
	for _, k := range c.all {
		out := growth.Curve{Figure: c.figure, Panel: k.panel, Way: k.way,
			Should: c.should[k.panel], Least: c.least}
		for _, r := range k.points {
			out.Points = append(out.Points, r.point())
		}
		all = append(all, out)
	}
	return all
}

// point is the median, the least and the greatest value; of latencies, the 99th percentile.
func (r *runs) point() growth.Point {
	s := slices.Sorted(slices.Values(r.values))
	m := len(s)
	p := growth.Point{
		N: r.n, Value: digits((s[(m-1)/2] + s[m/2]) / 2),
		Low: digits(s[0]), High: digits(s[m-1]), Runs: m, PerRun: r.perRun,
	}
	if r.latencies {
		p.High = max(p.Value, digits(s[(m-1)*99/100]))
	}
	return p
}

// digits rounds to four significant digits.
func digits(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return v // what FormatFloat writes can be read
	}
	return rounded
}
