package plot

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Measures of pictures, in points.
const (
	width  = 720.0
	margin = 12.0
	lineUp = 16.0 // from a line of the legend to the next
)

// sheet is a picture in the making. Its head has the title, a line below it and the legend.
type sheet struct {
	svg   *vgsvg.Canvas
	all   draw.Canvas
	title string
}

// heading is what is above the panels.
type heading struct {
	title, below string
	entries      []entry
}

// entry is one of the legend.
type entry struct {
	name string
	look look
	line bool // with a piece of a line
	fill bool // a box, as for bars
}

// height is what the heading takes.
func (h heading) height() float64 {
	points := margin + titleSize + 8
	if h.below != "" {
		points += labelSize + 6
	}
	return points + float64(len(h.lines()))*lineUp + 14
}

// lines breaks the legend into lines.
func (h heading) lines() (all [][]entry) {
	x := margin
	for _, e := range h.entries {
		w := e.width()
		if len(all) == 0 || x+w > width-margin {
			all, x = append(all, nil), margin
		}
		all[len(all)-1] = append(all[len(all)-1], e)
		x += w
	}
	return all
}

// key is the width of the example.
func (e entry) key() float64 {
	if e.line {
		return 24
	}
	return 12
}

func (e entry) width() float64 {
	return e.key() + 6 + textStyle(labelSize, black, false).Width(e.name).Points() + 18
}

// newSheet begins a picture with room for panels of a height below its heading, which it draws.
func newSheet(h heading, panels float64) *sheet {
	height := h.height() + panels + margin
	svg := vgsvg.New(vg.Points(width), vg.Points(height))
	s := &sheet{svg: svg, all: draw.New(svg), title: h.title}
	s.all.FillPolygon(white, []vg.Point{
		{}, {X: vg.Points(width)}, {X: vg.Points(width), Y: vg.Points(height)}, {Y: vg.Points(height)},
	})
	y := height - margin - titleSize
	s.write(margin, y, textStyle(titleSize, black, true), h.title)
	if h.below != "" {
		y -= labelSize + 6
		s.write(margin, y, textStyle(labelSize, grey, false), h.below)
	}
	y -= 6
	for _, line := range h.lines() {
		y -= lineUp
		x := margin
		for _, e := range line {
			s.key(e, x, y+4)
			s.write(x+e.key()+6, y, textStyle(labelSize, black, false), e.name)
			x += e.width()
		}
	}
	return s
}

func (s *sheet) write(x, y float64, style draw.TextStyle, line string) {
	s.all.FillText(style, vg.Point{X: vg.Points(x), Y: vg.Points(y)}, line)
}

// key draws an example of a series.
func (s *sheet) key(e entry, x, y float64) {
	middle := vg.Point{X: vg.Points(x + e.key()/2), Y: vg.Points(y)}
	switch {
	case e.fill:
		s.all.FillPolygon(e.look.colour, []vg.Point{
			{X: vg.Points(x), Y: vg.Points(y - 5)}, {X: vg.Points(x + e.key()), Y: vg.Points(y - 5)},
			{X: vg.Points(x + e.key()), Y: vg.Points(y + 5)}, {X: vg.Points(x), Y: vg.Points(y + 5)},
		})
		return
	case e.line:
		s.all.StrokeLine2(e.look.line(), vg.Points(x), middle.Y, vg.Points(x+e.key()), middle.Y)
	}
	if e.look.glyph != nil {
		s.all.DrawGlyphNoClip(e.look.mark(), middle)
	}
}

// panel is a part of the picture, by its distances from the left, the bottom of the heading and its
// own size.
func (s *sheet) panel(left, top, w, h float64, head heading) draw.Canvas {
	height := s.all.Max.Y.Points()
	from := height - head.height() - top
	return draw.Crop(s.all, vg.Points(left), vg.Points(left+w-width),
		vg.Points(from-h), vg.Points(from-height))
}

// drawPanel draws a plot and the labels of its axes.
func (s *sheet) drawPanel(p *plot.Plot, c draw.Canvas, x, y string) {
	style := textStyle(labelSize, black, false)
	const room = labelSize + 6
	inner := c
	if x != "" {
		inner = draw.Crop(inner, 0, 0, vg.Points(room), 0)
	}
	if y != "" {
		inner = draw.Crop(inner, vg.Points(room), 0, 0, 0)
	}
	p.Draw(inner)
	data := p.DataCanvas(inner)
	middle := data.Center()
	if x != "" {
		s.all.FillText(style,
			vg.Point{X: middle.X - style.Width(x)/2, Y: c.Min.Y + vg.Points(3)}, x)
	}
	if y != "" {
		at := vg.Point{X: c.Min.X + vg.Points(labelSize), Y: middle.Y - style.Width(y)/2}
		style.Rotation = math.Pi / 2
		s.all.FillText(style, at, y)
	}
}

func (l look) line() draw.LineStyle {
	return draw.LineStyle{Color: l.colour, Width: vg.Points(1.6), Dashes: l.dashes}
}

func (l look) mark() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.colour, Radius: vg.Points(3.2), Shape: l.glyph}
}

// bytes returns the picture. The library names one font; readers without it get one like it.
func (s *sheet) bytes() ([]byte, error) {
	var b bytes.Buffer
	if _, err := s.svg.WriteTo(&b); err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(b.String(), "font-family:Liberation Sans;font-variant:normal;",
		"font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	_, rest, found := strings.Cut(text, "<svg ")
	if !found {
		return nil, errors.New("the library wrote no <svg> element")
	}
	label := html.EscapeString(s.title)
	return fmt.Appendf(nil, "<svg role=\"img\" aria-label=\"%s\" %s", label, rest), nil
}
