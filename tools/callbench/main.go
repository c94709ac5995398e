// Command callbench measures what calls of the bindings and operations of package event cost,
// beside the same calls in C, through cgo and through purego.
//
// The callee is the same in all of them: C functions of this package with the prototypes of driver
// functions and next to nothing inside, so that the call itself is what is timed. All ways are
// measured in one process, in turns. It is a module of its own, for it needs cgo and a C compiler.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

func main() {
	if done, err := asChild(os.Args[1:]); done {
		exit(err)
	}
	out := flag.String("out", "", "write calls.md and calls.json to this `folder`")
	rounds := flag.Int("rounds", 41, "rounds of every way")
	round := flag.Duration("round", 3*time.Millisecond, "about how long a round takes")
	events := flag.Int("events", 100_000, "open events to take the memory of; 0 for none")
	many := flag.Int("many", 1_000_000, "open events to time garbage collections with; 0 for none")
	stats := flag.Bool("stats", false, "have package event count calls, with event.EnableStats")
	flag.Parse()
	event.EnableStats(*stats)
	o := options{rounds: *rounds, round: *round, seed: uint64(time.Now().UnixNano())}
	exit(run(*out, *events, *many, o))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "callbench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(out string, events, many int, o options) error {
	if o.rounds < 1 || o.round <= 0 {
		return fmt.Errorf("%d rounds of %v: there must be one, and it must take time",
			o.rounds, o.round)
	}
	defer install()()
	rows, err := allRows()
	if err != nil {
		return err
	}
	rows = append(rows, loopRow())
	r := report.Report{
		Date:    time.Now().UTC().Format(time.DateOnly),
		Machine: machine(),
		Rounds:  o.rounds,
		RoundMS: milliseconds(o.round),
	}
	if r.Rows, err = measure(rows, o); err != nil {
		return err
	}
	if r.Memory, r.Collections, err = measureMemory(events, many); err != nil {
		return err
	}
	markdown, err := r.Markdown()
	if err != nil {
		return err
	}
	if out != "" {
		return r.Write(out)
	}
	_, err = os.Stdout.WriteString(markdown)
	return err
}

// machine describes where this runs, without a name of its own.
func machine() report.Machine {
	return report.Machine{
		CPU:      cpuModel(),
		Cores:    runtime.NumCPU(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Go:       runtime.Version(),
		Compiler: compiler(),
	}
}

// cpuModel is the processor's name as Linux tells it.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "unknown processor"
}

// compiler is the C compiler's name and version. cgo uses $CC, or gcc.
func compiler() string {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	version, err := exec.Command(cc, "-dumpfullversion", "-dumpversion").Output()
	if err != nil {
		return "unknown C compiler"
	}
	return filepath.Base(cc) + " " + strings.TrimSpace(string(version))
}
