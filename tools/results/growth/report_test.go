package growth

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// curve has points at 1, 10, ... 10^6.
func curve(value func(n float64) float64) Curve {
	c := Curve{Figure: "f", Panel: "p", Way: "w"}
	for n := 1; n <= 1_000_000; n *= 10 {
		c.Points = append(c.Points, Point{N: n, Value: value(float64(n)), Runs: 1})
	}
	return c
}

func power(factor, exponent float64) func(float64) float64 {
	return func(n float64) float64 { return factor * math.Pow(n, exponent) }
}

func TestFit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of       func(n float64) float64
		exponent float64
		verdict  Verdict
	}{
		"constant":               {power(50, 0), 0, Flat},
		"almost constant":        {power(50, 0.09), 0.09, Flat},
		"root":                   {power(3, 0.5), 0.5, Sublinear},
		"linear":                 {power(7, 1), 1, Linear},
		"n log n":                {func(n float64) float64 { return n * math.Log2(n+1) }, 1.09, Linear},
		"square":                 {power(0.01, 2), 2, Superlinear},
		"falling":                {power(1e6, -0.5), -0.5, Falling},
		"linear with fixed cost": {func(n float64) float64 { return 300 + n }, 1, Linear},
		"flat with fixed cost":   {func(n float64) float64 { return 90 + 3000/n }, 0, Flat},
	} {
		f, err := curve(c.of).Fit()
		require.NoError(t, err, name)
		assert.InDelta(t, c.exponent, f.Exponent, 0.03, name)
		assert.Equal(t, c.verdict, f.Verdict(), name)
		want := Fit{Exponent: f.Exponent, From: 1000, To: 1_000_000, Points: 4, Spread: f.Spread}
		assert.Equal(t, want, f, name)
	}
}

// TestFitWithDisturbance has a point that is ten times too high.
func TestFitWithDisturbance(t *testing.T) {
	t.Parallel()
	for e := range 3 {
		c := curve(power(5, float64(e)))
		c.Points[4].Value *= 10
		f, err := c.Fit()
		require.NoError(t, err)
		assert.InDelta(t, float64(e), f.Exponent, 0.35, "%d", e)
	}
}

// TestSpread has a step that the exponent hides, and a line, flat and per object.
func TestSpread(t *testing.T) {
	t.Parallel()
	step := Curve{Figure: "f", Panel: "p", Way: "w"}
	for i, n := range []int{1, 3, 10, 30, 100, 300, 1000} {
		step.Points = append(step.Points, Point{N: n, Value: 100, Runs: 1})
		if i == 0 {
			step.Points[i].Value = 25
		}
	}
	f, err := step.Fit()
	require.NoError(t, err)
	assert.Equal(t, Flat, f.Verdict())
	assert.InDelta(t, 4, f.Spread, 1e-9)
	f, err = curve(power(3, 1)).Fit()
	require.NoError(t, err)
	assert.InDelta(t, 1, f.Spread, 1e-9, "per object")
	f, err = curve(power(3, 0.5)).Fit()
	require.NoError(t, err)
	assert.InDelta(t, math.Sqrt(1000), f.Spread, 1e-9, "either way")
}

// TestLeast has medians that grow and least runs that don't.
func TestLeast(t *testing.T) {
	t.Parallel()
	c := curve(power(100, 1))
	for i := range c.Points {
		c.Points[i].Low = 100
	}
	f, err := c.Fit()
	require.NoError(t, err)
	assert.Equal(t, Linear, f.Verdict())
	c.Least = true
	f, err = c.Fit()
	require.NoError(t, err)
	assert.Equal(t, Flat, f.Verdict())
	assert.InDelta(t, 1, f.Spread, 1e-9)
}

func TestGood(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		exponent float64
		should   Verdict
		good     bool
	}{
		{0, Flat, true}, {0.1, Flat, true}, {-1, Flat, true}, {0.11, Flat, false},
		{1, Linear, true}, {0.4, Linear, true}, {1.11, Linear, false},
		{5, "", true},
	} {
		assert.Equal(t, c.good, Fit{Exponent: c.exponent}.Good(c.should), "%+v", c)
	}
}

func TestFewPointsInTheLastDecades(t *testing.T) {
	t.Parallel()
	c := curve(power(1, 1))
	c.Points = []Point{c.Points[0], c.Points[6]}
	_, err := c.Fit()
	require.ErrorIs(t, err, ErrNothing)
	c.Points = c.Points[:1]
	_, err = c.Fit()
	require.ErrorIs(t, err, ErrNothing)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(c *Curve)
		want   error
	}{
		"no points":          {func(c *Curve) { c.Points = nil }, ErrNothing},
		"one point":          {func(c *Curve) { c.Points = c.Points[:1] }, ErrNothing},
		"no figure":          {func(c *Curve) { c.Figure = "" }, ErrImplausible},
		"unknown growth":     {func(c *Curve) { c.Should = "round" }, ErrImplausible},
		"zero":               {func(c *Curve) { c.Points[1].Value = 0 }, ErrImplausible},
		"negative":           {func(c *Curve) { c.Points[1].Value = -1 }, ErrImplausible},
		"not a number":       {func(c *Curve) { c.Points[1].Value = math.NaN() }, ErrImplausible},
		"infinite":           {func(c *Curve) { c.Points[1].Value = math.Inf(1) }, ErrImplausible},
		"no objects":         {func(c *Curve) { c.Points[0].N = 0 }, ErrImplausible},
		"out of order":       {func(c *Curve) { c.Points[1].N = 1 }, ErrImplausible},
		"no runs":            {func(c *Curve) { c.Points[1].Runs = 0 }, ErrImplausible},
		"least is greater":   {func(c *Curve) { c.Points[1].Low = 1e9 }, ErrImplausible},
		"greatest is less":   {func(c *Curve) { c.Points[1].High = 1e-9 }, ErrImplausible},
		"no least run":       {func(c *Curve) { c.Least = true }, ErrImplausible},
		"greatest not known": {func(c *Curve) { c.Points[1].High = 0 }, nil},
	} {
		r := Report{Curves: []Curve{curve(power(1, 1))}}
		c.change(&r.Curves[0])
		err := r.Validate()
		if c.want == nil {
			assert.NoError(t, err, name)
			continue
		}
		require.ErrorIs(t, err, c.want, name)
		require.ErrorIs(t, r.Write(filepath.Join(t.TempDir(), "x.json")), c.want, name)
	}
	require.ErrorIs(t, Report{}.Validate(), ErrNothing)
	twice := Report{Curves: []Curve{curve(power(1, 1)), curve(power(1, 1))}}
	require.ErrorIs(t, twice.Validate(), ErrImplausible)
}

func TestReadAndWrite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "growth.json")
	r := Report{Date: "2026-11-20", Curves: []Curve{curve(power(2, 1))}}
	require.NoError(t, r.Write(file))
	got, err := Read(file)
	require.NoError(t, err)
	assert.Equal(t, r, got)

	require.NoError(t, os.WriteFile(file, []byte(`{"curves": 5}`), 0o644))
	_, err = Read(file)
	require.ErrorContains(t, err, file)
	require.NoError(t, os.WriteFile(file, []byte(`{}`), 0o644))
	_, err = Read(file)
	require.ErrorIs(t, err, ErrNothing)
	_, err = Read(file + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}
