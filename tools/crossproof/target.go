package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// Wine 8 lacks the library that Go's runtime takes its random numbers from; wine 9 and later have
// it. This is one in its place, over the older function that every version has.
const randomSource = `#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
    return SystemFunction036(buffer, (ULONG)length);
}
`

const randomLibrary = "bcryptprimitives.dll"

// startWine makes a prefix of our own, so that the user's is left alone.
func startWine(emulator string, p *prover) (*emulation, error) {
	prefix := filepath.Join(p.dir, "prefix")
	w := &emulation{
		argv: []string{emulator},
		env: []string{"WINEPREFIX=" + prefix, "WINEARCH=win64", "WINEDEBUG=-all",
			"WINEDLLOVERRIDES=mscoree,mshtml=", "DISPLAY="},
		path: winePath,
		flaw: unremovable, flawText: "their temporary folders, which this wine can't remove",
	}
	w.stop = func() { p.stopWine(emulator, w.env) }
	system := filepath.Join(prefix, "drive_c", "windows", "system32")
	if _, err := os.Stat(filepath.Join(system, "kernel32.dll")); errors.Is(err, fs.ErrNotExist) {
		p.printf("making a wine prefix")
		if err := p.execute(p.dir, w.env, emulator, "wineboot", "-i"); err != nil {
			return nil, err
		}
	}
	dll := filepath.Join(system, randomLibrary)
	if _, err := os.Stat(dll); errors.Is(err, fs.ErrNotExist) {
		source := filepath.Join(p.dir, "random.c")
		if err := os.WriteFile(source, []byte(randomSource), 0o644); err != nil {
			return nil, err
		}
		if err := p.execute(p.dir, nil, p.cc, "-shared", "-o", dll, source, "-ladvapi32"); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// winePath is a file of ours as a Windows program names it.
func winePath(path string) string { return "Z:" + strings.ReplaceAll(path, "/", `\`) }

// stopWine ends the server of our prefix, which would linger for some seconds. It does not matter
// if it is gone already.
func (p *prover) stopWine(emulator string, env []string) {
	for _, name := range []string{"wineserver64", "wineserver"} {
		if path, err := p.tool(filepath.Join(filepath.Dir(emulator), name), name); err == nil {
			_ = p.execute(p.dir, env, path, "-k")
			return
		}
	}
}

var (
	startLine  = regexp.MustCompile(`^=== (?:RUN|CONT|NAME)\s+(\S+)`)
	failLine   = regexp.MustCompile(`^\s*--- FAIL: (\S+)`)
	logLine    = regexp.MustCompile(`^\s+\S+\.go:\d+: `)
	removeLine = regexp.MustCompile(
		`^\s+testing\.go:\d+: TempDir RemoveAll cleanup: .*: Invalid function\.\s*$`)
)

// unremovable finds the tests that failed only because their temporary folder could not be removed:
// wine before 9 lacks the system call that Go's runtime does it with. A test that logged anything
// else is none of them.
func unremovable(out string) (names []string, all bool) {
	cleanups, others := map[string]int{}, map[string]int{}
	current := ""
	var failed []string
	for line := range strings.Lines(out) {
		switch m := startLine.FindStringSubmatch(line); {
		case m != nil:
			current = m[1]
		case failLine.MatchString(line):
			failed = append(failed, failLine.FindStringSubmatch(line)[1])
		case removeLine.MatchString(line):
			cleanups[current]++
		case logLine.MatchString(line), strings.HasPrefix(line, "panic:"):
			others[current]++
		}
	}
	excused := func(name string) bool { return cleanups[name] > 0 && others[name] == 0 }
	for _, name := range failed {
		if excused(name) {
			names = append(names, name)
			continue
		}
		sub := false // a parent fails with its subtests
		for _, other := range failed {
			if strings.HasPrefix(other, name+"/") {
				sub = true
			}
		}
		if !sub || others[name] > 0 {
			return names, false
		}
	}
	return names, len(names) > 0
}
