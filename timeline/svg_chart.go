package timeline

import (
	"fmt"
	"strings"
)

// counters are the names of a lane's counters, in the order of their first values.
func (lay *layout) counters() (names []string) {
	seen := map[string]bool{}
	for _, p := range lay.points {
		if p.Kind == KindCounter && finite(p.Value) && !seen[p.Name] {
			seen[p.Name] = true
			names = append(names, p.Name)
		}
	}
	return names
}

// charts draws a lane's counters below each other, each as steps between zero and its extremes.
func (d *drawing) charts(lay *layout, top float64) {
	for i, name := range lay.counters() {
		y := top + float64(i)*chartHeight
		d.chart(lay, name, y+3, chartHeight-6)
	}
}

func (d *drawing) chart(lay *layout, name string, top, height float64) {
	var least, most float64 // zero is always part of it
	for _, p := range lay.points {
		if p.Kind == KindCounter && p.Name == name && finite(p.Value) {
			least, most = min(least, p.Value), max(most, p.Value)
		}
	}
	if most == least {
		most = least + 1
	}
	y := func(v float64) float64 { return top + height*(most-v)/(most-least) }
	var path strings.Builder
	for _, p := range lay.points {
		switch {
		case p.Kind != KindCounter || p.Name != name || !finite(p.Value) || p.start > d.to:
		case path.Len() == 0:
			fmt.Fprintf(&path, "M%.2f %.1f", d.x(max(p.start, d.from)), y(p.Value))
		default:
			fmt.Fprintf(&path, " H%.2f V%.1f", d.x(max(p.start, d.from)), y(p.Value))
		}
	}
	if path.Len() == 0 {
		return
	}
	d.printf(`<g><title>%s, from %g to %g</title><path class="counter" d="%s H%.2f" fill="none" `+
		`stroke="#2c6e9b" stroke-width="1.5"/><text x="%d" y="%.1f" fill="#2c6e9b" stroke="#f7f9fb" `+
		`stroke-width="3" paint-order="stroke">%s</text></g>`+"\n",
		escape(name), least, most, path.String(), d.x(d.to), labelWidth+3, top+10,
		escape(fmt.Sprintf("%s (up to %g)", name, most)))
}
