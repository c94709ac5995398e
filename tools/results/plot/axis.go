package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Unit is what an axis counts, and how its numbers are written.
type Unit int

// The units.
const (
	Number      Unit = iota // 1,000,000
	Nanoseconds             // 1 ns, 20 µs, 3 ms
	Bytes                   // 500 B, 2 kB
	Percent                 // 50 %
	Times                   // 2×
)

// Format writes a value with up to three digits.
func (u Unit) Format(v float64) string {
	switch u {
	case Nanoseconds:
		return scaled(v, "ns", "µs", "ms", "s")
	case Bytes:
		return scaled(v, "B", "kB", "MB", "GB")
	case Percent:
		return short(v) + " %"
	case Times:
		return short(v) + "×"
	}
	return short(v)
}

// scaled writes a value with the largest of units that are a thousand apart.
func scaled(v float64, units ...string) string {
	i := 0
	for ; i < len(units)-1 && math.Abs(v) >= 999.5; i++ {
		v /= 1000
	}
	return short(v) + " " + units[i]
}

// short writes a number with three digits or more, without an exponent if it is below 10^9.
func short(v float64) string {
	if v == 0 {
		return "0"
	}
	if a := math.Abs(v); a < 1e-4 || a >= 1e9 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	places := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	s := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Contains(s, ".") {
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Axis is one of a plot.
type Axis struct {
	Label string
	Unit  Unit
	Log   bool
	// Min and Max are limits that are kept if the data lies within them. 0 means that the data sets
	// them.
	Min, Max float64
	// Tight axes end where the data does.
	Tight bool
	// Wide axes have room for numbers between powers of ten.
	Wide bool
}

// largest is the largest value, and 1/largest the least on a logarithmic axis. Round limits around
// them are numbers too.
const largest = 1e100

// check refuses a value that the axis can't show.
func (a Axis) check(v float64) error {
	switch {
	case !(math.Abs(v) <= largest): // refuses not-a-number too
		return fmt.Errorf("%w: %v", ErrBadData, v)
	case a.Log && v < 1/largest:
		return fmt.Errorf("%w: %v on a logarithmic axis", ErrBadData, v)
	}
	return nil
}

// limits returns round limits that contain all values, and those of the axis.
func (a Axis) limits(values []float64) (from, to float64) {
	from, to = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		from, to = min(from, v), max(to, v)
	}
	if !a.Log {
		from = min(from, a.Min)
		step := linearStep(from, max(to, a.Max))
		from, to = math.Floor(from/step)*step, math.Ceil(max(to, a.Max)/step)*step
		if from == to {
			to += step
		}
		return from, to
	}
	if a.Min > 0 {
		from = min(from, a.Min)
	}
	to = max(to, a.Max)
	if a.Tight && from < to {
		return from, to
	}
	from, to = below(from), above(to)
	if from == to {
		from, to = below(from/1.01), above(to*1.01)
	}
	return from, to
}

// linearStep is 1, 2 or 5 times a power of ten, about a fifth of a range.
func linearStep(from, to float64) float64 {
	if to <= from {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10((to-from)/5)))
	for _, step := range []float64{1, 2, 5} {
		if step*power*7 >= to-from {
			return step * power
		}
	}
	return 10 * power
}

// below and above are the nearest of 1, 2 and 5 times a power of ten.
func below(v float64) float64 {
	power := decade(math.Floor(math.Log10(v) + 1e-12))
	for _, step := range []float64{5, 2} {
		if step*power <= v*(1+1e-9) {
			return step * power
		}
	}
	return power
}

func above(v float64) float64 {
	power := decade(math.Floor(math.Log10(v) + 1e-12))
	for _, step := range []float64{1, 2, 5} {
		if step*power >= v*(1-1e-9) {
			return step * power
		}
	}
	return 10 * power
}

// decade is a power of ten, exact where it can be.
func decade(exponent float64) float64 {
	v, err := strconv.ParseFloat(fmt.Sprintf("1e%d", int(exponent)), 64)
	if err != nil {
		return math.Pow(10, exponent)
	}
	return v
}

// set gives a plot's axis its limits, scale and numbers. Its label is drawn by drawPanel, for the
// library makes room for one as if the scale were linear.
func (a Axis) set(of *plot.Axis, values []float64) {
	of.Min, of.Max = a.limits(values)
	if a.Log {
		of.Scale = plot.LogScale{}
		of.Tick.Marker = plot.TickerFunc(a.logTicks)
	} else {
		of.Tick.Marker = plot.TickerFunc(a.linearTicks)
	}
}

// label writes a value of the axis: large plain numbers with a letter, so that they have room.
func (a Axis) label(v float64) string {
	if a.Unit == Number && !a.Wide && v >= 1000 {
		return strings.ReplaceAll(scaled(v, "", "k", "M", "G"), " ", "")
	}
	return a.Unit.Format(v)
}

func (a Axis) linearTicks(from, to float64) (all []plot.Tick) {
	step := linearStep(from, to)
	for i := 0; ; i++ {
		v := from + float64(i)*step
		if v > to+step/1000 {
			return all
		}
		all = append(all, plot.Tick{Value: v, Label: a.Unit.Format(math.Round(v/step) * step)})
	}
}

// logTicks are numbered at powers of ten, and at 2 and 5 times these if there is room.
func (a Axis) logTicks(from, to float64) (all []plot.Tick) {
	decades := math.Log10(to / from)
	between := decades <= 1.7 || a.Wide && decades <= 3.5
	every := 1 // power of ten has a number
	if decades > 7 && !a.Wide {
		every = 2
	}
	for e := math.Floor(math.Log10(from) + 1e-12); decade(e) <= to*(1+1e-9); e++ {
		for step := 1.0; step < 10; step++ {
			v := step * decade(e)
			if v < from*(1-1e-9) || v > to*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if step == 1 && int(e)%every == 0 || between && (step == 2 || step == 5) {
				t.Label = a.label(v)
			}
			all = append(all, t)
		}
	}
	return all
}
