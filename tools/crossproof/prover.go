package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// prover does the work for one target.
type prover struct {
	target
	root    string
	dir     string // of what is built for the target
	cc      string
	out     io.Writer
	verbose bool
	ctx     context.Context
}

func (p *prover) printf(format string, args ...any) {
	fmt.Fprintf(p.out, "%s: %s\n", p.name(), fmt.Sprintf(format, args...))
}

func (p *prover) run(ctx context.Context) error {
	p.ctx = ctx
	p.dir = filepath.Join(p.root, ".build", "crossproof", p.goos+"_"+p.goarch)
	emulator, err := p.tool(p.emulator...)
	if err != nil {
		return err
	}
	if p.cc, err = p.tool(p.compiler); err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	e, err := p.start(emulator, p)
	if err != nil {
		return err
	}
	defer e.stop()
	all, err := bindings(p.root)
	if err != nil {
		return err
	}
	packages := slices.Clone(shared)
	var flags []string
	for _, b := range all {
		packages = append(packages, b.pkg)
		if p.goos == "windows" && !b.windows {
			continue
		}
		lib := filepath.Join(p.dir, fmt.Sprintf(p.library, "oracle_"+b.api))
		args := append([]string{"-std=c11", "-O0", "-w"}, p.compile...)
		if err := p.execute(p.root, nil, p.cc, append(args, "-o", lib, b.oracle)...); err != nil {
			return fmt.Errorf("build the oracle of %s: %w", b.api, err)
		}
		flags = append(flags, "-oracle."+b.api+"="+e.path(lib))
	}
	var failed []error
	for _, pkg := range packages {
		if pkg != "." {
			flags = nil
		}
		if err := p.test(e, pkg, flags); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// test builds a package's tests for the target and runs them in the package's folder, as go test
// does.
func (p *prover) test(e *emulation, pkg string, flags []string) error {
	folder := filepath.Join(p.root, pkg)
	if has, err := hasTests(folder); err != nil || !has {
		return err
	}
	name := strings.Trim(strings.ReplaceAll(pkg, "/", "_"), "._")
	if name == "" {
		name = "root"
	}
	binary := filepath.Join(p.dir, name+".test")
	if p.goos == "windows" {
		binary += ".exe"
	}
	env := []string{"CGO_ENABLED=0", "GOOS=" + p.goos, "GOARCH=" + p.goarch}
	if err := p.execute(p.root, env, "go", "test", "-c", "-o", binary, pkg); err != nil {
		return fmt.Errorf("build the tests of %s: %w", pkg, err)
	}
	args := append(append([]string{}, e.argv[1:]...), e.path(binary), "-test.v", "-test.timeout=10m")
	out, err := p.output(folder, e.env, e.argv[0], append(args, flags...)...)
	if err != nil && e.flaw != nil {
		if names, all := e.flaw(out); all {
			p.printf("%s: %s pass but for %s", pkg, strings.Join(names, ", "), e.flawText)
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("tests of %s: %w\n%s", pkg, err, failures(out))
	}
	passed, skipped := count(out)
	p.printf("%s: %d tests passed, %d skipped", pkg, passed, skipped)
	for line := range strings.Lines(out) {
		if p.verbose || strings.Contains(line, "argument words") || strings.Contains(line, "--- SKIP") {
			fmt.Fprint(p.out, "    ", strings.TrimLeft(line, " "))
		}
	}
	return nil
}

func hasTests(folder string) (bool, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			return true, nil
		}
	}
	return false, err
}

// count reads how many tests a verbose run passed and skipped, subtests included.
func count(out string) (passed, skipped int) {
	for line := range strings.Lines(out) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "--- PASS"):
			passed++
		case strings.HasPrefix(line, "--- SKIP"):
			skipped++
		}
	}
	return passed, skipped
}

// failures drops what a verbose run says about tests that passed.
func failures(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "=== ") ||
			strings.HasPrefix(t, "--- PASS") || strings.HasPrefix(t, "--- SKIP") {
			continue
		}
		b.WriteString(line)
	}
	return tail(b.String(), 80)
}

// execute runs a program; what it prints is in the error.
func (p *prover) execute(dir string, env []string, name string, args ...string) error {
	out, err := p.output(dir, env, name, args...)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, tail(out, 30))
	}
	return nil
}

func (p *prover) output(dir string, env []string, name string, args ...string) (string, error) {
	c := exec.CommandContext(p.ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), env...)
	var b bytes.Buffer
	c.Stdout, c.Stderr = &b, &b
	err := c.Run()
	return b.String(), err
}

// tail keeps the last n lines.
func tail(s string, n int) string {
	lines := strings.SplitAfter(s, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "")
}
