package clib

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrNoCompiler is returned by [Compiler] on a machine without a C compiler.
var ErrNoCompiler = errors.New("no C compiler: neither $CC nor gcc nor clang is there")

// Compiler finds the C compiler of this machine: $CC, gcc or clang.
func Compiler() (string, error) {
	for _, cc := range []string{os.Getenv("CC"), "gcc", "clang"} {
		if cc == "" {
			continue
		}
		if path, err := exec.LookPath(cc); err == nil {
			return path, nil
		}
	}
	return "", ErrNoCompiler
}

// SharedLibrary is the file name that a library of this platform has.
func SharedLibrary(name string) string {
	switch runtime.GOOS {
	case "windows":
		return name + ".dll"
	case "darwin":
		return "lib" + name + ".dylib"
	}
	return "lib" + name + ".so"
}

// Build is one compilation of an oracle.
type Build struct {
	Compiler string
	Source   string   // the C text
	Out      string   // the library
	Number   int      // the release, as the API encodes it; 0: all releases, in the newest shapes
	Include  string   // folder of the vendor's headers; "" to declare everything from the spec
	API      string   // which headers those are
	Flags    []string // more
}

// Run compiles.
func (b Build) Run() error {
	args := []string{"-std=c11", "-O0", "-w", "-shared", "-o", b.Out}
	if runtime.GOOS != "windows" {
		args = append(args, "-fPIC", "-pthread")
	}
	if b.Number != 0 {
		args = append(args, fmt.Sprintf("-DORACLE_VERSION=%d", b.Number))
	}
	if b.Include != "" {
		flags, done, err := include(b.API, b.Include)
		if err != nil {
			return err
		}
		defer done()
		args = append(args, flags...)
	}
	args = append(append(args, b.Flags...), b.Source)
	out, err := exec.Command(b.Compiler, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(b.Compiler), strings.Join(args, " "), err,
			firstLines(string(out), 400))
	}
	return nil
}

// Preprocess returns what the release's headers declare, as text without directives and comments.
func (b Build) Preprocess() (string, error) {
	flags, done, err := include(b.API, b.Include)
	if err != nil {
		return "", err
	}
	defer done()
	args := append([]string{"-E", "-P", "-w"}, flags...)
	cmd := exec.Command(b.Compiler, append(args, "-x", "c", "-")...)
	cmd.Stdin = strings.NewReader("#include ORACLE_HEADER\n")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(b.Compiler), strings.Join(args, " "), err,
			firstLines(stderr.String(), 20))
	}
	return string(out), nil
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "")
}
