package report

import (
	"cmp"
	"slices"
)

// ways are those that are known, in the order of columns: from the driver up, then the peers.
var ways = []string{"C", "raw", "event", "compute", "cuda-core", "torch", "cupy"}

// Row is an operation on a device, in all ways.
type Row struct {
	Device, Operation string
	Ways              map[string]Figure
}

// Base is the way that others are compared with: C where it was measured, otherwise the raw call.
func (r Row) Base() (Figure, bool) {
	for _, way := range []string{"C", "raw"} {
		if f, ok := r.Ways[way]; ok {
			return f, true
		}
	}
	return Figure{}, false
}

// Ratio is how many times the base's time an operation takes in a way. It is not known without a
// base.
func (r Row) Ratio(way string) (float64, bool) {
	base, known := r.Base()
	f, measured := r.Ways[way]
	if !known || !measured {
		return 0, false
	}
	return f.Median / base.Median, true
}

// Rows are the figures of a device by operation, in the order in which they came.
func (r *Report) Rows(device string) (rows []Row) {
	for _, f := range r.Figures {
		if f.Device != device {
			continue
		}
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Operation == f.Operation })
		if i < 0 {
			i = len(rows)
			rows = append(rows, Row{device, f.Operation, map[string]Figure{}})
		}
		rows[i].Ways[f.Way] = f
	}
	return rows
}

// Ways are those of the rows, in the order of columns.
func Ways(rows []Row) (all []string) {
	for _, r := range rows {
		for way := range r.Ways {
			if !slices.Contains(all, way) {
				all = append(all, way)
			}
		}
	}
	rank := func(way string) int {
		if i := slices.Index(ways, way); i >= 0 {
			return i
		}
		return len(ways)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	return all
}
