// Command gpuinfo prints the vendors' libraries, driver versions and GPUs of a machine. With -v it
// also lists every path where a missing library was looked for.
//
// It runs anywhere. Without a GPU it says so and exits with 0.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
)

var verbose = flag.Bool("v", false, "list every path where a missing library was looked for")

func main() {
	flag.Parse()
	devices := cuda() + rocm()
	fmt.Println()
	switch devices {
	case 0:
		fmt.Println("No GPU is usable here. Programs built on gpuevent run all the same. Calls that")
		fmt.Println("need a GPU return an error that names the missing part.")
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

// missing prints why a library did not open.
func missing(err error) {
	for i, line := range explain(err, *verbose) {
		row([]string{"library", "tried", ""}[min(i, 2)], "%s", line)
	}
}

// explain returns one sentence about a library that did not open. If all is set, a line for each
// path that was tried follows, with the reason.
func explain(err error, all bool) []string {
	var e *cudrv.LibraryError // the same type for both vendors
	if !errors.As(err, &e) {
		return []string{fmt.Sprintf("not usable: %v", err)}
	}
	text := fmt.Sprintf("not found: %s, or set %s to its path", e.Remedy, e.Env)
	if !all {
		return []string{fmt.Sprintf("%s (%d paths tried, -v lists them)", text, len(e.Attempts))}
	}
	return append([]string{text}, tried(e.Attempts)...)
}

// tried are the attempts, a line each: the path first, the reasons in a column.
func tried(attempts []cudrv.Attempt) (lines []string) {
	width := 0
	for _, a := range attempts {
		width = max(width, len(a.Path))
	}
	for _, a := range attempts {
		lines = append(lines, fmt.Sprintf("%-*s  %s", width, a.Path, a.Reason))
	}
	return lines
}

// problem reports what is wrong with a device, on the error output, and goes on.
func problem(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "gpuinfo: %s: %v\n", what, err)
	}
}

// size prints bytes as people say them.
func size(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }
