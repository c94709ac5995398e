// Command growth measures how the costs of package event change with the number of events, streams
// and waiters: on the host device, and on a simulated CUDA driver, beside the same calls to that
// driver through cudrv alone.
//
//	go run ./tools/growth -out docs/results/growth.json
//
// It needs no cgo and no GPU. "results plots" draws what it writes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// options are how thoroughly to measure.
type options struct {
	events  int           // the most of them
	streams int           // the most of them
	waiters int           // the most of them
	window  time.Duration // for which the cost of waiting is measured
	samples int           // wake-ups per number of streams in a round
	work    int           // operations of a run, at least
	rounds  int           // through all numbers, so that a disturbance is in one of them
	runs    int           // of each point in a round; fewer where one takes long
}

func main() {
	out := flag.String("out", "", "write the figures to this `file`")
	only := flag.String("only", "", "measure only what is called so: events, streams or waiters")
	o := options{work: 20_000, runs: 3}
	flag.IntVar(&o.events, "events", 1_000_000, "the most events")
	flag.IntVar(&o.streams, "streams", 256, "the most streams")
	flag.IntVar(&o.waiters, "waiters", 400_000, "the most waiters")
	flag.DurationVar(&o.window, "window", time.Second, "for which the cost of waiting is measured")
	flag.IntVar(&o.samples, "samples", 150, "wake-ups per number of streams in a round")
	flag.IntVar(&o.rounds, "rounds", 3, "how often all of it is measured, in turns")
	flag.Parse()
	if err := run(*out, *only, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

// parts are what can be measured, by name.
var parts = []struct {
	name    string
	measure func(o options) ([]growth.Curve, error)
}{
	{"events", measureEvents},
	{"streams", measureStreams},
	{"waiters", measureWaiters},
}

func run(out, only string, o options, log io.Writer) error {
	switch {
	case o.events < 1000 || o.streams < 2 || o.waiters < 10:
		return fmt.Errorf("%d events, %d streams, %d waiters: a curve needs 1000, 2 and 10",
			o.events, o.streams, o.waiters)
	case o.window <= 0 || o.samples < 1 || o.work < 1 || o.rounds < 1 || o.runs < 1:
		return errors.New("the window and the numbers of samples, operations, rounds and runs " +
			"must be positive")
	case only != "" && out != "":
		return errors.New("some figures would replace all: leave out -out or -only")
	}
	r := growth.Report{
		Date:    time.Now().UTC().Format(time.DateOnly),
		Machine: machine(),
		Clock:   clockCost(),
	}
	for _, p := range parts {
		if !strings.Contains(p.name, only) {
			continue
		}
		curves, err := p.measure(o)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := summarize(log, curves); err != nil {
			return err
		}
		r.Curves = append(r.Curves, curves...)
	}
	if len(r.Curves) == 0 {
		return fmt.Errorf("there is nothing called %q: use events, streams or waiters", only)
	}
	if out == "" {
		return nil
	}
	return r.Write(out)
}

// summarize prints what was measured, and how it grows.
func summarize(log io.Writer, curves []growth.Curve) error {
	for _, c := range curves {
		f, err := c.Fit()
		if err != nil {
			return fmt.Errorf("%s, %s: %w", c.Panel, c.Way, err)
		}
		fmt.Fprintf(log, "%s, %s: n^%.2f, %s", c.Panel, c.Way, f.Exponent, f.Verdict())
		for _, p := range c.Points {
			fmt.Fprintf(log, " %d:%.4g", p.N, c.Cost(p))
		}
		fmt.Fprintln(log)
	}
	return nil
}
