package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// texts are those in a picture, which must be well-formed.
func texts(t *testing.T, svg []byte) (all []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	inText := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.CharData:
			if inText {
				all = append(all, string(token))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

// fill is how a colour is written.
func fill(l look) string {
	return fmt.Sprintf("#%02X%02X%02X", l.colour.R, l.colour.G, l.colour.B)
}

func lines() Lines {
	x := []float64{1, 10, 100, 1000}
	return Lines{
		Title: "Growth of <things>", Below: "below", Columns: 2,
		Panels: []Panel{
			{Title: "left", X: Axis{Label: "things", Log: true},
				Y: Axis{Label: "time", Unit: Nanoseconds, Log: true},
				Lines: []Line{
					{Name: "raw", X: x, Y: []float64{5, 6, 5, 7}},
					{Name: "anything", X: x, Y: []float64{50, 60, 55, 70}, Marks: []int{0, 3}},
				},
				Guides: []Line{{Name: "flat", X: []float64{1, 1000}, Y: []float64{100, 100}}},
				Rules:  []float64{20}},
			{Title: "right", X: Axis{Label: "things", Log: true}, Y: Axis{Label: "share", Unit: Percent},
				Lines: []Line{{Name: "raw", X: x, Y: []float64{0, 50, 99, 100}}}},
		},
	}
}

func table() Table {
	return Table{
		Title: "Costs", Axis: Axis{Label: "time", Unit: Nanoseconds, Log: true, Wide: true},
		Series: []string{"C", "raw", "event", "never measured"},
		Groups: []Group{
			{"CUDA", []Row{
				{"record", map[string]float64{"C": 1.25, "raw": 22.5, "event": 45}},
				{"query & done", map[string]float64{"raw": 20, "event": 5}},
			}},
			{"HIP", []Row{{"record", map[string]float64{"event": 51}}}},
		},
	}
}

// TestPictures draws each kind twice, and looks for what must be in it.
func TestPictures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		draw  func() ([]byte, error)
		texts []string
		marks map[string]int // drawings in a series' colour, with its key, at least
	}{
		"lines": {lines().SVG,
			[]string{"Growth of <things>", "below", "raw", "anything", "left", "right", "things", "time",
				"share", "flat", "10 ns", "100 %", "1k"},
			map[string]int{"raw": 4 + 1 + 4 + 1 + 2}},
		"dots": {table().Dots,
			[]string{"Costs", "C", "raw", "event", "CUDA", "HIP", "record", "query & done", "time", "1 ns"},
			map[string]int{"C": 2 * 2, "raw": 3, "event": 4}},
		"bars": {table().Bars,
			[]string{"Costs", "C", "raw", "event", "CUDA", "HIP", "record", "query & done", "1.25 ns",
				"22.5 ns", "45 ns", "20 ns", "5 ns", "51 ns"},
			map[string]int{"C": 2, "raw": 3, "event": 4}},
	} {
		svg, err := c.draw()
		require.NoError(t, err, name)
		again, err := c.draw()
		require.NoError(t, err, name)
		assert.Equal(t, string(svg), string(again), "%s: the same data, the same bytes", name)
		got := texts(t, svg)
		for _, want := range c.texts {
			assert.Contains(t, got, want, name)
		}
		assert.NotContains(t, got, "never measured", name)
		for series, n := range c.marks {
			assert.GreaterOrEqual(t, strings.Count(string(svg), fill(looks[series])), n,
				"%s: drawings of %s", name, series)
		}
		assert.NotContains(t, string(svg), "NaN", name)
		assert.NotContains(t, string(svg), "Inf", name)
		assert.Equal(t, strings.Count(string(svg), "<text"),
			strings.Count(string(svg), "Arial,Helvetica,sans-serif"), "%s: each text has fonts", name)
		assert.True(t, strings.HasPrefix(string(svg), `<svg role="img" aria-label="`), name)
	}
}

// TestLegendBreaks has more series than go into a line.
func TestLegendBreaks(t *testing.T) {
	t.Parallel()
	var h heading
	for i := range 20 {
		name := fmt.Sprintf("a series of some length, %d", i)
		h.entries = append(h.entries, entry{name: name, line: true})
	}
	n := 0
	for _, line := range h.lines() {
		sum := margin
		for _, e := range line {
			sum += e.width()
			n++
		}
		assert.LessOrEqual(t, sum, width)
	}
	assert.Equal(t, 20, n)
}

