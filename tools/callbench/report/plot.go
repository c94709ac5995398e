package report

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// mark is how a way looks in the plot: by form as well as by colour.
type mark struct {
	colour string
	form   string // a path around 0, 0
}

var marks = map[string]mark{
	C:            {"#767676", "M-5 0H5M0 -5V5"},
	Cgo:          {"#0072b2", "M-4.5 -4.5H4.5V4.5H-4.5Z"},
	Quiet:        {"#56b4e9", "M0 -6L6 0L0 6L-6 0Z"},
	SyscallN:     {"#e69f00", "M0 5.5L5.5 -4H-5.5Z"},
	RegisterFunc: {"#b8860b", "M-4 -4L4 4M-4 4L4 -4"},
	Raw:          {"#009e73", "M0 -5.5L5.5 4H-5.5Z"},
	Event:        {"#d55e00", "M-5.5 0A5.5 5.5 0 1 0 5.5 0A5.5 5.5 0 1 0 -5.5 0Z"},
	target:       {"#d55e00", "M0 -9V9"},
}

// target marks what package event should cost.
const target = "event's target"

// Measures of the plot.
const (
	plotWidth  = 960.0
	plotLeft   = 340.0 // right edge of the rows' names
	plotRight  = plotWidth - 30
	plotTop    = 78.0
	lineHeight = 24.0
)

// SVG is a plot of CPU times on a logarithmic scale: a line for each row, a mark for each way.
func (r Report) SVG() (string, error) {
	if err := r.validate(); err != nil {
		return "", err
	}
	lowest, highest := math.Inf(1), 0.0
	lines := 0
	for _, api := range r.apis() {
		lines++ // its heading
		for _, row := range r.of(api) {
			lines++
			for _, c := range row.Cells {
				lowest, highest = min(lowest, c.CPU.Median), max(highest, c.CPU.Median)
			}
			if ns, ok := row.Aim(); ok {
				lowest, highest = min(lowest, ns), max(highest, ns)
			}
		}
	}
	if lines == 0 {
		return "", fmt.Errorf("%w: there is nothing to plot", ErrImplausible)
	}
	s := scale{math.Floor(math.Log10(lowest)), math.Ceil(math.Log10(highest * 1.0001))}
	d := &drawing{}
	height := plotTop + float64(lines)*lineHeight + 44
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" `+
		`font-family="sans-serif" font-size="13">`, plotWidth, height, plotWidth, height)
	d.add(`<rect width="100%%" height="100%%" fill="#ffffff"/>`)
	d.write(20, 26, `font-size="16" font-weight="bold"`,
		"CPU time per operation, ns (median, logarithmic)")
	d.legend(r)
	bottom := plotTop + float64(lines)*lineHeight
	d.grid(s, bottom)
	y := plotTop + lineHeight/2
	for _, api := range r.apis() {
		d.write(20, y+5, `font-weight="bold"`, api)
		y += lineHeight
		for _, row := range r.of(api) {
			d.row(s, y, row)
			y += lineHeight
		}
	}
	d.add(`</svg>`)
	return d.String(), nil
}

// scale is logarithmic, between two powers of ten.
type scale struct{ from, to float64 }

func (s scale) x(ns float64) float64 {
	return plotLeft + 16 + (math.Log10(ns)-s.from)/(s.to-s.from)*(plotRight-plotLeft-16)
}

// drawing is an SVG in the making.
type drawing struct{ strings.Builder }

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *drawing) write(x, y float64, attributes, text string) {
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(text)) // a strings.Builder never fails
	d.add(`<text x="%.1f" y="%.1f" %s>%s</text>`, x, y, attributes, escaped.String())
}

func (d *drawing) mark(x, y float64, way, tip string) {
	m := marks[way]
	var escaped strings.Builder
	_ = xml.EscapeText(&escaped, []byte(tip))
	d.add(`<path transform="translate(%.1f %.1f)" d="%s" fill="%s" fill-opacity="0.75" `+
		`stroke="%s" stroke-width="1.5"><title>%s</title></path>`,
		x, y, m.form, m.colour, m.colour, escaped.String())
}

// legend names the marks of all ways that were measured.
func (d *drawing) legend(r Report) {
	x := 28.0
	for _, way := range append(present(r.Rows), target) {
		d.mark(x, 48, way, way)
		d.write(x+12, 53, "", way)
		x += 34 + 7.6*float64(len(way))
	}
}

// grid draws lines at 1, 2 and 5 of each power of ten, with numbers below.
func (d *drawing) grid(s scale, bottom float64) {
	for power := s.from; power <= s.to; power++ {
		for _, step := range []float64{1, 2, 5} {
			ns := step * math.Pow(10, power)
			if power == s.to && step > 1 {
				break
			}
			colour := "#e8e8e8"
			if step == 1 {
				colour = "#c8c8c8"
			}
			x := s.x(ns)
			d.add(`<path d="M%.1f %.1fV%.1f" stroke="%s"/>`, x, plotTop, bottom, colour)
			d.write(x, bottom+18, `text-anchor="middle" fill="#555555"`, fmt.Sprintf("%g", ns))
		}
	}
}

// row draws the marks of one row on a line.
func (d *drawing) row(s scale, y float64, row Row) {
	d.write(plotLeft, y+5, `text-anchor="end"`, row.Name)
	lowest, highest := math.Inf(1), 0.0
	for _, c := range row.Cells {
		lowest, highest = min(lowest, c.CPU.Median), max(highest, c.CPU.Median)
	}
	d.add(`<path d="M%.1f %.1fH%.1f" stroke="#dddddd" stroke-width="2"/>`,
		s.x(lowest), y, s.x(highest))
	for _, way := range Ways() {
		if c, ok := row.Cells[way]; ok {
			d.mark(s.x(c.CPU.Median), y, way, fmt.Sprintf("%s: %s ns", way, number(c.CPU.Median)))
		}
	}
	if ns, ok := row.Aim(); ok {
		d.mark(s.x(ns), y, target, fmt.Sprintf("%s: %s ns", target, number(ns)))
	}
}
