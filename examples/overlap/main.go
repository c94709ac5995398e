// Command overlap copies data to a device, works on it and copies it back, in chunks: first on one
// stream, where each step waits for the one before, then on three, where a GPU copies in both
// directions and computes at the same time. It prints what that gains.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/examples/internal/anywhere"
)

const (
	streams = 3
	chunks  = 12
	numbers = chunks << 19 // in all: 2 MiB a chunk
	runs    = 20
)

func main() {
	m, err := anywhere.Compile(context.Background(), os.Stderr, source)
	if err == nil {
		err = run(os.Stdout, m, numbers)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "overlap:", err)
		os.Exit(1)
	}
}

// run measures both ways, and closes the module. The numbers are a multiple of chunks.
func run(w io.Writer, m *compute.Module, n int) (err error) {
	defer func() { err = errors.Join(err, m.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	p, err := newPipeline(m, n)
	if err != nil {
		return err
	}
	defer p.close()
	fmt.Fprintf(w, "%v (%s): %d chunks of %d KiB, copied there, worked on, and copied back\n\n",
		m.Device(), m.Device().Name(), chunks, 4*n/chunks>>10)
	if err := p.balance(ctx); err != nil {
		return err
	}
	for _, step := range []struct {
		name    string
		enqueue func(*event.Stream, *chunk) error
	}{{"copies there", p.in}, {"kernels", p.work}, {"copies back", p.out}} {
		sample, err := event.Measure(ctx, p.streams[0], runs, func() error {
			return p.each(func(_ int, c *chunk) error { return step.enqueue(p.streams[0], c) })
		})
		if err != nil {
			return err
		}
		line(w, step.name, sample)
	}
	alone, err := p.measure(ctx, 1)
	if err != nil {
		return err
	}
	line(w, "one after the other", alone)
	together, err := p.measure(ctx, streams)
	if err != nil {
		return err
	}
	line(w, "on three streams", together)
	fmt.Fprintln(w, "\n"+verdict(m.Device(), alone, together))
	return nil
}

func line(w io.Writer, what string, s event.Sample) {
	fmt.Fprintf(w, "  %-20s %8.3f ms  (quartiles %.3f to %.3f)\n", what, ms(s.Median), ms(s.Q1),
		ms(s.Q3))
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

// verdict says what three streams gain. It speaks of a gain only if the times' middle halves lie
// apart.
func verdict(d *event.Device, alone, together event.Sample) string {
	ratio := float64(alone.Median) / float64(max(together.Median, 1))
	text := ""
	switch {
	case together.Q3 < alone.Q1:
		text = fmt.Sprintf("Three streams are %.2f times as fast as one. The slowest of the three steps "+
			"is the limit.", ratio)
	case alone.Q3 < together.Q1:
		text = fmt.Sprintf("No gain: three streams take %.2f times as long as one.", 1/ratio)
	default:
		text = fmt.Sprintf("No gain that can be seen: three streams take %.2f times as long as one, and "+
			"the times vary by as much.", 1/ratio)
	}
	if d.IsHost() {
		text += "\nThe host has no engines for copies: its processors do all the work, copies as well."
	}
	return text
}
