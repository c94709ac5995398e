// Command cudacore runs the tests of NVIDIA's cuda.core and cuda.bindings on the simulated libcuda
// and writes a page about them. The tests come from a checkout of github.com/NVIDIA/cuda-python,
// the packages from virtual environments; neither belongs to this repository.
//
//	cudacore -tests CHECKOUT -library .build/simlib/cuda-13.5 -out docs/results/cuda-core.md \
//		.build/cuda-core/13.5/bin/python .build/cuda-core/12.9/bin/python
//
// Each file of tests runs in a process of its own: those of cuda.core once with each Python, those
// of cuda.bindings with the first, since they are for the newest bindings. With -files only those
// files run whose path has this in it.
//
// # Reasons
//
// The file reasons.toml names the known reasons for failures. A failure without one is listed under
// its own message. The exit status is 0 in both cases, since the page is the result.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

//go:embed reasons.toml
var knownReasons string

func main() {
	var o options
	flag.StringVar(&o.tests, "tests", "", "the `checkout` of NVIDIA/cuda-python")
	flag.StringVar(&o.library, "library", "", "the `folder` with the simulated libcuda.so.1")
	flag.StringVar(&o.files, "files", "", "run only the files with this `text` in their path")
	out := flag.String("out", "", "the `page` to write, in place of standard output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "cudacore:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, pythons []string, out string) error {
	if o.tests == "" || o.library == "" || len(pythons) == 0 {
		return fmt.Errorf("name the tests, the library and at least one Python")
	}
	known, err := parseReasons(knownReasons)
	if err != nil {
		return err
	}
	p := page{commit: commitOf(ctx, o.tests), library: o.library}
	for i, python := range pythons {
		projects := []string{"cuda_core"}
		if i == 0 {
			projects = append(projects, "cuda_bindings")
		}
		e, err := runAll(ctx, o, python, projects)
		if err != nil {
			return err
		}
		p.environments = append(p.environments, e)
	}
	text := p.markdown(known)
	if out == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
