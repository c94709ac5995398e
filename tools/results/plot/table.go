package plot

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Table is operations, each in several ways.
type Table struct {
	Title  string
	Below  string // a line under the title
	Axis   Axis
	Series []string // the ways, in the order of the legend
	Groups []Group
}

// Group is operations under a heading.
type Group struct {
	Name string
	Rows []Row
}

// Row is one operation: its values by series. A series may be missing.
type Row struct {
	Name   string
	Values map[string]float64
}

// Ratios returns the table with each value divided by that of one series in its row. That series
// and rows without it are left out.
func (t Table) Ratios(to string) (Table, error) {
	if !slices.Contains(t.Series, to) {
		return Table{}, fmt.Errorf("%w: no series is called %q", ErrBadData, to)
	}
	out := t
	out.Axis = Axis{Label: "cost as a multiple of " + to, Unit: Times, Log: t.Axis.Log, Wide: true,
		Min: 1, Max: 1}
	out.Series = slices.DeleteFunc(slices.Clone(t.Series), func(s string) bool { return s == to })
	out.Groups = nil
	for _, g := range t.Groups {
		ratios := Group{Name: g.Name}
		for _, r := range g.Rows {
			base, ok := r.Values[to]
			if !ok {
				continue
			}
			if !(base > 0) || math.IsInf(base, 0) {
				return Table{}, fmt.Errorf("%w: row %q, %q: a ratio to %v",
					ErrBadData, r.Name, to, base)
			}
			row := Row{Name: r.Name, Values: map[string]float64{}}
			for s, v := range r.Values {
				if s != to {
					row.Values[s] = v / base
				}
			}
			if len(row.Values) > 0 {
				ratios.Rows = append(ratios.Rows, row)
			}
		}
		if len(ratios.Rows) > 0 {
			out.Groups = append(out.Groups, ratios)
		}
	}
	return out, out.validate()
}

// validate refuses what can't be drawn.
func (t Table) validate() error {
	for i, s := range t.Series {
		if slices.Contains(t.Series[:i], s) {
			return fmt.Errorf("%w: series %q is there twice", ErrBadData, s)
		}
	}
	if len(t.Groups) == 0 {
		return fmt.Errorf("%w: %q has no operations", ErrNoData, t.Title)
	}
	for _, g := range t.Groups {
		if len(g.Rows) == 0 {
			return fmt.Errorf("%w: %q has no operations", ErrNoData, g.Name)
		}
		for _, r := range g.Rows {
			if len(r.Values) == 0 {
				return fmt.Errorf("%w: operation %q has no values", ErrNoData, r.Name)
			}
			for s, v := range r.Values {
				if !slices.Contains(t.Series, s) {
					return fmt.Errorf("%w: operation %q has a value of the unknown series %q",
						ErrBadData, r.Name, s)
				}
				if err := t.Axis.check(v); err != nil {
					return fmt.Errorf("operation %q, %s: %w", r.Name, s, err)
				}
			}
		}
	}
	return nil
}

// values are all in the table.
func (t Table) values() (all []float64) {
	for _, g := range t.Groups {
		for _, r := range g.Rows {
			for _, v := range r.Values {
				all = append(all, v)
			}
		}
	}
	return all
}

// present are the series that have a value.
func (t Table) present() (all []string) {
	for _, s := range t.Series {
		for _, g := range t.Groups {
			if slices.ContainsFunc(g.Rows, func(r Row) bool { _, ok := r.Values[s]; return ok }) {
				all = append(all, s)
				break
			}
		}
	}
	return all
}

// Dots draws a line for each operation, with a mark for each way.
func (t Table) Dots() ([]byte, error) {
	return t.draw(false, func(Row) float64 { return 19 })
}

// Bars draws a bar for each way of each operation, with its value. On a logarithmic axis bars begin
// at the axis's end, so their ends can be compared and their lengths can't; bars of ratios begin
// at 1, and those below go to the left.
func (t Table) Bars() ([]byte, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	t.Axis = t.Axis.withRoom(t.values())
	return t.draw(true, func(r Row) float64 { return float64(len(r.Values))*barPitch + 9 })
}

const barPitch = 11.0

