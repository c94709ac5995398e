package growth

import (
	"fmt"
	"math"
	"slices"
)

// Verdict is how a curve grows.
type Verdict string

// The verdicts, by the exponent e of the power law that fits: cost ~ n^e.
const (
	Falling     Verdict = "falling"     // e < -Tolerance
	Flat        Verdict = "flat"        // within Tolerance of 0
	Sublinear   Verdict = "sublinear"   // between flat and linear
	Linear      Verdict = "linear"      // within Tolerance of 1
	Superlinear Verdict = "superlinear" // e > 1 + Tolerance
)

// Tolerance is how far the exponent of a flat or linear curve may be from 0 or 1. 0.1 is 26 % in
// cost for ten times as many objects.
const Tolerance = 0.1

// Decades is the part of a curve that is fitted: its last three powers of ten. What comes before
// is dominated by costs that do not depend on the number.
const Decades = 3

// Fit is the power law that fits a curve.
type Fit struct {
	Exponent float64
	From, To int // the numbers of objects that it is fitted to
	Points   int
	// Spread is the greatest over the least cost in that part, or cost per object if that is
	// closer. It shows a step, which hardly moves the exponent.
	Spread float64
}

// Verdict names the growth.
func (f Fit) Verdict() Verdict {
	switch e := f.Exponent; {
	case e < -Tolerance:
		return Falling
	case e <= Tolerance:
		return Flat
	case e < 1-Tolerance:
		return Sublinear
	case e <= 1+Tolerance:
		return Linear
	default:
		return Superlinear
	}
}

// Good reports whether a curve grows no faster than it should.
func (f Fit) Good(should Verdict) bool {
	switch should {
	case Flat:
		return f.Exponent <= Tolerance
	case Linear:
		return f.Exponent <= 1+Tolerance
	}
	return true
}

// Fit returns the median of the slopes between all pairs of the last points, on logarithmic scales
// (Theil and Sen's estimator). Unlike least squares, a few disturbed points do not move it.
func (c Curve) Fit() (Fit, error) {
	if err := c.validate(); err != nil {
		return Fit{}, err
	}
	last := c.Points[len(c.Points)-1].N
	points := slices.DeleteFunc(slices.Clone(c.Points), func(p Point) bool {
		return float64(p.N) < float64(last)/math.Pow(10, Decades)*(1-1e-9)
	})
	if len(points) < 2 {
		return Fit{}, fmt.Errorf("%w: %d points in the last %d powers of ten, and a fit needs two",
			ErrNothing, len(points), Decades)
	}
	var slopes []float64
	for i, p := range points {
		for _, q := range points[i+1:] {
			slopes = append(slopes, math.Log(c.Cost(q)/c.Cost(p))/
				math.Log(float64(q.N)/float64(p.N)))
		}
	}
	slices.Sort(slopes)
	n := len(slopes)
	return Fit{
		Exponent: (slopes[(n-1)/2] + slopes[n/2]) / 2,
		From:     points[0].N,
		To:       last,
		Points:   len(points),
		Spread: min(
			spread(points, func(p Point) float64 { return c.Cost(p) }),
			spread(points, func(p Point) float64 { return c.Cost(p) / float64(p.N) })),
	}, nil
}

// spread is the greatest over the least value.
func spread(points []Point, value func(Point) float64) float64 {
	least, most := math.Inf(1), 0.0
	for _, p := range points {
		least, most = min(least, value(p)), max(most, value(p))
	}
	return most / least
}
