package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Sizes in points.
const (
	width   = 760.0
	margin  = 14.0
	advance = 6.2 // of a character of the legend, in any common font
)

// picture is an SVG file in the making. Its height is known at its end.
type picture struct{ strings.Builder }

// heading begins a picture with a title, a remark and a legend. It returns the height that they
// take.
func (p *picture) heading(title, below string, series []string, lines bool) float64 {
	p.text(margin, 24, "start", `font-size="15" font-weight="bold"`, title)
	p.text(margin, 41, "start", `fill="#707070"`, below)
	x, y := margin, 62.0
	for i, name := range series {
		w := 24 + advance*float64(len([]rune(name))) + 14
		if x+w > width-margin && x > margin {
			x, y = margin, y+17
		}
		if lines {
			p.line(x, y, x+20, y, styles[i%len(styles)].stroke())
		}
		p.mark(i, x+10, y)
		p.text(x+24, y+3.5, "start", "", name)
		x += w
	}
	return y + 14
}

// end returns the file.
func (p *picture) end(height float64) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" `+
		`font-family="sans-serif" font-size="11" fill="#222222">`+"\n"+
		`<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n%s</svg>\n",
		short(width), short(height), p.String())
}

// text writes a text that begins, ends or has its middle at a place.
func (p *picture) text(x, y float64, anchor, attributes, text string) {
	fmt.Fprintf(p, `<text x="%s" y="%s" text-anchor="%s" %s>%s</text>`+"\n", short(x), short(y),
		anchor, attributes, html.EscapeString(text))
}

func (p *picture) line(x1, y1, x2, y2 float64, stroke string) {
	fmt.Fprintf(p, `<path d="M%s %sL%s %s" fill="none" %s/>`+"\n", short(x1), short(y1), short(x2),
		short(y2), stroke)
}

const thin = `stroke="#dddddd" stroke-width="1"`

// style draws a series by its form and its colour. The colours are those of Okabe and Ito, but for
// grey.
type style struct{ colour, dashes, mark string }

func (s style) stroke() string {
	return fmt.Sprintf(`stroke="%s" stroke-width="1.6" stroke-dasharray="%s"`, s.colour, s.dashes)
}

var styles = []style{
	{"#d55e00", "none", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"},
	{"#0072b2", "7 2", "M-3.5 -3.5h7v7h-7z"},
	{"#009e73", "3 2", "M0 -4.5l4.5 8h-9z"},
	{"#e69f00", "7 2 2 2", "M0 -5l4 5l-4 5l-4 -5z"},
	{"#cc79a7", "2 2", "M0 4.5l4.5 -8h-9z"},
	{"#707070", "5 3", "M-4 -1h3v-3h2v3h3v2h-3v3h-2v-3h-3z"},
	{"#56b4e9", "9 3", "M-5 -2h10v4h-10z"},
	{"#8c560a", "4 4", "M-2 -5h4v10h-4z"},
}

func (p *picture) mark(series int, x, y float64) {
	s := styles[series%len(styles)]
	fmt.Fprintf(p, `<path transform="translate(%s %s)" d="%s" fill="%s"/>`+"\n", short(x), short(y),
		s.mark, s.colour)
}

// axis is a logarithmic scale from one place of the picture to another.
type axis struct {
	least, most, from, to float64
	format                func(float64) string
}

// newAxis has round limits around all values.
func newAxis(values []float64, from, to float64, format func(float64) string) axis {
	least := math.Pow(10, math.Floor(math.Log10(slices.Min(values))+1e-9))
	most := math.Pow(10, math.Ceil(math.Log10(slices.Max(values))-1e-9))
	if most <= least {
		most = 10 * least
	}
	return axis{least, most, from, to, format}
}

// at is the place of a value.
func (a axis) at(v float64) float64 {
	return a.from + (a.to-a.from)*math.Log(v/a.least)/math.Log(a.most/a.least)
}

// ticks calls draw for each power of ten.
func (a axis) ticks(draw func(at float64, label string)) {
	for v := a.least; v <= a.most*1.0001; v *= 10 {
		draw(a.at(v), a.format(v))
	}
}

// nanoseconds writes a time with a unit.
func nanoseconds(v float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	for len(units) > 1 && v >= 999.5 {
		v, units = v/1000, units[1:]
	}
	return strconv.FormatFloat(v, 'g', 3, 64) + " " + units[0]
}

func times(v float64) string   { return strconv.FormatFloat(v, 'g', 3, 64) + "×" }
func percent(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) + " %" }

// short writes a coordinate to tenths of a point.
func short(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}
