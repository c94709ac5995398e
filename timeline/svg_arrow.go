package timeline

import "math"

// arrow leads from the end of an item to the end of a wait for it.
type arrow struct{ x1, y1, x2, y2 float64 }

const (
	bulge    = 12.0 // of an arrow's curve: how far its control points are from its ends
	tip      = 7.0  // the length of its head
	distance = 2.0  // from an arrow to a text
)

// findArrows finds the arrows to draw.
func (d *drawing) findArrows() {
	found := ends(d.lanes)
	for _, lay := range d.lanes {
		for _, p := range lay.spans {
			from := found[p.From]
			if p.From == 0 || from == nil || p.end < d.from || from.end > d.to || p.end > d.to ||
				from.end < d.from {
				continue
			}
			d.arrows = append(d.arrows, arrow{d.x(from.end), d.middle(from), d.x(p.end), d.middle(p)})
		}
	}
}

// middle is the height of an item's middle, where it ended.
func (d *drawing) middle(p *placed) float64 {
	for _, lay := range d.lanes {
		if laneID(lay.lane) != laneID(p.Lane) {
			continue
		}
		top := d.tops[laneID(p.Lane)] + lay.flags()
		row := p.depth
		switch {
		case p.Kind == KindMark:
			return d.tops[laneID(p.Lane)] + 5
		case p.Kind == KindAsync || p.apart:
			row += lay.rows
		}
		return top + float64(row)*rowHeight + (rowHeight-3)/2
	}
	return 0
}

// crosses returns the part of a strip that an arrow takes, and whether it takes any.
func (a arrow) crosses(top, bottom float64) (from, to float64, any bool) {
	from, to = math.Inf(1), math.Inf(-1)
	if min(a.y1, a.y2)-tip/2 > bottom || max(a.y1, a.y2)+tip/2 < top {
		return from, to, false
	}
	const pieces = 32
	x0, y0 := a.at(0)
	for i := 1; i <= pieces; i++ {
		x, y := a.at(float64(i) / pieces)
		if max(y0, y) >= top && min(y0, y) <= bottom {
			from, to = min(from, x0, x), max(to, x0, x)
		}
		x0, y0 = x, y
	}
	if a.y2+tip/2 >= top && a.y2-tip/2 <= bottom {
		from, to = min(from, a.x2-tip), max(to, a.x2)
	}
	return from - distance, to + distance, from <= to
}

// at returns a point of the curve, of Bézier's form.
func (a arrow) at(t float64) (x, y float64) {
	u := 1 - t
	p, q, r, s := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return p*a.x1 + q*(a.x1+bulge) + r*(a.x2-bulge) + s*a.x2, (p+q)*a.y1 + (r+s)*a.y2
}

// room returns the first part of a strip, between arrows, where a text of a width has room, or else
// the widest part.
func (d *drawing) room(left, right, top, bottom, width float64) (from, to float64) {
	type part struct{ from, to float64 }
	free := []part{{left, right}}
	for _, a := range d.arrows {
		if max(a.x1, a.x2)+bulge < left || min(a.x1, a.x2)-bulge-tip > right {
			continue
		}
		x1, x2, any := a.crosses(top, bottom)
		if !any {
			continue
		}
		var rest []part
		for _, p := range free {
			if x1 >= p.to || x2 <= p.from {
				rest = append(rest, p)
				continue
			}
			if x1 > p.from {
				rest = append(rest, part{p.from, x1})
			}
			if x2 < p.to {
				rest = append(rest, part{x2, p.to})
			}
		}
		free = rest
	}
	for _, p := range free {
		if p.to-p.from >= width {
			return p.from, p.to
		}
		if p.to-p.from > to-from {
			from, to = p.from, p.to
		}
	}
	return from, to
}