func TestLooksDiffer(t *testing.T) {
	t.Parallel()
	for _, together := range [][]string{
		{"C", "cgo", "cgo nocallback", "SyscallN", "RegisterFunc", "raw", "event"}, ways,
		{"1", "2", "3", "4", "5", "6", "7", "8"},
	} {
		all := looksOf(together)
		for i, a := range together {
			for _, b := range together[:i] {
				assert.NotEqual(t, all[a].colour, all[b].colour, "%s and %s", a, b)
				one, two := reflect.TypeOf(all[a].glyph), reflect.TypeOf(all[b].glyph)
				assert.NotEqual(t, one, two, "%s and %s", a, b)
			}
		}
	}
}

func TestRefusedLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant func(l *Lines)
		want  error
	}{
		"no panels":       {func(l *Lines) { l.Panels = nil }, ErrNoData},
		"no lines":        {func(l *Lines) { l.Panels[1].Lines = nil }, ErrNoData},
		"no points":       {func(l *Lines) { l.Panels[1].Lines[0] = Line{Name: "x"} }, ErrNoData},
		"fewer y":         {func(l *Lines) { l.Panels[0].Lines[0].Y = []float64{1} }, ErrBadData},
		"not a number":    {func(l *Lines) { l.Panels[0].Lines[0].Y[1] = math.NaN() }, ErrBadData},
		"infinite":        {func(l *Lines) { l.Panels[1].Lines[0].Y[1] = math.Inf(1) }, ErrBadData},
		"huge":            {func(l *Lines) { l.Panels[1].Lines[0].Y[1] = -1e300 }, ErrBadData},
		"tiny, logarithm": {func(l *Lines) { l.Panels[0].Lines[0].Y[1] = 1e-300 }, ErrBadData},
		"zero, logarithm": {func(l *Lines) { l.Panels[0].Lines[0].Y[1] = 0 }, ErrBadData},
		"negative x":      {func(l *Lines) { l.Panels[0].Guides[0].X[0] = -1 }, ErrBadData},
		"same name":       {func(l *Lines) { l.Panels[0].Lines[0].Name = "anything" }, ErrBadData},
		"mark":            {func(l *Lines) { l.Panels[0].Lines[0].Marks = []int{4} }, ErrBadData},
	} {
		l := lines()
		l.Panels[0].Lines[0].X = append([]float64(nil), l.Panels[0].Lines[0].X...)
		c.plant(&l)
		_, err := l.SVG()
		assert.ErrorIs(t, err, c.want, name)
	}
}

func TestRefusedTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant func(x *Table)
		want  error
	}{
		"no groups":      {func(x *Table) { x.Groups = nil }, ErrNoData},
		"no rows":        {func(x *Table) { x.Groups[0].Rows = nil }, ErrNoData},
		"no values":      {func(x *Table) { x.Groups[0].Rows[0].Values = nil }, ErrNoData},
		"unknown series": {func(x *Table) { x.Groups[0].Rows[0].Values["x"] = 1 }, ErrBadData},
		"series twice":   {func(x *Table) { x.Series[0] = "raw" }, ErrBadData},
		"not a number":   {func(x *Table) { x.Groups[0].Rows[0].Values["C"] = math.NaN() }, ErrBadData},
		"zero":           {func(x *Table) { x.Groups[0].Rows[0].Values["C"] = 0 }, ErrBadData},
	} {
		x := table()
		c.plant(&x)
		_, err := x.Dots()
		require.ErrorIs(t, err, c.want, name)
		_, err = x.Bars()
		assert.ErrorIs(t, err, c.want, name)
	}
}

