package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/image"
)

// compilers are the APIs that compile, and an architecture that all their releases know.
var compilers = map[string]struct{ target string }{
	"nvrtc": {"compute_75"}, "hiprtc": {"gfx906"},
}

// compile makes code of the conformance suite's kernels, and looks for them in it.
func compile(ctx context.Context, c *check, api string) {
	var code []byte
	c.test("compile", func() error {
		made, err := compute.CompileFor(ctx, compilers[api].target, eventtest.KernelSource)
		switch {
		case errors.Is(err, compute.ErrNotInstalled):
			return fmt.Errorf("%w: %w", errNotPossible, err)
		case err != nil:
			return err
		}
		code = made.Code
		return nil
	})
	if code == nil {
		return
	}
	c.test("read the code", func() error {
		read, err := image.Read(code)
		if err != nil {
			return err
		}
		for name := range eventtest.KernelSource.Host {
			if _, ok := read.Kernel(name); !ok {
				return fmt.Errorf("%s lacks the kernel %s", image.Describe(code), name)
			}
		}
		return nil
	})
}
