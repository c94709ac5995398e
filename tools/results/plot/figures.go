package plot

import (
	"fmt"
	"slices"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// ways are those of the GPU kit, in the order of the legend: from the driver up, then the peers.
// Others come after them.
var ways = []string{"C", "raw", "event", "compute", "cuda-core", "torch", "cupy"}

// Figures makes a table of the GPU kit's figures: a group for each device and a row for each
// operation, in the order in which they come. The values are medians of wall time.
func Figures(title, below string, figures []report.Figure) (Table, error) {
	t := Table{
		Title:  title,
		Below:  below,
		Axis:   Axis{Label: "time per operation", Unit: Nanoseconds, Log: true, Wide: true},
		Series: slices.Clone(ways),
	}
	for _, f := range figures {
		g := slices.IndexFunc(t.Groups, func(g Group) bool { return g.Name == f.Device })
		if g < 0 {
			g = len(t.Groups)
			t.Groups = append(t.Groups, Group{Name: f.Device})
		}
		rows := t.Groups[g].Rows
		r := slices.IndexFunc(rows, func(r Row) bool { return r.Name == f.Operation })
		if r < 0 {
			r = len(rows)
			rows = append(rows, Row{f.Operation, map[string]float64{}})
		}
		if _, twice := rows[r].Values[f.Way]; twice {
			return Table{}, fmt.Errorf("%w: %s: %q is there twice for %q",
				ErrBadData, f.Device, f.Operation, f.Way)
		}
		rows[r].Values[f.Way] = f.Median
		t.Groups[g].Rows = rows
		if !slices.Contains(t.Series, f.Way) {
			t.Series = append(t.Series, f.Way)
		}
	}
	return t, t.validate()
}

// FigureBars draws the GPU kit's figures as bars, grouped by device and operation. With base, a way
// such as "raw", the bars are multiples of that way's time, and operations that it lacks are left
// out; with an empty base they are times.
func FigureBars(title, below string, figures []report.Figure, base string) ([]byte, error) {
	t, err := Figures(title, below, figures)
	if err == nil && base != "" {
		t, err = t.Ratios(base)
	}
	if err != nil {
		return nil, err
	}
	return t.Bars()
}
