package timeline

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Picture says how [Snapshot.WriteSVG] draws. The zero value draws everything, 1,200 pixels wide.
type Picture struct {
	Title string
	Width int // in pixels; 0 means 1,200
	// From and To are the part to draw, counted from the snapshot's origin. Both zero mean all.
	From, To time.Duration
}

// The picture's measures, in pixels.
const (
	defaultWidth = 1200
	leastWidth   = 400
	labelWidth   = 150
	rightMargin  = 20
	rowHeight    = 20
	chartHeight  = 36
	laneGap      = 8
	titleHeight  = 30
	axisHeight   = 26
	lineHeight   = 16
	letterWidth  = 6.3 // of the font, on average
	manySpans    = 2000
)

// WriteSVG draws the lanes, device by device, under an axis of time: spans nested downwards,
// asynchronous ones below them, waits hatched with an arrow from what they waited for, marks as
// flags, counters as steps. Each item's times, bound and attributes show when the pointer is over
// it. Below stand the bounds of the clocks, and what was dropped.
func (s *Snapshot) WriteSVG(w io.Writer, p Picture) error {
	d := newDrawing(w, s, p)
	d.draw()
	if d.err != nil {
		return d.err
	}
	return d.w.Flush()
}

type drawing struct {
	w        *bufio.Writer
	err      error
	shot     *Snapshot
	title    string
	width    float64
	from, to time.Duration
	lanes    []*layout
	tops     map[int]float64 // of the lanes, by number
	colours  map[string]string
	arrows   []arrow
	last     map[int]float64 // where the last span of a row ends
	dense    bool            // the lane has many spans: those too small to see are left out
}

func newDrawing(w io.Writer, s *Snapshot, p Picture) *drawing {
	d := &drawing{w: bufio.NewWriter(w), shot: s, title: p.Title, width: float64(p.Width),
		from: p.From, to: p.To, lanes: s.layouts(), tops: map[int]float64{}, colours: map[string]string{}}
	if d.width == 0 {
		d.width = defaultWidth
	}
	d.width = max(d.width, leastWidth)
	if d.from == 0 && d.to == 0 {
		d.from, d.to = extent(d.lanes)
	}
	d.to = max(d.to, d.from+1)
	return d
}

// extent is the part of time that has items.
func extent(all []*layout) (from, to time.Duration) {
	from, to = math.MaxInt64, math.MinInt64
	for _, lay := range all {
		for _, list := range [...][]*placed{lay.spans, lay.async, lay.points} {
			for _, p := range list {
				from, to = min(from, p.start), max(to, p.end)
			}
		}
	}
	if from > to {
		return 0, 1
	}
	return from, to
}

func (d *drawing) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

// x is where a moment is.
func (d *drawing) x(t time.Duration) float64 {
	return labelWidth + (d.width-labelWidth-rightMargin)*float64(t-d.from)/float64(d.to-d.from)
}

func (d *drawing) draw() {
	y := d.place()
	d.findArrows()
	notes := d.notes()
	height := y + float64(len(notes))*lineHeight + 12
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" `+
		`viewBox="0 0 %.0f %.0f" font-family="Helvetica, Arial, sans-serif" font-size="11">`+"\n",
		d.width, height, d.width, height)
	d.printf(`<defs>` +
		`<pattern id="wait" width="6" height="6" patternUnits="userSpaceOnUse" ` +
		`patternTransform="rotate(45)"><rect width="6" height="6" fill="#f2f2f2"/>` +
		`<line x1="0" y1="0" x2="0" y2="6" stroke="#bbb" stroke-width="2"/></pattern>` +
		`<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" ` +
		`orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#444"/></marker></defs>` + "\n")
	d.printf(`<rect width="100%%" height="100%%" fill="white"/>` + "\n")
	if d.title != "" {
		d.printf(`<text x="10" y="20" font-size="14" font-weight="bold">%s</text>`+"\n", escape(d.title))
	}
	for _, lay := range d.lanes {
		d.label(lay)
	}
	d.axis(y)
	for _, lay := range d.lanes {
		d.lane(lay)
	}
	for _, a := range d.arrows {
		d.printf(`<path class="arrow" d="M%.2f %.1f C%.2f %.1f %.2f %.1f %.2f %.1f" fill="none" `+
			`stroke="#444" marker-end="url(#tip)"/>`+"\n",
			a.x1, a.y1, a.x1+bulge, a.y1, a.x2-bulge, a.y2, a.x2, a.y2)
	}
	for i, note := range notes {
		d.printf(`<text x="10" y="%.1f" fill="#555">%s</text>`+"\n",
			y+float64(i+1)*lineHeight, escape(note))
	}
	d.printf("</svg>\n")
}

