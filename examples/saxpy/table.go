package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// row is what came out of one device.
type row struct {
	device  *event.Device
	bytes   int // that a run moves
	correct bool
	sample  event.Sample
	err     error
}

// errWrong: a device computed something else than Go.
var errWrong = errors.New("a result is wrong")

// print writes the table and what is to be known about its lines. It returns the errors of devices
// that could run saxpy and did not, or not right.
func print(w io.Writer, rows []row) (failed error) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "device\tname\tcorrect\tmedian\tspread\tGB/s")
	var notes []string
	for _, r := range rows {
		note := func(format string, args ...any) {
			notes = append(notes, fmt.Sprintf("%v: ", r.device)+fmt.Sprintf(format, args...))
		}
		fmt.Fprintf(t, "%v\t%s\t", r.device, r.device.Name())
		switch {
		case errors.Is(r.err, compute.ErrNotInstalled):
			fmt.Fprintln(t, "–\tno compiler")
			note("%v", r.err)
			continue
		case r.err != nil:
			fmt.Fprintln(t, "–\tfailed")
			failed = errors.Join(failed, r.err)
			continue
		case !r.correct:
			failed = errors.Join(failed, fmt.Errorf("%v: %w", r.device, errWrong))
		}
		fmt.Fprintf(t, "%s\t%v\t%.1f %%\t%.1f\n", yes(r.correct), rounded(r.sample.Median),
			100*r.sample.Spread(), r.rate())
		for _, doubt := range r.sample.Doubts() {
			note("%s", doubt)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "The spread is between the quartiles. GB/s counts reading x and y and writing y.")
	if len(rows) == 1 {
		fmt.Fprintln(w, "No GPU is usable here: go run ./examples/gpuinfo -v lists the paths tried.")
	}
	for _, n := range notes {
		fmt.Fprintln(w, n)
	}
	return failed
}

// rate returns how fast memory was read and written, in GB/s.
func (r row) rate() float64 {
	if r.sample.Median <= 0 {
		return 0
	}
	return float64(r.bytes) / r.sample.Median.Seconds() / 1e9
}

// rounded rounds a duration to three digits or four.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 10_000 {
		unit *= 10
	}
	return d.Round(unit)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "NO"
}
