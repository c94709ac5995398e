package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// table is the text for a reading of all GPUs.
func table(gpus []gpu) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	row(w, "GPU", "use", "memory", "temp", "power", "limit", "processes", "name")
	for i, g := range gpus {
		row(w, strconv.Itoa(i), value(g.utilization, "%d%%"), memory(g.memoryUsed, g.memoryTotal),
			value(g.temperature, "%d°C"), watts(g.power), watts(g.powerLimit),
			strconv.Itoa(len(g.processes)), g.name)
	}
	w.Flush()
	head := false
	for i, g := range gpus {
		for _, p := range g.processes {
			if !head {
				head = true
				b.WriteByte('\n')
				row(w, "GPU", "pid", "memory", "process")
			}
			row(w, strconv.Itoa(i), strconv.Itoa(int(p.pid)), bytes(p.memory), p.name)
		}
	}
	w.Flush()
	return b.String()
}

// row writes numbers to the right of their columns, and the text in the last one to the left.
func row(w *tabwriter.Writer, columns ...string) {
	last := len(columns) - 1
	fmt.Fprintf(w, "%s\t  %s\n", strings.Join(columns[:last], "\t"), columns[last])
}

// value is a number as the format writes it, or a dash if it is absent.
func value(n int64, format string) string {
	if n == absent {
		return "-"
	}
	return fmt.Sprintf(format, n)
}

func watts(milliwatts int64) string {
	if milliwatts == absent {
		return "-"
	}
	return fmt.Sprintf("%.0f W", float64(milliwatts)/1000)
}

func bytes(n int64) string {
	switch {
	case n == absent:
		return "-"
	case n < 1<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

func memory(used, total int64) string {
	if used == absent && total == absent {
		return "-"
	}
	return bytes(used) + " of " + bytes(total)
}
