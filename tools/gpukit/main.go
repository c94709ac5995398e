// Command gpukit builds the GPU kit: an archive for each kind of machine, to unpack and start there
// without Go.
//
//	go run ./tools/gpukit [-out folder] [-target linux/amd64]
//
// The programs are cross-compiled without cgo. The same commit and the same Go make the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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
	if only == "" {
		return targets, nil
	}
	for _, t := range targets {
		if t == only {
			return []string{t}, nil
		}
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
