package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

// coreName is the library with the simulator.
const coreName = "libgpuevent-sim.so"

// ErrUnsupported is returned by [Build] on a platform for which there are no such libraries.
var ErrUnsupported = errors.New("simulated libraries are for linux/amd64 and linux/arm64")

// front is the part of a vendor's library that does not depend on what it exports.
//
//go:embed front/front.c
var front []byte

// compiler finds the C compiler for an architecture: this machine's own, or the cross compiler by
// the name that Linux distributions give it.
func compiler(arch string) (string, error) {
	stub, ok := stubs[arch]
	switch {
	case runtime.GOOS != "linux" || !ok:
		return "", ErrUnsupported
	case arch == runtime.GOARCH:
		cc, err := clib.Compiler()
		if err != nil {
			return "", fmt.Errorf("%w: install gcc or set CC", err)
		}
		return cc, nil
	}
	cc, err := exec.LookPath(stub.machine + "-linux-gnu-gcc")
	if err != nil {
		return "", fmt.Errorf("%w for %s: %w", clib.ErrNoCompiler, arch, err)
	}
	return cc, nil
}

// Build writes the libraries of profiles for an architecture to a folder, and returns their paths.
func Build(out, arch string, profiles []Profile) (paths []string, err error) {
	cc, err := compiler(arch)
	if err != nil {
		return nil, err
	}
	root, err := moduleFolder("github.com/gpuevent/gpuevent")
	if err != nil {
		return nil, err
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	if err := buildCore(cc, arch, filepath.Join(out, coreName)); err != nil {
		return nil, err
	}
	for _, p := range profiles {
		symbols, err := p.symbols(root)
		if err != nil {
			return paths, err
		}
		path := filepath.Join(out, p.Name(), p.soft(p.release))
		if err := buildFront(cc, arch, path, p, symbols); err != nil {
			return paths, err
		}
		if err := link(path); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// link gives a library its name without a version, which compilers and some programs look for.
func link(path string) error {
	name := filepath.Base(path)
	short := filepath.Join(filepath.Dir(path), name[:strings.Index(name, ".so")+len(".so")])
	if err := os.Remove(short); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Symlink(name, short)
}

// moduleFolder returns where a module's files are.
func moduleFolder(path string) (string, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path)
	list.Stderr = os.Stderr
	dir, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("find module %s: %w: run this in the repository", path, err)
	}
	return strings.TrimSpace(string(dir)), nil
}

func buildCore(cc, arch, path string) error {
	const pkg = "github.com/gpuevent/gpuevent/tools/simlib"
	dir, err := moduleFolder(pkg)
	if err != nil {
		return err
	}
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", path, pkg+"/core")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=1", "GOARCH="+arch, "CC="+cc)
	if err := command(build); err != nil {
		return fmt.Errorf("build the simulator: %w", err)
	}
	return os.Remove(strings.TrimSuffix(path, ".so") + ".h")
}

// buildFront compiles a vendor's library.
func buildFront(cc, arch, path string, p Profile, symbols []symbol) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "simlib")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for name, text := range map[string][]byte{
		"front.c": front,
		"table.h": table(p, symbols),
		"stubs.s": stubTexts(symbols, stubs[arch]),
	} {
		if err := os.WriteFile(filepath.Join(work, name), text, 0o666); err != nil {
			return err
		}
	}
	compile := exec.Command(cc, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-fvisibility=hidden",
		"-pthread", "-Wl,-soname,"+filepath.Base(path), "-Wl,-z,nodelete", "-Wl,-z,noexecstack",
		"-o", path, "front.c", "stubs.s", "-ldl")
	compile.Dir = work
	if err := command(compile); err != nil {
		return fmt.Errorf("build %s: %w", p, err)
	}
	return nil
}

// command runs a command, and puts what it says into the error.
func command(c *exec.Cmd) error {
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}
