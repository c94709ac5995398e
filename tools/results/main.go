// Command results keeps docs/results: its subcommands read the data there and write pages and
// plots.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// command is a subcommand.
type command struct {
	name string
	does string // in the list of commands
	run  func(args []string, out io.Writer) error
}

// commands are all subcommands, by name.
func commands() []command {
	return []command{
		{"add", "adds a report of the GPU kit (gpu-kit.json) to docs/results/gpu", addReports},
		{"plots", "draws the plots and writes their page", plots},
	}
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	all := commands()
	if len(args) > 0 {
		i := slices.IndexFunc(all, func(c command) bool { return c.name == args[0] })
		if i >= 0 {
			return all[i].run(args[1:], out)
		}
	}
	var usage strings.Builder
	usage.WriteString("use one of these commands:")
	for _, c := range all {
		fmt.Fprintf(&usage, "\n\t%-8s %s", c.name, c.does)
	}
	if len(args) > 0 {
		return fmt.Errorf("there is no command %q: %s", args[0], usage.String())
	}
	return fmt.Errorf("no command: %s", usage.String())
}
