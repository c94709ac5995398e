package plot

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines is a picture of one panel or more, with lines in each. Lines of the same name look the same
// and are in the legend once.
type Lines struct {
	Title   string
	Below   string // a line under the title
	Panels  []Panel
	Columns int     // of panels; 0 means 1
	Height  float64 // of a panel, in points; 0 means 220
}

// Panel is a part of a picture with its own axes.
type Panel struct {
	Title string
	X, Y  Axis
	Lines []Line
	// Guides are dashed lines to compare with, such as "linear".
	Guides []Line
	// Rules are dashed horizontal lines across the panel.
	Rules []float64
}

// Line is a series of points.
type Line struct {
	Name string
	X, Y []float64
	// Marks are the places in X and Y that get a mark. Nil means all of them.
	Marks []int
}

// names are those of all lines, in the order of the panels.
func (l Lines) names() (all []string) {
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			if !slices.Contains(all, line.Name) {
				all = append(all, line.Name)
			}
		}
	}
	return all
}

// validate refuses what can't be drawn.
func (l Lines) validate() error {
	if len(l.Panels) == 0 {
		return fmt.Errorf("%w: %q has no panels", ErrNoData, l.Title)
	}
	for _, p := range l.Panels {
		if len(p.Lines) == 0 {
			return fmt.Errorf("%w: panel %q has no lines", ErrNoData, p.Title)
		}
		var names []string
		for _, line := range slices.Concat(p.Lines, p.Guides) {
			if err := line.validate(p); err != nil {
				return fmt.Errorf("panel %q, line %q: %w", p.Title, line.Name, err)
			}
			if slices.Contains(names, line.Name) {
				return fmt.Errorf("%w: panel %q has two lines called %q", ErrBadData, p.Title, line.Name)
			}
			names = append(names, line.Name)
		}
	}
	return nil
}

func (l Line) validate(p Panel) error {
	switch {
	case len(l.X) != len(l.Y):
		return fmt.Errorf("%w: %d values of x, %d of y", ErrBadData, len(l.X), len(l.Y))
	case len(l.X) == 0:
		return fmt.Errorf("%w: no points", ErrNoData)
	}
	for i := range l.X {
		if err := p.X.check(l.X[i]); err != nil {
			return err
		}
		if err := p.Y.check(l.Y[i]); err != nil {
			return err
		}
	}
	for _, i := range l.Marks {
		if i < 0 || i >= len(l.X) {
			return fmt.Errorf("%w: a mark at point %d of %d", ErrBadData, i, len(l.X))
		}
	}
	return nil
}

// SVG draws the picture.
func (l Lines) SVG() ([]byte, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	columns, height := max(1, l.Columns), l.Height
	if height == 0 {
		height = 220
	}
	rows := (len(l.Panels) + columns - 1) / columns
	names := l.names()
	all := looksOf(names)
	h := heading{title: l.Title, below: l.Below}
	for _, name := range names {
		h.entries = append(h.entries, entry{name: name, look: all[name], line: true})
	}
	const gap, under = 10, 16 // between panels
	s := newSheet(h, float64(rows)*(height+under)-under)
	each := (width - 2*margin - float64(columns-1)*gap) / float64(columns)
	plots := make([]*plot.Plot, len(l.Panels))
	for i, p := range l.Panels {
		var err error
		if plots[i], err = p.plot(all); err != nil {
			return nil, fmt.Errorf("panel %q: %w", p.Title, err)
		}
	}
	for i, p := range plots {
		column, row := i%columns, i/columns
		c := s.panel(margin+float64(column)*(each+gap), float64(row)*(height+under), each, height, h)
		// Panels below each other have their axes below each other.
		room := vg.Length(0)
		for j := column; j < len(plots); j += columns {
			room = max(room, tickWidth(plots[j]))
		}
		from := l.Panels[i]
		s.drawPanel(p, draw.Crop(c, room-tickWidth(p), 0, 0, 0), from.X.Label, from.Y.Label)
	}
	return s.bytes()
}

// tickWidth is the width of the longest number on the y axis.
func tickWidth(p *plot.Plot) (most vg.Length) {
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		most = max(most, p.Y.Tick.Label.Width(t.Label))
	}
	return most
}

// plot makes the panel.
func (p Panel) plot(looks map[string]look) (*plot.Plot, error) {
	var xs, ys []float64
	for _, line := range slices.Concat(p.Lines, p.Guides) {
		xs, ys = append(xs, line.X...), append(ys, line.Y...)
	}
	out := newPanel()
	out.Title.Text = p.Title
	p.X.set(&out.X, xs)
	p.Y.set(&out.Y, append(ys, p.Rules...))
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = lightGrey, lightGrey
	out.Add(grid)
	for _, y := range p.Rules {
		rule := Line{X: []float64{out.X.Min, out.X.Max}, Y: []float64{y, y}}
		if err := rule.add(out, look{colour: grey, dashes: dash(2, 3)}, false); err != nil {
			return nil, err
		}
	}
	for _, g := range p.Guides {
		if err := g.add(out, look{colour: grey, dashes: dash(5, 4)}, false); err != nil {
			return nil, err
		}
		out.Add(note{g})
	}
	for _, line := range p.Lines {
		if err := line.add(out, looks[line.Name], true); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (l Line) add(to *plot.Plot, k look, marked bool) error {
	points := make(plotter.XYs, len(l.X))
	for i := range points {
		points[i] = plotter.XY{X: l.X[i], Y: l.Y[i]}
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = k.line()
	if !marked {
		line.Width = vg.Points(1)
	}
	to.Add(line)
	if !marked {
		return nil
	}
	if l.Marks != nil {
		var some plotter.XYs
		for _, i := range l.Marks {
			some = append(some, points[i])
		}
		points = some
	}
	if len(points) == 0 {
		return nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.GlyphStyle = k.mark()
	to.Add(marks)
	return nil
}

// note writes the name of a guide under its end.
type note struct{ Line }

// Plot implements plot.Plotter.
func (n note) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	last := len(n.X) - 1
	from, to := vg.Point{X: x(n.X[0]), Y: y(n.Y[0])}, vg.Point{X: x(n.X[last]), Y: y(n.Y[last])}
	style := textStyle(tickSize, grey, false)
	at := vg.Point{X: to.X - style.Width(n.Name) - vg.Points(4), Y: to.Y - vg.Points(tickSize+1)}
	if to.Y-from.Y > vg.Points(20) { // a steep one has its name on the other side
		slope := (to.Y - from.Y) / (to.X - from.X)
		at = vg.Point{X: at.X - vg.Points(14), Y: to.Y - 14*slope}
	}
	c.FillText(style, at, n.Name)
}
