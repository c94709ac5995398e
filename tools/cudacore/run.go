package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

type options struct {
	tests, library, files string
}

// patience is how long a file of tests may run.
const patience = 5 * time.Minute

// environment is the result with one Python.
type environment struct {
	packages []string // with their versions
	files    []file
	lacking  map[string]int // calls of functions that are not simulated
	cut      int            // reports of the simulator that are incomplete
}

// file is the result of one file of tests.
type file struct {
	name  string // in the checkout
	suite suite
}

// leftOut are the parts of the checkout that do not test libcuda, with the reason.
var leftOut = map[string]string{
	"cython":              "compiles extensions",
	"example_tests":       "runs the examples",
	"cudla":               "tests libcudla",
	"nvml":                "tests NVML",
	"system":              "tests NVML",
	"test_examples.py":    "runs the examples",
	"test_cufile.py":      "tests libcufile",
	"test_build_hooks.py": "tests how the packages are built",
}

// find returns the files of tests in a checkout, relative to it.
func find(checkout, part string, projects []string) ([]string, error) {
	var found []string
	for _, project := range projects {
		root := filepath.Join(checkout, project, "tests")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name := d.Name()
			if _, out := leftOut[name]; out {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if d.IsDir() || !strings.HasPrefix(name, "test_") || !strings.HasSuffix(name, ".py") {
				return nil
			}
			path, err = filepath.Rel(checkout, path)
			if strings.Contains(path, part) {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(found)
	return found, nil
}

// commitOf returns the commit of a checkout, or nothing.
func commitOf(ctx context.Context, checkout string) string {
	out, err := exec.CommandContext(ctx, "git", "-C", checkout, "rev-parse", "HEAD").Output()
	if err != nil { // an unpacked archive
		out, _ = os.ReadFile(filepath.Join(checkout, "COMMIT"))
	}
	return strings.TrimSpace(string(out))
}

// versions is a program that prints the packages that matter.
const versions = `
from importlib.metadata import version
import platform
print("Python", platform.python_version())
for p in "cuda-core", "cuda-bindings", "pytest":
    print(p, version(p))
`

// runAll runs the tests with one Python.
func runAll(ctx context.Context, o options, python string, projects []string) (environment,
	error) {
	e := environment{lacking: map[string]int{}}
	python, err := filepath.Abs(python)
	if err != nil {
		return e, err
	}
	library, err := filepath.Abs(o.library)
	if err != nil {
		return e, err
	}
	out, err := exec.CommandContext(ctx, python, "-c", versions).Output()
	if err != nil {
		return e, fmt.Errorf("%s: %w", python, err)
	}
	e.packages = strings.Split(strings.TrimSpace(string(out)), "\n")
	if o.tests, err = filepath.Abs(o.tests); err != nil {
		return e, err
	}
	names, err := find(o.tests, o.files, projects)
	if err != nil {
		return e, err
	}
	scratch, err := os.MkdirTemp("", "cudacore")
	if err != nil {
		return e, err
	}
	defer os.RemoveAll(scratch)
	e.files = make([]file, len(names))
	var g errgroup.Group
	g.SetLimit(2)
	for i, name := range names {
		g.Go(func() error {
			dir := filepath.Join(scratch, fmt.Sprint(i))
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			s, err := runFile(ctx, o, python, library, name, dir)
			e.files[i] = file{name, s}
			fmt.Fprintf(os.Stderr, "%s %s: %v\n", e.packages[2], name, s.counts())
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return e, err
	}
	return e, e.readReports(filepath.Join(scratch, "*", "report.*"))
}

// helpers is a plugin of pytest's that finds helpers of the tests in the checkout, which the
// packages do not all contain.
const helpers = `import cuda.bindings
cuda.bindings.__path__.append(%q)
`

// runFile runs a file of tests. One that ends without a report of its own is one error.
func runFile(ctx context.Context, o options, python, library, name, dir string) (suite, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	result := filepath.Join(dir, "junit.xml")
	plugin := fmt.Sprintf(helpers, filepath.Join(o.tests, "cuda_bindings", "cuda", "bindings"))
	if err := os.WriteFile(filepath.Join(dir, "checkout.py"), []byte(plugin), 0o600); err != nil {
		return suite{}, err
	}
	project, rest, _ := strings.Cut(filepath.ToSlash(name), "/tests/")
	c := exec.CommandContext(ctx, python, "-m", "pytest", "-q", "-p", "no:cacheprovider",
		"-p", "checkout",
		"--junitxml", result, rest)
	c.Dir = filepath.Join(o.tests, project, "tests")
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+library, "PYTHONPATH="+dir,
		"PYTHONDONTWRITEBYTECODE=1",
		"GPUEVENT_SIM_REPORT="+filepath.Join(dir, "report.%p.json"))
	c.WaitDelay = 10 * time.Second
	ownGroup(c)
	out, failed := c.CombinedOutput()
	data, err := os.ReadFile(result)
	switch {
	case err == nil:
		return parseJUnit(data)
	case !errors.Is(err, os.ErrNotExist):
		return suite{}, err
	case ctx.Err() != nil:
		return crashed(fmt.Sprintf("no end after %v", patience)), nil
	}
	return crashed(fmt.Sprintf("the process ended early, %v: %s", failed, lastLine(out))), nil
}

// lastLine returns the line of a crashed process's output that says most.
func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, l := range lines {
		for _, sign := range []string{"fatal error:", "Fatal Python error:", "panic:"} {
			if strings.HasPrefix(l, sign) {
				return l
			}
		}
	}
	return lines[len(lines)-1]
}

// readReports adds up what the simulator wrote.
func (e *environment) readReports(pattern string) error {
	paths, err := filepath.Glob(pattern)
	for _, path := range paths {
		var r struct {
			Lacking map[string]int
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &r); err != nil {
			e.cut++ // its process was killed while it wrote
			continue
		}
		for name, n := range r.Lacking {
			e.lacking[name] += n
		}
	}
	return err
}
