// Command gpuinfo shows what a machine has for GPU programs: the vendors' libraries, or where they
// were looked for, driver versions and devices.
//
// It runs anywhere. Without a GPU it says so and exits with 0.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
)

func main() {
	devices := cuda() + rocm()
	fmt.Println()
	switch devices {
	case 0:
		fmt.Println("There is no usable GPU here. Programs built on gpuevent run all the same; what")
		fmt.Println("needs a GPU returns an error that says what is missing.")
	case 1:
		fmt.Println("1 GPU is ready.")
	default:
		fmt.Printf("%d GPUs are ready.\n", devices)
	}
}

// heading prints a vendor's name with a line under it.
func heading(text string) {
	fmt.Printf("\n%s\n%s\n", text, strings.Repeat("-", len(text)))
}

// row prints a fact.
func row(name, format string, a ...any) {
	fmt.Printf("  %-12s %s\n", name, fmt.Sprintf(format, a...))
}

// missing says why there is no library: every place that was looked at, and why it was not there.
func missing(err error) {
	var e *cudrv.LibraryError // the same type for both vendors
	if !errors.As(err, &e) {
		row("library", "not usable: %v", err)
		return
	}
	row("library", "none found. %s, or set %s to its path.", e.Remedy, e.Env)
	for _, group := range byReason(e.Attempts) {
		row("tried", "%s", group.reason)
		for _, place := range group.places {
			row("", "  %s", place)
		}
	}
}

// tried are the places that failed for one reason, those of one folder in a line.
type tried struct {
	reason string
	places []string
}

// byReason puts attempts together, in the order of the search.
func byReason(attempts []cudrv.Attempt) []tried {
	var groups []tried
	folder := ""
	for _, a := range attempts {
		if len(groups) == 0 || groups[len(groups)-1].reason != a.Reason {
			groups, folder = append(groups, tried{reason: a.Reason}), "?"
		}
		g := &groups[len(groups)-1]
		dir, name := filepath.Split(a.Path)
		if dir == folder {
			g.places[len(g.places)-1] += ", " + name
			continue
		}
		folder = dir
		if dir == "" {
			name = "the system loader's search path: " + name
		}
		g.places = append(g.places, dir+name)
	}
	return groups
}

// problem reports what is wrong with a device, on the error output, and goes on.
func problem(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "gpuinfo: %s: %v\n", what, err)
	}
}

// size prints bytes as people say them.
func size(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }
