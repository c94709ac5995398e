package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// target is a platform and how to reach it from linux.
type target struct {
	goos, goarch string
	compiler     string   // the C cross-compiler
	compile      []string // its flags for a shared library
	library      string   // a library's file name, from its base name
	emulator     []string // where the emulator may be
	packages     string   // what brings both
	start        func(emulator string, p *prover) (*emulation, error)
}

// emulation runs programs of a target.
type emulation struct {
	argv []string                 // what stands before the program
	env  []string                 // added to the environment
	path func(path string) string // how a program there names a file of ours
	stop func()
	// flaw finds tests that failed for a fault of the emulator alone, and reports whether all failures
	// are of that kind.
	flaw     func(out string) (names []string, all bool)
	flawText string
}

func (t target) name() string { return t.goos + "/" + t.goarch }

var targets = []target{
	{
		goos: "linux", goarch: "arm64", compiler: "aarch64-linux-gnu-gcc",
		compile: []string{"-shared", "-fPIC", "-pthread"}, library: "lib%s.so",
		emulator: []string{"qemu-aarch64", "qemu-aarch64-static"},
		packages: "qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
		start:    startQEMU,
	},
	{
		goos: "windows", goarch: "amd64", compiler: "x86_64-w64-mingw32-gcc",
		compile: []string{"-shared", "-static-libgcc"}, library: "%s.dll",
		emulator: []string{"wine64", "/usr/lib/wine/wine64", "wine"},
		packages: "wine64 gcc-mingw-w64-x86-64",
		start:    startWine,
	},
}

func targetNames() []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.name())
	}
	return names
}

// choose finds the targets of a comma-separated list; all of them for an empty one.
func choose(list string) ([]target, error) {
	if list == "" {
		return targets, nil
	}
	var out []target
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.name() == name })
		if i < 0 {
			return nil, fmt.Errorf("no target is named %q; there are %s", name,
				strings.Join(targetNames(), ", "))
		}
		out = append(out, targets[i])
	}
	return out, nil
}

// errMissing is in the error of a target that lacks a tool.
var errMissing = errors.New("missing")

// tool finds a program: the first of some names that is there.
func (t target) tool(names ...string) (string, error) {
	for _, n := range names {
		if path, err := exec.LookPath(n); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is %w; install %s", names[0], errMissing, t.packages)
}

// sysroot is where the cross-compiled C library of arm64 lies.
const sysroot = "/usr/aarch64-linux-gnu"

func startQEMU(emulator string, p *prover) (*emulation, error) {
	if _, err := os.Stat(sysroot + "/lib"); err != nil {
		return nil, fmt.Errorf("the C library in %s is %w; install libc6-dev-arm64-cross", sysroot,
			errMissing)
	}
	return &emulation{
		argv: []string{emulator, "-L", sysroot},
		env:  []string{"CC=" + p.cc}, // for tests that build a library
		path: func(p string) string { return p },
		stop: func() {},
	}, nil
}