// place finds where each lane is, and returns where they end.
func (d *drawing) place() float64 {
	y := float64(titleHeight + axisHeight)
	for _, lay := range d.lanes {
		d.tops[laneID(lay.lane)] = y
		y += lay.height() + laneGap
	}
	return y
}

// height is a lane's, at least that of its two lines of label.
func (lay *layout) height() float64 {
	return max(float64(lay.rows+lay.extra)*rowHeight+lay.flags()+
		float64(len(lay.counters()))*chartHeight, 2*lineHeight)
}

// flags is the height of the row of marks.
func (lay *layout) flags() float64 {
	for _, p := range lay.points {
		if p.Kind == KindMark {
			return rowHeight
		}
	}
	return 0
}

// label draws a lane's background and names.
func (d *drawing) label(lay *layout) {
	top := d.tops[laneID(lay.lane)]
	name, device := "host calls", ""
	if lay.lane != nil {
		name, device = lay.lane.Name, lay.lane.Device.String()
	}
	d.printf(`<rect x="0" y="%.1f" width="%.0f" height="%.1f" fill="#f7f9fb"/>`+"\n",
		top-laneGap/2, d.width, lay.height()+laneGap-2)
	d.printf(`<text x="10" y="%.1f" font-weight="bold">%s</text><text x="10" y="%.1f" fill="#777">%s`+
		`</text>`+"\n", top+13, escape(fit(name, labelWidth-14)), top+13+lineHeight,
		escape(fit(device, labelWidth-14)))
}

// lane draws a lane's items.
func (d *drawing) lane(lay *layout) {
	top := d.tops[laneID(lay.lane)]
	d.last, d.dense = map[int]float64{}, len(lay.spans)+len(lay.async) > manySpans
	y := top + lay.flags()
	for _, p := range lay.spans {
		d.span(p, p.depth, y)
	}
	for _, p := range lay.async {
		d.span(p, lay.rows+p.depth, y)
	}
	for _, p := range lay.points {
		if p.Kind == KindMark {
			d.flag(p, top, lay.height())
		}
	}
	d.charts(lay, y+float64(lay.rows+lay.extra)*rowHeight)
}

func (d *drawing) span(p *placed, row int, top float64) {
	if p.end < d.from || p.start > d.to {
		return
	}
	left, right := d.x(max(p.start, d.from)), d.x(min(p.end, d.to))
	if end, any := d.last[row]; any && right-end < 0.25 && d.dense {
		return // less than can be seen, beside another
	}
	d.last[row] = right
	fill, stroke := d.colour(p.Name), `#000" stroke-opacity="0.3`
	switch {
	case p.Kind == KindWait:
		fill, stroke = "url(#wait)", "#999"
	case p.Kind == KindAsync || p.apart:
		stroke = `#000" stroke-dasharray="3 2`
	}
	width := max(right-left, 0.5)
	y := top + float64(row)*rowHeight
	d.printf(`<g><title>%s</title><rect class="%s" x="%.2f" y="%.1f" width="%.2f" height="%d" rx="2" `+
		`fill="%s" stroke="%s"/>`, escape(p.about()), p.Kind, left, y, width, rowHeight-3, fill, stroke)
	from, to := d.room(left+3, left+width-3, y, y+rowHeight-3, widthOf(p.Name))
	if label := fit(p.Name, to-from); label != "" {
		d.printf(`<text class="name" x="%.2f" y="%.1f">%s</text>`, from, y+12.5, escape(label))
	}
	d.printf("</g>\n")
}

