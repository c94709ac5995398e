// Package growth holds how costs change with the number of objects: what tools/growth measured, and
// the exponent that fits it.
package growth

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
)

// Report is one run of tools/growth.
type Report struct {
	Date    string  `json:"date"` // 2026-11-20
	Machine Machine `json:"machine"`
	Clock   float64 `json:"clock_ns"` // what reading the clock takes, part of each timed loop
	Curves  []Curve `json:"curves"`
}

// Machine is where it ran.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Platform string `json:"platform"` // linux/amd64
	Go       string `json:"go"`
}

// String describes the machine in a sentence.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores of %s, %s", m.Platform, m.Cores, m.CPU, m.Go)
}

// Curve is one measure of one way, at several numbers of objects.
type Curve struct {
	Figure string  `json:"figure"` // the plot that it belongs to
	Panel  string  `json:"panel"`  // the part of the plot: the operation or the measure
	Way    string  `json:"way"`    // the line: whose operations these are
	Should Verdict `json:"should,omitempty"`
	// Least says that the least run counts, not the median: other work of the machine can only
	// lengthen it.
	Least  bool    `json:"least,omitempty"`
	Points []Point `json:"points"`
}

// Point is what was measured with N objects.
type Point struct {
	N      int     `json:"n"`
	Value  float64 `json:"value"`            // the median of the runs, in the plot's unit
	Low    float64 `json:"low,omitempty"`    // the least run
	High   float64 `json:"high,omitempty"`   // the greatest run, or the 99th percentile of latencies
	Runs   int     `json:"runs"`             // that the value is the median of
	PerRun int     `json:"per_run,omitzero"` // operations of a run
}

// Cost is what counts of a point.
func (c Curve) Cost(p Point) float64 {
	if c.Least {
		return p.Low
	}
	return p.Value
}

// Errors about data. All are wrapped with what is wrong where.
var (
	// ErrNothing is the error for data without curves, or a curve with fewer than two points.
	ErrNothing = errors.New("too little data")
	// ErrImplausible is the error for numbers that can't have been measured.
	ErrImplausible = errors.New("implausible numbers")
)

// Read reads a report and validates it.
func Read(file string) (Report, error) {
	var r Report
	data, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	if err := r.Validate(); err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// points are those in indented data.
var points = regexp.MustCompile(`\{\s*"n":[^{}]*\}`)

var spaces = regexp.MustCompile(`\s+`)

// Write writes a valid report to a file, a point in a line.
func (r Report) Write(file string) error {
	if err := r.Validate(); err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	data = points.ReplaceAllFunc(data, func(p []byte) []byte {
		return spaces.ReplaceAll(p, []byte(" "))
	})
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// Validate returns an error for data that no plot should show.
func (r Report) Validate() error {
	if len(r.Curves) == 0 {
		return fmt.Errorf("%w: there are no curves", ErrNothing)
	}
	seen := map[[3]string]bool{}
	for _, c := range r.Curves {
		if err := c.validate(); err != nil {
			return fmt.Errorf("%s, %s, %s: %w", c.Figure, c.Panel, c.Way, err)
		}
		name := [3]string{c.Figure, c.Panel, c.Way}
		if seen[name] {
			return fmt.Errorf("%w: the curve %q is there twice", ErrImplausible, name)
		}
		seen[name] = true
	}
	return nil
}

func (c Curve) validate() error {
	switch {
	case c.Figure == "" || c.Panel == "" || c.Way == "":
		return fmt.Errorf("%w: a curve needs a figure, a panel and a way", ErrImplausible)
	case c.Should != "" && c.Should != Flat && c.Should != Linear:
		return fmt.Errorf("%w: a curve should be %q or %q, not %q",
			ErrImplausible, Flat, Linear, c.Should)
	case len(c.Points) < 2:
		return fmt.Errorf("%w: %d points, and a line needs two", ErrNothing, len(c.Points))
	}
	for i, p := range c.Points {
		switch {
		case p.N < 1 || i > 0 && p.N <= c.Points[i-1].N:
			return fmt.Errorf("%w: point %d has %d objects; they must be positive and increase",
				ErrImplausible, i, p.N)
		// Not the other way round, so that not-a-number is refused too.
		case !(p.Value > 0) || math.IsInf(p.Value, 0):
			return fmt.Errorf("%w: %v for %d objects", ErrImplausible, p.Value, p.N)
		case p.Low != 0 && !(0 < p.Low && p.Low <= p.Value),
			p.High != 0 && !(p.Value <= p.High) || math.IsInf(p.High, 0):
			return fmt.Errorf("%w: %v for %d objects, between %v and %v",
				ErrImplausible, p.Value, p.N, p.Low, p.High)
		case c.Least && p.Low == 0:
			return fmt.Errorf("%w: no least run for %d objects", ErrImplausible, p.N)
		case p.Runs < 1:
			return fmt.Errorf("%w: %d runs for %d objects", ErrImplausible, p.Runs, p.N)
		}
	}
	return nil
}
