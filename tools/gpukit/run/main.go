// Command run is ./gpu-kit, the program of the GPU kit that a person starts on a machine. It runs
// steps one after the other, each in a process group of its own with a limit of time, and writes
// the results as gpu-kit.json and gpu-kit.md. Steps are programs of the kit, or this one with -do.
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
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// version is set by the linker.
var version = "unknown"

// options are the flags.
type options struct {
	limit   time.Duration
	length  time.Duration // of the soak
	folder  string
	devices []string
	steps   []string
}

// names reads a flag with names, separated by commas. Without any, all are meant.
func names(into *[]string) func(text string) error {
	return func(text string) error {
		*into = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
}

const usage = `Usage: ./gpu-kit [flags]

Tests gpuevent on the GPUs of this machine and measures it. It needs no Go, no root and no network,
changes no settings, and stops by itself. The result is gpu-kit.json and gpu-kit.md; neither has
names of the machine or of its users, or paths.

Flags:
`

// The exit statuses.
const (
	statusFailed      = 1   // a step failed
	statusUsage       = 2   // the command line, or the kit is incomplete
	statusNotPossible = 3   // of a part: the machine lacks what it needs
	statusInterrupted = 130 // the run was stopped
)

// Children die with the thread that started them (see start), so this goroutine, which starts all,
// stays on the main thread.
func init() { runtime.LockOSThread() }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("gpu-kit", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.DurationVar(&o.limit, "limit", 12*time.Minute, "stop after this time")
	flags.DurationVar(&o.length, "soak", 2*time.Minute, "length of the soak; 0 leaves it out")
	flags.StringVar(&o.folder, "out", ".", "`folder` for gpu-kit.json and gpu-kit.md")
	flags.Func("devices", "test these `devices` only, \"cuda:0,host\"", names(&o.devices))
	flags.Func("steps", "run these `steps` only: "+strings.Join(stepNames, ","), names(&o.steps))
	var p part
	flags.StringVar(&p.name, "do", "", "do this `part` of a run only, and write JSON to -out")
	flags.StringVar(&p.device, "device", "", "the `device` of the part")
	flags.DurationVar(&p.limit, "time", time.Minute, "the time of the part")
	show := flags.Bool("version", false, "print the version and end")
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return statusUsage
	case *show:
		fmt.Fprintln(stdout, version)
		return 0
	}
	if p.name != "" {
		p.file = o.folder
		if self, err := os.Executable(); err == nil {
			p.facts = filepath.Join(filepath.Dir(self), "driver-facts.md")
		}
		return p.run(stdout, stderr)
	}
	if err := check(o, flags.Args()); err != nil {
		fmt.Fprintln(stderr, "gpu-kit:", err)
		return statusUsage
	}
	k, err := open(o, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "gpu-kit:", err)
		return statusUsage
	}
	defer k.close()
	k.run(ctx)
	if err := k.write(); err != nil {
		fmt.Fprintln(stderr, "gpu-kit:", err)
		return statusFailed
	}
	switch {
	case ctx.Err() != nil:
		return statusInterrupted
	case k.failed():
		return statusFailed
	}
	return 0
}

// check wants flags that make sense.
func check(o options, rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("%q is no flag: -h lists them", rest[0])
	}
	if o.limit < time.Second || o.limit > 12*time.Hour {
		return fmt.Errorf("-limit is %s: it must be from 1s to 12h", o.limit)
	}
	if o.length < 0 || o.length > o.limit {
		return fmt.Errorf("-soak is %s: it must be from 0 to the limit, %s", o.length, o.limit)
	}
	for _, s := range o.steps {
		if !slices.Contains(stepNames, s) {
			return fmt.Errorf("there is no step %q: the steps are %s", s, strings.Join(stepNames, ", "))
		}
	}
	if info, err := os.Stat(o.folder); err != nil || !info.IsDir() {
		return fmt.Errorf("-out names no folder: make %s first", filepath.Clean(o.folder))
	}
	return nil
}
