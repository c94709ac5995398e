package main

import (
	"slices"
	"strconv"

	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// curves collects curves by panel and way, in the order of their first points.
type curves struct {
	figure string
	should map[string]growth.Verdict // by panel
	all    []growth.Curve
}

func (c *curves) add(panel, way string, p growth.Point) {
	i := slices.IndexFunc(c.all, func(c growth.Curve) bool { return c.Panel == panel && c.Way == way })
	if i < 0 {
		i = len(c.all)
		c.all = append(c.all,
			growth.Curve{Figure: c.figure, Panel: panel, Way: way, Should: c.should[panel]})
	}
	c.all[i].Points = append(c.all[i].Points, p)
}

// median is the point of some runs, with the least and the greatest.
func median(n, perRun int, runs []float64) growth.Point {
	s := slices.Sorted(slices.Values(runs))
	m := len(s)
	return growth.Point{
		N: n, Value: digits((s[(m-1)/2] + s[m/2]) / 2),
		Low: digits(s[0]), High: digits(s[m-1]), Runs: m, PerRun: perRun,
	}
}

// percentiles is the point of latencies: the median, the least and the 99th percentile.
func percentiles(n int, all []float64) growth.Point {
	p := median(n, 1, all)
	p.High = digits(slices.Sorted(slices.Values(all))[(len(all)-1)*99/100])
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
