// Command compile compiles a kernel for a GPU architecture, with NVIDIA's or AMD's compiler, on a
// machine with or without a GPU:
//
//	go run ./examples/compile
//	go run ./examples/compile -compiler hiprtc -arch gfx942 kernel.hip
//
// It prints the messages with their lines, the size of the code and, from NVIDIA's compiler, the
// beginning of the PTX text.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sample compiles with both compilers, without any header.
const sample = `extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
`

// errUsage is returned for wrong arguments.
var errUsage = errors.New("usage: compile [-compiler nvrtc|hiprtc] [-arch name] [file]")

// source is a program to compile.
type source struct{ name, text string }

// result is what a compiler makes of it.
type result struct {
	compiler string // its name and version
	log      string
	text     string // PTX
	code     []byte
	kind     string // of the code
}

// compilers compile a source for an architecture. If it has errors, the result has the log.
var compilers = map[string]struct {
	arch    string // unless another is asked for
	compile func(s source, arch string) (result, error)
}{
	"nvrtc":  {"sm_80", compileNVIDIA},
	"hiprtc": {"gfx1100", compileAMD},
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, args []string) error {
	flags := flag.NewFlagSet("compile", flag.ContinueOnError)
	name := flags.String("compiler", "nvrtc", "nvrtc or hiprtc")
	arch := flags.String("arch", "", "the GPU architecture, such as sm_80 or gfx1100")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, ok := compilers[*name]
	if !ok || flags.NArg() > 1 {
		return errUsage
	}
	if *arch == "" {
		*arch = c.arch
	}
	s := source{"saxpy.cu", sample}
	if path := flags.Arg(0); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s = source{filepath.Base(path), string(text)}
	}
	r, err := c.compile(s, *arch)
	print(w, s, *arch, r)
	return err
}
