package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// shared are the packages below the bindings whose tests concern every target.
var shared = []string{".", "./internal/ccall", "./internal/dl", "./internal/callback"}

// binding is an API and the folder of its package.
type binding struct {
	api, oracle, pkg string
	windows          bool // the vendor has a library for Windows
}

// bindings are the APIs that have an oracle.
func bindings(root string) ([]binding, error) {
	const prefix, suffix = "oracle_", ".c"
	// the pattern is well-formed but for what the folder's name may hold
	files, err := filepath.Glob(filepath.Join(root, "internal", "testing", "proof", "testdata",
		prefix+"*"+suffix))
	if err != nil {
		return nil, err
	}
	var all []binding
	for _, file := range files {
		api := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), prefix), suffix)
		var spec struct {
			Package struct{ Name string }
			Library struct {
				Windows struct{ Names []string }
			}
		}
		path := filepath.Join(root, "specs", api+".toml")
		if _, err := toml.DecodeFile(path, &spec); err != nil {
			return nil, fmt.Errorf("the rules of the oracle %s: %w", file, err)
		}
		if spec.Package.Name == "" {
			return nil, fmt.Errorf("%s does not name its package", path)
		}
		all = append(all, binding{api, file, "./" + spec.Package.Name,
			len(spec.Library.Windows.Names) > 0})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no oracle: make generate writes them", root)
	}
	return all, nil
}

// prover does the work for one target.
type prover struct {
	target
	root string
	dir  string // of what is built for the target
	cc   string
	out  io.Writer
	ctx  context.Context
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
	if found, _ := filepath.Glob(filepath.Join(folder, "*_test.go")); len(found) == 0 {
		return nil
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
		if strings.Contains(line, "argument words") || strings.Contains(line, "--- SKIP") {
			fmt.Fprint(p.out, "    ", strings.TrimLeft(line, " "))
		}
	}
	return nil
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
