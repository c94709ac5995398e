// Command fetch brings what the generator and the proofs are checked against: the vendors' headers
// and libraries.
//
// Everything comes through the machine's own package clients (pip, apt) and is pinned by checksum
// in pins.toml.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"
)

const usage = `Usage: fetch [command] [flags]

Commands:
  headers    the vendors' headers, into .headers/<api>/<version>/include
  reallibs   the vendors' libraries, to be opened without a GPU, into .reallibs, with .reallibs/manifest.json

A package that can't be reached is named with its reason and skipped. A file that isn't the pinned one is an error.
What is already there and still right is left as it lies. The APIs are those of specs/<api>.toml, which also says
which packages -update looks for.

Flags:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command line.
type options struct {
	root, dir     string
	timeout       time.Duration
	update, small bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("fetch", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.root, "root", ".", "the repository")
	flags.StringVar(&o.dir, "dir", "",
		"folder to fill (default .headers or .reallibs in the repository)")
	flags.DurationVar(&o.timeout, "timeout", 15*time.Minute, "give up after this time")
	flags.BoolVar(&o.update, "update", false, "fetch nothing; print pin lines for newer releases")
	flags.BoolVar(&o.small, "small", false, "leave out the headers in packages marked as large")
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	command := ""
	if len(args) > 0 && len(args[0]) > 0 && args[0][0] != '-' {
		command, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 || !slices.Contains([]string{"headers", "reallibs"}, command) {
		fmt.Fprintf(stderr, "fetch: give one command: headers or reallibs (got %q)\n\n",
			append([]string{command}, flags.Args()...))
		flags.Usage()
		return 2
	}
	failed, err := dispatch(ctx, command, o, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "fetch %s: %v\n", command, err)
	}
	if failed || err != nil {
		return 1
	}
	return 0
}

func dispatch(ctx context.Context, command string, o options, out io.Writer) (failed bool,
	err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.timeout,
		fmt.Errorf("no more time after %s: -timeout gives more", o.timeout))
	defer cancel()
	// clients run in folders of their own
	if o.root, err = filepath.Abs(o.root); err != nil {
		return true, err
	}
	file := filepath.Join(o.root, "tools", "pins.toml")
	text, err := os.ReadFile(file)
	if err != nil {
		return true, err
	}
	specs, err := readSpecs(filepath.Join(o.root, "specs"))
	if err != nil {
		return true, err
	}
	pins, err := ParsePins(string(text), specs)
	if err != nil {
		return true, fmt.Errorf("%s: %w", file, err)
	}
	groups := pins.updateGroups(command)
	var all []Pin
	for _, g := range groups {
		all = append(append(all, g.pins...), g.wanted...)
	}
	progress := log.New(out, "", 0)
	cache := filepath.Join(o.root, ".build", "fetch")
	store := &Store{dir: filepath.Join(cache, "packages"), pip: newPipSource(runCommand),
		apt: newAptSource(runCommand, filepath.Join(cache, "apt-"+command), all, progress.Printf)}
	if o.update {
		return false, printUpdates(ctx, groups, store, out)
	}
	dir, err := filepath.Abs(cmp.Or(o.dir, filepath.Join(o.root, "."+command)))
	if err != nil {
		return true, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return true, err
	}
	summary := &Summary{Command: command, Dir: dir}
	filler := &Filler{dir: dir, rules: pins.rules(command), store: store, openDeb: openDeb,
		log: progress}
	start := time.Now()
	if command == "headers" {
		summary.Outcomes, summary.Notes = fetchHeaders(ctx, pins, filler, o.small)
	} else if summary.Outcomes, summary.Notes, err = fetchRealLibs(ctx, pins, filler); err != nil {
		return true, err
	}
	summary.Took = time.Since(start)
	summary.Notes = append(summary.Notes, strangers(dir, summary.Outcomes)...)
	summary.Print(out)
	return summary.count(Failed) > 0, nil
}

// strangers names version folders that no pin stands for, which readers of the directory would take
// for pinned ones.
func strangers(dir string, outcomes []Outcome) []string {
	var notes []string
	folders, _ := filepath.Glob(filepath.Join(dir, "[^.]*", "*")) // well-formed
	for _, folder := range folders {
		rel, err := filepath.Rel(dir, folder)
		info, statErr := os.Stat(folder)
		pinned := func(o Outcome) bool { return filepath.FromSlash(o.Set) == rel }
		if err == nil && statErr == nil && info.IsDir() && !slices.ContainsFunc(outcomes, pinned) {
			notes = append(notes, rel+" is there but in no pin: remove the folder or add the line")
		}
	}
	return notes
}
