package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// How the program ends.
const (
	exitFine        = 0
	exitFailed      = 1
	exitNotPossible = 3
)

// options are what the flags say.
type options struct {
	of, device, out string
	limit           time.Duration
	seed            uint64
}

func main() {
	if text := os.Getenv(partEnv); text != "" {
		os.Exit(child(text, os.Stdout, os.Stderr))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return exitFailed
	}
	t := report.Tally{Device: o.device, Name: o.of, Seed: o.seed, Counts: map[string]int64{},
		LeftOut: leftOut(o.of)}
	began := time.Now()
	for _, p := range o.parts() {
		r := p.process(stdout)
		if r.Impossible != "" {
			fmt.Fprintln(stderr, "soak:", r.Impossible)
			return exitNotPossible
		}
		for what, n := range r.Counts {
			t.Counts[what] += n
		}
		for _, text := range r.Wrong {
			t.Failures = append(t.Failures, report.Failure{Name: p.Name, Text: text})
		}
	}
	t.Seconds = time.Since(began).Seconds()
	if err := write(o.out, t); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return exitFailed
	}
	if n := len(t.Failures); n > 0 {
		fmt.Fprintf(stderr, "soak: %d findings, the first of %s\n", n, t.Failures[0].Name)
		return exitFailed
	}
	return exitFine
}

// deviceName is that of one device. Several at a time would be one finding too many to tell apart.
var deviceName = regexp.MustCompile(`^(host|(cuda|hip):\d+)$`)

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.of, "of", "event", "the `package`: event or compute")
	flags.StringVar(&o.device, "device", "host", "the `device`: cuda:0, hip:1, host")
	flags.StringVar(&o.out, "out", "", "write what it did to this `file`")
	flags.DurationVar(&o.limit, "time", 2*time.Minute, "how long it takes")
	flags.Uint64Var(&o.seed, "seed", 0, "of the random numbers; a new one each time if 0")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	case o.of != "event" && o.of != "compute":
		return o, fmt.Errorf("-of %q: there are the soaks of event and of compute", o.of)
	case !deviceName.MatchString(o.device):
		return o, fmt.Errorf("-device %q is no name of a device", o.device)
	case o.limit <= 0:
		return o, errors.New("-time must be positive")
	}
	if o.seed == 0 {
		o.seed = rand.Uint64N(1 << 40)
	}
	return o, nil
}

// write writes the tally, if there is a file for it.
func write(path string, t report.Tally) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}
