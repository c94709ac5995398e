// Command crossproof proves the bindings on targets that this machine is not: it builds the oracle
// libraries and the test binaries for them and runs both under an emulator. See crossproof -h.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command runs the command line and returns the exit code: 0, 1 for a proof that failed, 2 for
// wrong usage.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("crossproof", flag.ContinueOnError)
	fs.SetOutput(stderr)
	root := fs.String("root", ".", "the module's root `folder`")
	only := fs.String("target", "",
		"comma-separated `targets`, such as linux/arm64; default all: "+strings.Join(targetNames(), ", "))
	fs.Usage = func() {
		fmt.Fprintf(stderr, "usage: crossproof [flags]\n\nBuilds the oracles and tests for other "+
			"targets and runs them under qemu-user and wine. A missing tool is\n"+
			"named and its target skipped.\n\nflags:\n")
		fs.PrintDefaults()
	}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case fs.NArg() > 0:
		fmt.Fprintf(stderr, "crossproof: unexpected %q\n", fs.Args())
		return 2
	}
	chosen, err := choose(*only)
	if err != nil {
		fmt.Fprintf(stderr, "crossproof: %v\n", err)
		return 2
	}
	abs, err := filepath.Abs(*root)
	if err != nil {
		fmt.Fprintf(stderr, "crossproof: %v\n", err)
		return 2
	}
	failed := false
	for _, t := range chosen {
		start := time.Now()
		p := &prover{target: t, root: abs, out: stdout}
		switch err := p.run(ctx); {
		case errors.Is(err, errMissing):
			fmt.Fprintf(stdout, "%s: skipped: %v\n", t.name(), err)
		case err != nil:
			fmt.Fprintf(stdout, "%s: FAILED: %v\n", t.name(), err)
			failed = true
		default:
			fmt.Fprintf(stdout, "%s: passed in %s\n", t.name(),
				time.Since(start).Round(100*time.Millisecond))
		}
	}
	if failed {
		return 1
	}
	return 0
}
