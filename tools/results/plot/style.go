package plot

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	xfont "golang.org/x/image/font"
)

// The colours, by Okabe and Ito but for greys and the darker yellow.
var (
	black     = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	grey      = color.NRGBA{0x70, 0x70, 0x70, 0xff}
	lightGrey = color.NRGBA{0xe4, 0xe4, 0xe4, 0xff}
	white     = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	blue      = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	skyBlue   = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	orange    = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	brown     = color.NRGBA{0x8c, 0x56, 0x0a, 0xff}
	green     = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	vermilion = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	purple    = color.NRGBA{0xcc, 0x79, 0xa7, 0xff}
)

// look is how a series is drawn: by its form as well as its colour.
type look struct {
	colour color.NRGBA
	glyph  draw.GlyphDrawer
	dashes []vg.Length
}

// looks are those of the ways that have one everywhere.
var looks = map[string]look{
	"C":              {grey, cross{}, nil},
	"cgo":            {blue, draw.BoxGlyph{}, nil},
	"cgo nocallback": {skyBlue, diamond{}, nil},
	"SyscallN":       {orange, wedge{}, nil},
	"RegisterFunc":   {brown, diagonal{}, nil},
	"raw":            {green, draw.PyramidGlyph{}, nil},
	"event":          {vermilion, draw.CircleGlyph{}, nil},
	"event's target": {vermilion, bar{}, nil},
	"compute":        {purple, diamond{}, nil},
	"event Sync":     {vermilion, draw.RingGlyph{}, nil},
	"timeline":       {brown, wedge{}, nil},
	"cuda-core":      {blue, draw.BoxGlyph{}, nil},
	"torch":          {orange, wedge{}, nil},
	"cupy":           {skyBlue, diagonal{}, nil},
}

// others are for series without a look of their own, in the order in which they come.
var others = []look{
	{vermilion, draw.CircleGlyph{}, nil},
	{blue, draw.BoxGlyph{}, dash(7, 2)},
	{green, draw.PyramidGlyph{}, dash(3, 2)},
	{orange, diamond{}, nil},
	{purple, wedge{}, dash(7, 2, 2, 2)},
	{grey, diagonal{}, dash(2, 2)},
	{skyBlue, cross{}, nil},
	{brown, draw.RingGlyph{}, dash(5, 3)},
}

func dash(points ...float64) (all []vg.Length) {
	for _, p := range points {
		all = append(all, vg.Points(p))
	}
	return all
}

// looksOf gives each of several series a look.
func looksOf(names []string) map[string]look {
	all := map[string]look{}
	next := 0
	for _, name := range names {
		l, ok := looks[name]
		if !ok {
			l = others[next%len(others)]
			next++
		}
		all[name] = l
	}
	return all
}

// Sizes of texts.
const (
	titleSize = 14
	panelSize = 11
	labelSize = 10
	tickSize  = 9
)

// textStyle is a sans-serif text.
func textStyle(size float64, c color.Color, bold bool) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// newPanel is a plot in the style of this package.
func newPanel() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = white
	p.Title.TextStyle = textStyle(panelSize, black, true)
	p.Title.TextStyle.XAlign = text.XCenter
	p.Title.TextStyle.YAlign = text.YTop
	p.Title.Padding = vg.Points(7)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		tick := a.Tick.Label
		a.Tick.Label = textStyle(tickSize, black, false)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		a.Tick.LineStyle.Color, a.LineStyle.Color = grey, grey
		a.Padding = 0
	}
	return p
}

// These are marks, with bolder strokes than the library's.
type (
	diamond  struct{}
	wedge    struct{} // points down
	bar      struct{}
	cross    struct{}
	diagonal struct{}
)

func (cross) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, pt vg.Point) {
	r, stroke := s.Radius*1.1, draw.LineStyle{Color: s.Color, Width: vg.Points(1.5)}
	c.StrokeLine2(stroke, pt.X-r, pt.Y, pt.X+r, pt.Y)
	c.StrokeLine2(stroke, pt.X, pt.Y-r, pt.X, pt.Y+r)
}

func (diagonal) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, pt vg.Point) {
	r, stroke := s.Radius*0.85, draw.LineStyle{Color: s.Color, Width: vg.Points(1.5)}
	c.StrokeLine2(stroke, pt.X-r, pt.Y-r, pt.X+r, pt.Y+r)
	c.StrokeLine2(stroke, pt.X-r, pt.Y+r, pt.X+r, pt.Y-r)
}

func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, pt vg.Point) {
	r := s.Radius * 1.25
	polygon(c, s, pt, vg.Point{X: -r}, vg.Point{Y: r}, vg.Point{X: r}, vg.Point{Y: -r})
}

func (wedge) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, pt vg.Point) {
	r := s.Radius
	polygon(c, s, pt, vg.Point{X: -r, Y: r * 0.7}, vg.Point{X: r, Y: r * 0.7}, vg.Point{Y: -r})
}

func (bar) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, pt vg.Point) {
	c.StrokeLine2(draw.LineStyle{Color: s.Color, Width: vg.Points(1.8)},
		pt.X, pt.Y-1.6*s.Radius, pt.X, pt.Y+1.6*s.Radius)
}

func polygon(c *draw.Canvas, s draw.GlyphStyle, at vg.Point, corners ...vg.Point) {
	var path vg.Path
	for i, k := range corners {
		if i == 0 {
			path.Move(at.Add(k))
		} else {
			path.Line(at.Add(k))
		}
	}
	path.Close()
	c.SetColor(s.Color)
	c.Fill(path)
}
