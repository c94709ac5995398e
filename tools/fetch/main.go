// Command fetch brings what the generator and the proofs are checked against: the vendors' headers,
// the vendors' libraries, and the toolchains of the other targets.
//
// Everything comes through the machine's own package clients (pip, apt) and is pinned by checksum
// in pins.toml.
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
	"slices"
	"time"
)

const usage = `Usage: fetch [command] [flags]

Commands:
  headers      the vendors' headers, into .headers/<api>/<version>/include
  reallibs     the vendors' libraries, to be opened without a GPU, into .reallibs, with .reallibs/manifest.json
  toolchains   what the proofs on other targets need, installed with apt-get where this machine allows it

A package that can't be reached is named with its reason and skipped. A file that isn't the pinned one is an error.
What is already there and still right is left as it lies. The APIs are those of specs/<api>.toml, which also says
which packages -update looks for.

Flags of headers and reallibs:
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command line.
type options struct {
	dir, cache, pins string
	specs            string
	jobs             int
	timeout          time.Duration
	strict, update   bool
	small            bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var opt options
	flags := flag.NewFlagSet("fetch", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opt.dir, "dir", "", "folder to fill (default .headers or .reallibs in the "+
		"repository)")
	flags.StringVar(&opt.cache, "cache", "", "folder for downloads and the private apt state "+
		"(default .build/fetch in the repository)")
	flags.StringVar(&opt.pins, "pins", "", "pin file (default tools/pins.toml in the repository)")
	flags.StringVar(&opt.specs, "specs", "", "folder of the specs (default specs in the repository)")
	flags.IntVar(&opt.jobs, "jobs", 4, "downloads at a time")
	flags.DurationVar(&opt.timeout, "timeout", 15*time.Minute, "give up after this time")
	flags.BoolVar(&opt.strict, "strict", false, "a skipped package makes the command fail")
	flags.BoolVar(&opt.update, "update", false, "fetch nothing; print pin lines for newer releases")
	flags.BoolVar(&opt.small, "small", false, "leave out the packages marked as large")
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
	if flags.NArg() > 0 || !slices.Contains([]string{"headers", "reallibs", "toolchains"}, command) {
		fmt.Fprintf(stderr, "fetch: give one command: headers, reallibs or toolchains (got %q)\n\n",
			append([]string{command}, flags.Args()...))
		flags.Usage()
		return 2
	}
	code, err := dispatch(ctx, command, opt, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "fetch %s: %v\n", command, err)
		return 1
	}
	return code
}

func dispatch(ctx context.Context, command string, opt options, out io.Writer) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, opt.timeout,
		fmt.Errorf("no more time after %s: -timeout gives more", opt.timeout))
	defer cancel()
	if err := opt.defaults(command); err != nil {
		return 1, err
	}
	text, err := os.ReadFile(opt.pins)
	if err != nil {
		return 1, err
	}
	specs, err := readSpecs(opt.specs)
	if err != nil {
		return 1, err
	}
	pins, err := ParsePins(string(text), specs)
	if err != nil {
		return 1, fmt.Errorf("%s: %w", opt.pins, err)
	}
	if command == "toolchains" {
		if missing := newInstaller(runCommand, out).install(ctx, pins.Toolchain); len(missing) > 0 &&
			opt.strict {
			return 1, nil
		}
		return 0, nil
	}

	groups := pins.updateGroups(command)
	var all []Pin
	for _, g := range groups {
		all = append(append(all, g.pins...), g.wanted...)
	}
	log := &Log{w: out}
	store := &Store{dir: filepath.Join(opt.cache, "packages"), sources: Sources{
		Pip: newPipSource(runCommand),
		Apt: newAptSource(runCommand, filepath.Join(opt.cache, "apt-"+command), all, log.Linef),
	}}
	if opt.update {
		return 0, printUpdates(ctx, groups, store, out)
	}
	if err := os.MkdirAll(opt.dir, 0o755); err != nil {
		return 1, err
	}
	summary := &Summary{Command: command, Dir: opt.dir}
	filler := &Filler{dir: opt.dir, rules: pins.rules(command), store: store, openDeb: openDeb,
		log: log}
	start := time.Now()
	if command == "headers" {
		summary.Outcomes, summary.Notes = fetchHeaders(ctx, pins, filler, opt.jobs, opt.small)
	} else if summary.Outcomes, summary.Notes,
		err = fetchRealLibs(ctx, pins, filler, opt.jobs, opt.small); err != nil {
		return 1, err
	}
	summary.Took = time.Since(start)
	summary.Notes = append(summary.Notes, strangers(opt.dir, summary.Outcomes)...)
	summary.Print(out)
	return summary.ExitCode(opt.strict), nil
}

// defaults fills in the places that follow from where the repository lies.
func (o *options) defaults(command string) error {
	if o.pins == "" || o.dir == "" || o.cache == "" || o.specs == "" {
		cwd, err := os.Getwd()
		if err != nil {
			return err
		}
		root, err := findRoot(cwd)
		if err != nil {
			return err
		}
		setDefault(&o.pins, filepath.Join(root, "tools", "pins.toml"))
		setDefault(&o.dir, filepath.Join(root, "."+command))
		setDefault(&o.specs, filepath.Join(root, "specs"))
		setDefault(&o.cache, filepath.Join(root, ".build", "fetch"))
	}
	for _, p := range []*string{&o.dir, &o.cache} {
		abs, err := filepath.Abs(*p)
		if err != nil {
			return err
		}
		*p = abs
	}
	return nil
}

func setDefault(p *string, value string) {
	if *p == "" {
		*p = value
	}
}

// findRoot walks up to the folder that holds tools/pins.toml.
func findRoot(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "tools", "pins.toml")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no tools/pins.toml above %s: run inside the repository, or give -pins, "+
				"-dir and -cache", dir)
		}
	}
}

// strangers names version folders that no pin stands for: whoever reads the directory would read
// them too.
func strangers(dir string, outcomes []Outcome) []string {
	known := map[string]bool{}
	for _, o := range outcomes {
		known[filepath.FromSlash(o.Set)] = true
	}
	var notes []string
	// the pattern is ours: it can't be malformed
	folders, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	for _, folder := range folders {
		rel, err := filepath.Rel(dir, folder)
		info, statErr := os.Stat(folder)
		if err == nil && statErr == nil && info.IsDir() && rel[0] != '.' && !known[rel] {
			notes = append(notes, rel+" is there but in no pin: remove the folder or add the line")
		}
	}
	return notes
}