func (t Table) draw(bars bool, heightOf func(Row) float64) ([]byte, error) {
	if err := t.validate(); err != nil {
		return nil, err
	}
	series := t.present()
	all := looksOf(series)
	h := heading{title: t.Title, below: t.Below}
	for _, s := range series {
		h.entries = append(h.entries, entry{name: s, look: all[s], fill: bars})
	}
	const above, underneath, gap = 18, 36, 8
	heights, sum := make([]float64, len(t.Groups)), 0.0
	labels := vg.Length(0)
	name := textStyle(labelSize, black, false)
	for i, g := range t.Groups {
		heights[i] = above + underneath
		for _, r := range g.Rows {
			heights[i] += heightOf(r)
			labels = max(labels, name.Width(r.Name))
		}
		sum += heights[i] + gap
	}
	s := newSheet(h, sum-gap)
	top := 0.0
	left := margin + labels.Points() + 8
	for i, g := range t.Groups {
		c := s.panel(left, top, width-left-margin-4, heights[i], h)
		p := t.panel()
		rows := &rows{table: t, group: g, looks: all, series: series, bars: bars, height: heightOf}
		p.Add(rows)
		s.all.FillText(textStyle(panelSize, black, true),
			vg.Point{X: vg.Points(margin), Y: c.Max.Y - vg.Points(panelSize)}, g.Name)
		s.drawPanel(p, draw.Crop(c, 0, 0, 0, -vg.Points(above)), t.Axis.Label, "")
		top += heights[i] + gap
	}
	return s.bytes()
}

// withRoom is the axis with room for the values' texts beside the bars.
func (a Axis) withRoom(values []float64) Axis {
	const share = 0.1 // of the axis
	from, to := slices.Min(values), slices.Max(values)
	if a.Unit == Times {
		from, to = min(from, 1), max(to, 1)
	}
	if !a.Log {
		a.Max = max(a.Max, to*(1+share))
		return a
	}
	room := math.Pow(to/from, share)
	a.Max = max(a.Max, to*room)
	if a.Unit != Times || from < 1 { // a bar at the axis's end would have no length
		a.Min = from / room
	}
	return a
}

// panel is a plot with the table's axis for all groups.
func (t Table) panel() *plot.Plot {
	p := newPanel()
	t.Axis.set(&p.X, t.values())
	p.Y.Min, p.Y.Max = 0, 1
	p.HideY()
	return p
}

// rows draws one group. It is a plot.Plotter.
type rows struct {
	table  Table
	group  Group
	looks  map[string]look
	series []string
	bars   bool
	height func(Row) float64
}

// Plot implements plot.Plotter.
func (r *rows) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			c.StrokeLine2(draw.LineStyle{Color: lightGrey, Width: vg.Points(0.6)},
				x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	name := textStyle(labelSize, black, false)
	y := c.Max.Y
	for _, row := range r.group.Rows {
		h := vg.Points(r.height(row))
		middle := y - h/2
		c.FillText(name, vg.Point{
			X: c.Min.X - vg.Points(8) - name.Width(row.Name),
			Y: middle - vg.Points(labelSize*0.36),
		}, row.Name)
		if r.bars {
			r.drawBars(&c, p, x, y, row)
		} else {
			r.drawDots(&c, x, middle, row)
		}
		y -= h
	}
}

// drawDots draws a row as marks on a line.
func (r *rows) drawDots(c *draw.Canvas, x func(float64) vg.Length, y vg.Length, row Row) {
	from, to := math.Inf(1), math.Inf(-1)
	for _, v := range row.Values {
		from, to = min(from, v), max(to, v)
	}
	c.StrokeLine2(draw.LineStyle{Color: lightGrey, Width: vg.Points(1.8)}, x(from), y, x(to), y)
	for _, s := range r.series {
		if v, ok := row.Values[s]; ok {
			mark := r.looks[s].mark()
			mark.Radius = vg.Points(4)
			c.DrawGlyphNoClip(mark, vg.Point{X: x(v), Y: y})
		}
	}
}

// drawBars draws a row as bars below each other.
func (r *rows) drawBars(
	c *draw.Canvas, p *plot.Plot, x func(float64) vg.Length, top vg.Length, row Row,
) {
	base := p.X.Min
	if r.table.Axis.Unit == Times {
		base = 1
	}
	value := textStyle(8, black, false)
	y := top - vg.Points(4.5)
	for _, s := range r.series {
		v, ok := row.Values[s]
		if !ok {
			continue
		}
		from, to := x(base), x(v)
		c.FillPolygon(r.looks[s].colour, []vg.Point{
			{X: from, Y: y - vg.Points(1)}, {X: to, Y: y - vg.Points(1)},
			{X: to, Y: y - vg.Points(barPitch-1)}, {X: from, Y: y - vg.Points(barPitch-1)},
		})
		text := r.table.Axis.Unit.Format(v)
		at := to + vg.Points(4)
		if to < from {
			at = to - value.Width(text) - vg.Points(4)
		}
		c.FillText(value, vg.Point{X: at, Y: y - vg.Points(barPitch/2+2.8)}, text)
		y -= vg.Points(barPitch)
	}
	if base == 1 && r.table.Axis.Unit == Times {
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: vg.Points(1)}, x(1), top, x(1), y)
	}
}
