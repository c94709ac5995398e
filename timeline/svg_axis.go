package timeline

import (
	"math"
	"strconv"
	"time"
)

// axis draws the axis of time, and its lines down to the last lane.
func (d *drawing) axis(bottom float64) {
	y := float64(titleHeight + axisHeight - 8)
	d.printf(`<line x1="%d" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#333"/>`+"\n", labelWidth, y,
		d.width-rightMargin, y)
	step := tickStep(d.to-d.from, int(d.width-labelWidth)/100)
	unit, name := unitOf(step)
	for t := ceilTo(d.from, step); t <= d.to; t += step {
		x := d.x(t)
		d.printf(`<line class="tick" x1="%.2f" y1="%.1f" x2="%.2f" y2="%.1f" stroke="#ddd"/>`+
			`<text x="%.2f" y="%.1f" text-anchor="middle" fill="#333">%s</text>`+"\n",
			x, y, x, bottom, x, y-5, number(t, unit)+" "+name)
	}
}

// tickStep returns the distance of the axis's ticks: 1, 2 or 5 of a power of ten, for at most n of
// them.
func tickStep(span time.Duration, n int) time.Duration {
	least := float64(span) / float64(max(n, 1))
	power := math.Pow(10, math.Floor(math.Log10(max(least, 1))))
	for _, f := range [...]float64{1, 2, 5, 10} {
		if f*power >= least {
			return time.Duration(f * power)
		}
	}
	return time.Duration(10 * power)
}

// ceilTo returns the first multiple of step that is not before t.
func ceilTo(t, step time.Duration) time.Duration {
	down := t / step * step
	if down < t {
		down += step
	}
	return down
}

// unitOf returns the unit in which a step is shown.
func unitOf(step time.Duration) (time.Duration, string) {
	switch {
	case step >= time.Second:
		return time.Second, "s"
	case step >= time.Millisecond:
		return time.Millisecond, "ms"
	case step >= time.Microsecond:
		return time.Microsecond, "µs"
	}
	return time.Nanosecond, "ns"
}

func number(t, unit time.Duration) string {
	return strconv.FormatFloat(float64(t)/float64(unit), 'f', -1, 64)
}
