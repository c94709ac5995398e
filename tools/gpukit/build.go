package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is one in the archive.
type program struct {
	path string // in the archive
	pkg  string // relative to the root module
	test bool   // it is the package's test program
}

// programs are all of them.
var programs = []program{
	{"gpu-kit", "./tools/gpukit/run", false},
	{"bin/gpuinfo", "./examples/gpuinfo", false},
	{"bin/conformance", "./event/eventtest", true},
}

// builder builds archives of one commit.
type builder struct {
	root, version string
	programs      []program
}

// archive builds the programs for a target and packs them. It returns the archive's path.
func (b builder) archive(ctx context.Context, target, out string) (string, error) {
	temp, err := os.MkdirTemp("", "gpukit-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	goos, arch, _ := strings.Cut(target, "/")
	name := fmt.Sprintf("gpuevent-gpu-kit-%s-%s-%s", b.version, goos, arch)
	var files []file
	for _, p := range b.programs {
		path := filepath.Join(temp, filepath.FromSlash(p.path))
		if err := b.build(ctx, p, path, goos, arch); err != nil {
			return "", err
		}
		files = append(files, file{name: p.path, from: path, program: true})
	}
	files = append(files, file{name: "LICENSE", from: filepath.Join(b.root, "LICENSE")},
		file{name: "driver-facts.md", from: filepath.Join(b.root, "docs", "driver-facts.md")},
		file{name: "README.txt", text: readme(b.version, target)})
	path := filepath.Join(out, name+".tar.gz")
	return path, pack(path, name, files)
}

// build compiles a program without cgo. Nothing of this machine gets into it.
func (b builder) build(ctx context.Context, p program, path, goos, arch string) error {
	args := []string{"build"}
	if p.test {
		args = []string{"test", "-c"}
	}
	args = append(args, "-trimpath", "-buildvcs=false", "-ldflags=-s -w -X main.version="+b.version,
		"-o", path, p.pkg)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=", "GOOS="+goos,
		"GOARCH="+arch, "GOAMD64=v1", "GOARM64=v8.0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", p.pkg, err, text)
	}
	return nil
}

// readme is the text that comes with the programs.
func readme(version, target string) string {
	return fmt.Sprintf(`gpuevent GPU kit %s for %s

    ./gpu-kit            tests and measures all GPUs of this machine, in about 10 minutes
    ./gpu-kit -h         its flags

It needs glibc and the GPU's driver. It needs no root and no network, changes no settings, has
buffers of at most 64 MiB each and removes its temporary files. Ctrl-C stops it and leaves the
report of what was done.

gpu-kit.json is the file to send; gpu-kit.md is the same to read. Neither names the machine, its
users or its folders.

https://github.com/gpuevent/gpuevent
`, version, target)
}
