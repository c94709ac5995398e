package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	of          []string // "event", "compute"
	device, out string
	limit       time.Duration
	seed        uint64
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
	var all []report.Tally
	var found []report.Failure
	var reasons []string
	for _, of := range o.of {
		t := report.Tally{Device: o.device, Name: of, Seed: o.seed, Counts: map[string]int64{},
			LeftOut: leftOut(of)}
		began, n := time.Now(), len(all)
		for _, p := range o.parts(of) {
			r := p.process(stdout)
			if r.Impossible != "" {
				fmt.Fprintf(stdout, "left out on %s: the soak of %s: %s\n", o.device, of, r.Impossible)
				reasons = append(reasons, of+": "+r.Impossible)
				break
			}
			add(&t, p, r)
			t.Seconds = time.Since(began).Seconds()
			all = append(all[:n], t)
			if err := write(o.out, all); err != nil {
				fmt.Fprintln(stderr, "soak:", err)
				return exitFailed
			}
		}
		found = append(found, t.Failures...)
	}
	switch {
	case len(found) > 0:
		fmt.Fprintf(stderr, "soak: %d findings, the first of %s\n", len(found), found[0].Name)
		return exitFailed
	case len(all) == 0:
		fmt.Fprintln(stderr, "soak:", strings.Join(reasons, "; "))
		return exitNotPossible
	}
	return exitFine
}

// add adds what came of a part.
func add(t *report.Tally, p part, r result) {
	for what, n := range r.Counts {
		t.Counts[what] += n
	}
	for _, text := range r.Wrong {
		t.Failures = append(t.Failures, report.Failure{Name: p.Name, Text: text})
	}
}

// deviceName is that of one device. Several at a time would be one finding too many to tell apart.
var deviceName = regexp.MustCompile(`^(host|(cuda|hip):\d+)$`)

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	of := flags.String("of", "event,compute", "the `packages`, separated by commas")
	flags.StringVar(&o.device, "device", "host", "the `device`: cuda:0, hip:1, host")
	flags.StringVar(&o.out, "out", "", "write what it did to this `file`")
	flags.DurationVar(&o.limit, "time", 2*time.Minute, "how long it takes")
	flags.Uint64Var(&o.seed, "seed", 0, "of the random numbers; a new one each time if 0")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for name := range strings.SplitSeq(*of, ",") {
		if name != "event" && name != "compute" || slices.Contains(o.of, name) {
			return o, fmt.Errorf("-of %q: there are the soaks of event and of compute", *of)
		}
		o.of = append(o.of, name)
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
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

// write replaces the file, if there is to be one, with all tallies so far: those of an interrupted
// run are kept.
func write(path string, all []report.Tally) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
	if err := os.WriteFile(part, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(part, path)
}
