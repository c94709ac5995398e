package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/gpuevent/gpuevent/tools/results/gpu"
)

// addReports adds reports of the GPU kit to docs/results/gpu.
func addReports(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("results add", flag.ContinueOnError)
	docs := flags.String("docs", "docs", "the `folder` of the documents")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("add: name the gpu-kit.json that a run of the kit wrote")
	}
	for _, file := range flags.Args() {
		if err := (gpu.Store{Docs: *docs}).Add(file, out); err != nil {
			return fmt.Errorf("add: %w", err)
		}
	}
	return nil
}
