package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
)

// How the program ends.
const (
	exitFine        = 0
	exitFailed      = 1
	exitNotPossible = 3
)

// options are what the flags say.
type options struct {
	device string
	out    string
	limit  time.Duration
	runs   int // at most; those of the plan if 0
	only   *regexp.Regexp
	seed   uint64
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	}
	d, err := event.Open(o.device)
	if err != nil {
		reason := strings.ReplaceAll(err.Error(), "\n", "; ") // on the last line of stderr
		fmt.Fprintf(stderr, "bench: %s is not available: %s\n", o.device, reason)
		return exitNotPossible
	}
	b := &bench{options: o, log: stdout, end: time.Now().Add(o.limit), plan: peers.Plan}
	defer watch(b, o.limit+grace, stderr).Stop()
	if err := b.device(d); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	}
	return exitFine
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.device, "device", "host", "the `device`: cuda:0, hip:1, host")
	flags.StringVar(&o.out, "out", "", "write the figures to this `file`")
	flags.DurationVar(&o.limit, "time", 2*time.Minute, "how long it may take in all")
	flags.IntVar(&o.runs, "runs", 0, "runs of each way, at most; 0 means those of the plan")
	flags.Uint64Var(&o.seed, "seed", 1, "of the order of ways")
	only := flags.String("only", "", "measure only operations that match this `pattern`")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	case o.limit <= 0 || o.runs < 0:
		return o, errors.New("-time must be positive, and -runs not negative")
	}
	o.only, err = regexp.Compile(*only)
	return o, err
}

// grace is how much longer than its time the program may take before it ends itself.
const grace = 15 * time.Second

// watch ends the process if it hangs, for a driver's call can't be interrupted.
func watch(b *bench, limit time.Duration, stderr io.Writer) *time.Timer {
	return time.AfterFunc(limit, func() {
		fmt.Fprintf(stderr, "bench: %s did not end within %v\n", b.doing(), limit)
		os.Exit(exitFailed)
	})
}
