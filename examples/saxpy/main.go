// Command saxpy computes y = a*x + y on each device of the machine, the host included. It checks
// the result against Go, times 50 runs with events, and prints a table.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

const (
	elements = 1 << 24 // 64 MiB each for x and y: more than most caches hold
	runs     = 50
)

func main() {
	if err := run(os.Stdout, event.Devices(), elements); err != nil {
		fmt.Fprintln(os.Stderr, "saxpy:", err)
		os.Exit(1)
	}
}

// run measures devices one after the other. A device that fails is a line of the table.
func run(w io.Writer, devices []*event.Device, n int) error {
	fmt.Fprintf(w, "saxpy: y = a*x + y, %d numbers of 4 bytes, the median of %d runs\n\n", n, runs)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var rows []row
	for _, d := range devices {
		rows = append(rows, measured(ctx, d, n))
	}
	return print(w, rows)
}

func measured(ctx context.Context, d *event.Device, n int) row {
	r := row{device: d, bytes: 3 * 4 * n} // reads x and y, writes y
	m, err := compute.Compile(ctx, d, source)
	if err == nil {
		r.correct, r.sample, err = measure(ctx, m, n)
	}
	r.err = err
	return r
}
