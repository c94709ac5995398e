package gpu

import (
	"fmt"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
	"github.com/gpuevent/gpuevent/tools/results/plot"
)

// picture draws the medians of all ways; nil if nothing was measured on the card.
func (r kept) picture() ([]byte, error) {
	t := plot.Table{
		Title: "What operations cost on " + r.card.Model,
		Below: fmt.Sprintf("Wall time per operation, medians; further left is better. %s, %s",
			r.card.Driver, r.Began.Format(time.DateOnly)),
		Axis: plot.Axis{Label: "time per operation", Unit: plot.Nanoseconds, Log: true, Wide: true},
	}
	if r.Sample != "" {
		t.Title = "Sample, not measured: " + t.Title
	}
	for _, device := range r.card.Devices {
		rows := r.Rows(device)
		if len(rows) == 0 {
			continue
		}
		g := plot.Group{Name: device}
		for _, row := range rows {
			values := map[string]float64{}
			for way, f := range row.Ways {
				values[way] = f.Median
			}
			g.Rows = append(g.Rows, plot.Row{Name: row.Operation, Values: values})
		}
		t.Groups = append(t.Groups, g)
		for _, way := range report.Ways(rows) {
			if !slices.Contains(t.Series, way) {
				t.Series = append(t.Series, way)
			}
		}
	}
	if len(t.Groups) == 0 {
		return nil, nil
	}
	return t.Dots()
}
