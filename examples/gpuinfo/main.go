// Command gpuinfo shows what a machine has for GPU programs: the vendors' libraries, or where they
// were looked for, driver versions and devices.
//
// It runs anywhere. Without a GPU it says so and exits with 0.
package main

import (
	"errors"
	"fmt"
	"os"
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

// missing says that there is no library, what to do, and every path that was tried with the reason.
func missing(err error) {
	var e *cudrv.LibraryError // the same type for both vendors
	if !errors.As(err, &e) {
		row("library", "not usable: %v", err)
		return
	}
	row("library", "not found: %s, or set %s to its path", e.Remedy, e.Env)
	for i, line := range tried(e.Attempts) {
		name := ""
		if i == 0 {
			name = "tried"
		}
		row(name, "%s", line)
	}
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
