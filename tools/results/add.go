package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/gpuevent/gpuevent/tools/results/gpu"
)

// addReports adds reports of the GPU kit to docs/results/gpu. Without any it writes the pages
// again.
func addReports(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("results add", flag.ContinueOnError)
	docs := flags.String("docs", "docs", "the `folder` of the documents")
	if err := flags.Parse(args); err != nil {
		return err
	}
	store := gpu.Store{Docs: *docs}
	if flags.NArg() == 0 {
		fmt.Fprintln(out, "no report was named (gpu-kit.json), so the pages are written again")
		return store.Render()
	}
	for _, file := range flags.Args() {
		if err := store.Add(file, out); err != nil {
			return fmt.Errorf("add: %w", err)
		}
	}
	return nil
}