// flag draws a mark.
func (d *drawing) flag(p *placed, top, height float64) {
	if p.start < d.from || p.start > d.to {
		return
	}
	x := d.x(p.start)
	d.printf(`<g><title>%s</title><path class="mark" d="M%.2f %.1f v%.1f" stroke="#c0392b"/>`+
		`<path d="M%.2f %.1f l7 4 l-7 4 z" fill="#c0392b"/>`, escape(p.about()), x, top, height, x, top+1)
	d.flagName(p.Name, x, top)
	d.printf("</g>\n")
}

// flagName writes a mark's name beside its flag, on the side where more of it has room.
func (d *drawing) flagName(name string, x, top float64) {
	const height = 12
	wide := widthOf(name)
	at, anchor := x+9, "start"
	label := ""
	if from, to := d.room(at, min(at+wide, d.width-3), top, top+height, wide); from == at {
		label = fit(name, to-from)
	}
	if label != name {
		end := x - 4
		from, to := d.room(max(labelWidth, end-wide), end, top, top+height, wide)
		if before := fit(name, to-from); to == end && len(before) > len(label) {
			label, at, anchor = before, end, "end"
		}
	}
	if label != "" {
		d.printf(`<text class="flag" x="%.2f" y="%.1f" text-anchor="%s" fill="#c0392b">%s</text>`, at,
			top+9.5, anchor, escape(label))
	}
}

// about is what shows when the pointer is over an item.
func (p *placed) about() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%v at %v", p.Name, p.Kind, p.start)
	if p.end > p.start {
		fmt.Fprintf(&b, ", %v long", p.end-p.start)
	}
	fmt.Fprintf(&b, "\n± %v on the host's clock", p.Bound)
	for _, a := range p.Attrs {
		b.WriteString("\n" + a.String())
	}
	return b.String()
}

// notes are the lines below the picture.
func (d *drawing) notes() []string {
	var all []string
	for _, c := range d.shot.Devices {
		all = append(all, fmt.Sprintf("%v %s: clock %v", c.Device, c.Device.Name(), c.Clock))
	}
	if n := d.shot.Stats.Early; n > 0 {
		all = append(all, fmt.Sprintf("%d placed before their own Begin by wrong times of a device: "+
			"their bounds are wider", n))
	}
	if s := d.shot.Stats; s.Dropped+s.Overwritten+s.Failed+s.Captured+s.Abandoned > 0 {
		all = append(all, "incomplete: "+s.String())
	}
	return all
}

// palette has light colours, on which black text is readable and which differ to the colour-blind.
var palette = [...]string{"#9ecae1", "#fdd0a2", "#a1d99b", "#dadaeb", "#fcbba1", "#c7e9c0",
	"#fee391", "#bcd9ea", "#e7cbe8", "#d9d9b3"}

// colour returns the colour of all spans of a name. The first names get colours of their own.
func (d *drawing) colour(name string) string {
	c, known := d.colours[name]
	if !known {
		c = palette[len(d.colours)%len(palette)]
		d.colours[name] = c
	}
	return c
}

// widthOf returns the width of a text, about.
func widthOf(text string) float64 { return float64(utf8.RuneCountInString(text)) * letterWidth }

// fit shortens a text to a width; "" if nothing readable is left.
func fit(text string, width float64) string {
	n := int(width/letterWidth + 1e-6)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	if n < 3 {
		return ""
	}
	return string([]rune(text)[:n-1]) + "…"
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}