func TestRatios(t *testing.T) {
	t.Parallel()
	got, err := table().Ratios("raw")
	require.NoError(t, err)
	assert.Equal(t, []string{"C", "event", "never measured"}, got.Series)
	require.Len(t, got.Groups, 1, "HIP was not measured with raw")
	require.Len(t, got.Groups[0].Rows, 2)
	assert.InDeltaMapValues(t, map[string]float64{"C": 1.25 / 22.5, "event": 2},
		got.Groups[0].Rows[0].Values, 1e-12)
	assert.InDeltaMapValues(t, map[string]float64{"event": 0.25}, got.Groups[0].Rows[1].Values, 1e-12)
	svg, err := got.Bars()
	require.NoError(t, err)
	all := texts(t, svg)
	for _, want := range []string{"0.0556×", "2×", "0.25×", "cost as a multiple of raw"} {
		assert.Contains(t, all, want)
	}
	below, err := Table{Axis: Axis{Log: true}, Series: []string{"C", "raw"}, Groups: []Group{
		{"x", []Row{{"y", map[string]float64{"C": 100, "raw": 10}}}}}}.Ratios("C")
	require.NoError(t, err)
	from, to := below.Axis.limits(below.values())
	assert.True(t, from <= 0.1 && to >= 1, "%v to %v have the ratio and what it is to", from, to)
	_, err = table().Ratios("cupy")
	require.ErrorIs(t, err, ErrBadData)
	_, err = table().Ratios("never measured")
	require.ErrorIs(t, err, ErrNoData)
	zero := table()
	zero.Groups[0].Rows[0].Values["raw"] = 0
	_, err = zero.Ratios("raw")
	require.ErrorIs(t, err, ErrBadData)
}

func figures() (all []report.Figure) {
	for _, device := range []string{"cuda:0", "host"} {
		for i, way := range []string{"raw", "event", "C", "cupy", "another"} {
			for _, operation := range []string{"record", "query pending"} {
				all = append(all, report.Figure{Device: device, Operation: operation, Way: way,
					Median: float64(10 * (i + 1)), Best: 9, Runs: 5, PerRun: 1000})
			}
		}
	}
	return all
}

func TestFigures(t *testing.T) {
	t.Parallel()
	x, err := Figures("Title", "below", figures())
	require.NoError(t, err)
	require.Len(t, x.Groups, 2)
	assert.Equal(t, "cuda:0", x.Groups[0].Name)
	assert.Equal(t, []Row{
		{"record", map[string]float64{"raw": 10, "event": 20, "C": 30, "cupy": 40, "another": 50}},
		{"query pending", map[string]float64{"raw": 10, "event": 20, "C": 30, "cupy": 40, "another": 50}},
	}, x.Groups[0].Rows)
	assert.Equal(t, []string{"C", "raw", "event", "cupy", "another"}, x.present())

	for base, want := range map[string][]string{
		"":    {"Title", "cuda:0", "host", "another", "time per operation", "50 ns"},
		"raw": {"Title", "cuda:0", "host", "another", "cost as a multiple of raw", "5×"},
	} {
		svg, err := FigureBars("Title", "below", figures(), base)
		require.NoError(t, err)
		all := texts(t, svg)
		for _, w := range want {
			assert.Contains(t, all, w, "base %q", base)
		}
	}
	for name, c := range map[string]struct {
		figures []report.Figure
		base    string
		want    error
	}{
		"none":  {nil, "", ErrNoData},
		"twice": {append(figures(), figures()[0]), "", ErrBadData},
		"no time": {append(figures(), report.Figure{Device: "x", Operation: "y", Way: "z"}), "",
			ErrBadData},
		"unknown base": {figures(), "torch2", ErrBadData},
		"absent base":  {figures(), "torch", ErrNoData},
	} {
		_, err := FigureBars("Title", "", c.figures, c.base)
		assert.ErrorIs(t, err, c.want, name)
	}
}

// TestRoomBesideBars wants the axis to go on beyond the longest bar and, but for ratios above 1,
// the shortest.
func TestRoomBesideBars(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		axis   Axis
		values []float64
		below  bool
	}{
		"times":            {Axis{Log: true, Unit: Nanoseconds}, []float64{200, 5000, 1000}, true},
		"one time":         {Axis{Log: true, Unit: Nanoseconds}, []float64{200}, false},
		"linear":           {Axis{Unit: Nanoseconds}, []float64{200, 5000}, true},
		"ratios":           {Axis{Log: true, Unit: Times}, []float64{0.2, 8}, true},
		"ratios above 1":   {Axis{Log: true, Unit: Times}, []float64{2, 8}, false},
		"ratios at most 1": {Axis{Log: true, Unit: Times}, []float64{0.1, 1}, true},
	} {
		least, most := slices.Min(c.values), slices.Max(c.values)
		from, to := c.axis.withRoom(c.values).limits(c.values)
		if len(c.values) > 1 && most > 1 {
			assert.Greater(t, to, most, name)
		}
		if c.below {
			assert.Less(t, from, least, name)
		}
	}
}
