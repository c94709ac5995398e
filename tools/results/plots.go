package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// source is a file of data, and what is drawn from it.
type source struct {
	file string // of the data
	made string // the command that makes it
	draw func(file string) (section, error)
}

// section is the part of the page about one source.
type section struct {
	title    string
	before   string // how it was measured
	pictures []picture
	after    string // tables
}

// picture is a file that is drawn.
type picture struct {
	name string // of the file
	alt  string // what it shows, for those who can't see it
	text string // how to read it
	svg  []byte
}

// sources are all, in the order of the page.
func sources() []source {
	return []source{
		{"calls.json", "make bench", drawCalls},
		{"batch.md", "make bench", drawBatch},
		{"growth.json", "make growth", drawGrowth},
		{"wake.json", "make wake", drawWake},
	}
}

// plots is the subcommand that draws all plots and their page.
func plots(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("results plots", flag.ContinueOnError)
	dir := flags.String("dir", "docs/results", "the `folder` of the data, of the pictures and their page")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("plots: %q: there are no arguments but -dir", flags.Arg(0))
	}
	var drawn []section
	for _, s := range sources() {
		file := filepath.Join(*dir, s.file)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(out, "plots: no %s, so nothing is drawn of it; %s makes it\n", file, s.made)
			continue
		}
		section, err := s.draw(file)
		if err != nil {
			return fmt.Errorf("plots: %w", err)
		}
		drawn = append(drawn, section)
	}
	if len(drawn) == 0 {
		return fmt.Errorf("plots: there is no data in %s", *dir)
	}
	return writePlots(*dir, drawn)
}

// writePlots writes the pictures and the page, once all of them are drawn.
func writePlots(dir string, drawn []section) error {
	for _, s := range drawn {
		for _, p := range s.pictures {
			if err := os.WriteFile(filepath.Join(dir, p.name), p.svg, 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, "plots.md"), []byte(page(drawn)), 0o644)
}
