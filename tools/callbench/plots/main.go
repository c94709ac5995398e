// Command plots draws the data in docs/results, and writes the page that shows the pictures.
//
//	go run ./tools/callbench/plots [-dir docs/results]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

func main() {
	dir := flag.String("dir", "docs/results", "the `folder` of the data and of the pictures")
	flag.Parse()
	if err := run(*dir, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

// run draws the data that is there, and writes all pictures and the page once all are drawn.
func run(dir string, out io.Writer) error {
	page, found := header, false
	files := map[string]string{}
	for _, source := range []struct {
		file, made string
		draw       func(file string, files map[string]string) (string, error)
	}{
		{"calls.json", "make bench", drawCalls},
		{"wake.json", "make wake", drawWake},
	} {
		file := filepath.Join(dir, source.file)
		section, err := source.draw(file, files)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(out, "plots: no %s, so nothing is drawn of it; %s makes it\n", file, source.made)
			continue
		case err != nil:
			return err
		}
		found = true
		page += "\n" + section
	}
	if !found {
		return fmt.Errorf("there is no data in %s", dir)
	}
	files["plots.md"] = page
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const header = `# Plots

Written by ` + "`make plots`" + ` from the data beside this page. Do not edit it. Nothing is subtracted from
the measured times. The machines are shared with others, so compare series within a picture rather
than pictures.
`

// where describes the machine of a run.
func where(date string, m report.Machine) string {
	return fmt.Sprintf("%s: %s, %d cores of %s, %s, %s.", date, m.Platform, m.Cores, m.CPU, m.Go,
		m.Compiler)
}
