// Command gpukit builds the GPU kit: an archive for each kind of machine, to unpack and start there
// without Go.
//
//	go run ./tools/gpukit [-out folder] [-target linux/amd64]
//
// The programs are cross-compiled without cgo. The same commit and the same Go make the same bytes.
package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("gpukit", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", filepath.Join(".build", "gpu-kit"), "the `folder` for the archives")
	only := flags.String("target", "", "build for one `target` only: "+strings.Join(targets, ", "))
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "gpukit: %q is no flag\n", flags.Arg(0))
		return 2
	}
	if err := buildAll(ctx, *out, *only, stdout); err != nil {
		fmt.Fprintln(stderr, "gpukit:", err)
		return 1
	}
	return 0
}

// buildAll builds the archives of all targets, or of one.
func buildAll(ctx context.Context, out, only string, progress io.Writer) error {
	root, err := findRoot(ctx)
	if err != nil {
		return err
	}
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	b := builder{root: root, version: versionOf(ctx, root), programs: programs}
	for _, target := range chosen {
		began := time.Now()
		file, err := b.archive(ctx, target, out)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(progress, "%s, %.1f MB, built in %.0f s\n", file, float64(info.Size())/1e6,
			time.Since(began).Seconds())
	}
	fmt.Fprintln(progress, "copy one to the machine with the GPU; there: tar xf it, cd, ./gpu-kit")
	return nil
}

// targets are the kinds of machines that have both GPUs and drivers.
var targets = []string{"linux/amd64", "linux/arm64"}

func choose(only string) ([]string, error) {
	switch {
	case only == "":
		return targets, nil
	case slices.Contains(targets, only):
		return []string{only}, nil
	}
	return nil, fmt.Errorf("there is no kit for %q: the targets are %s", only,
		strings.Join(targets, " and "))
}

// findRoot returns the folder of the root module.
func findRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/gpuevent/gpuevent").Output()
	if err != nil {
		return "", fmt.Errorf("run it in a checkout, with Go installed: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// versionOf names the commit: the newest tag, how far it is from that, and whether files were
// changed.
func versionOf(ctx context.Context, root string) string {
	cmd := exec.CommandContext(ctx, "git", "describe", "--tags", "--always", "--dirty", "--match=v*")
	cmd.Dir = root
	out, err := cmd.Output()
	if text := strings.TrimSpace(string(out)); err == nil && text != "" {
		return text
	}
	return "unknown"
}

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
	for _, p := range b.programs {
		path := filepath.Join(temp, filepath.FromSlash(p.path))
		if err := b.build(ctx, p, path, goos, arch); err != nil {
			return "", err
		}
	}
	for name, from := range map[string]string{"LICENSE": "LICENSE",
		"driver-facts.md": filepath.Join("docs", "driver-facts.md"), "README.txt": ""} {
		text := []byte(readme(b.version, target))
		if from != "" {
			if text, err = os.ReadFile(filepath.Join(b.root, from)); err != nil {
				return "", err
			}
		}
		if err := os.WriteFile(filepath.Join(temp, name), text, 0o644); err != nil {
			return "", err
		}
	}
	path := filepath.Join(out, name+".tar.gz")
	return path, pack(path, name, os.DirFS(temp))
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

// pack writes the files of a folder into a folder of an archive, which depends on nothing but their
// names, contents and whether they can be executed.
func pack(archive, name string, folder fs.FS) error {
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(zip)
	err = fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		if err != nil {
			return err
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: name + "/" + path, Mode: 0o644,
			Size: int64(len(data)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		if info.Mode()&0o100 != 0 {
			header.Mode = 0o755
		}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		_, err = t.Write(data)
		return err
	})
	if err = errors.Join(err, t.Close(), zip.Close(), out.Close()); err != nil {
		return errors.Join(err, os.Remove(archive))
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
