package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// installer installs what the cross-target proofs need, where it may.
type installer struct {
	run      Runner
	lookPath func(string) (string, error)
	exists   func(string) bool
	root     bool
	out      io.Writer
}

func newInstaller(run Runner, out io.Writer) *installer {
	return &installer{run: run, lookPath: exec.LookPath, root: os.Geteuid() == 0, out: out,
		exists: func(name string) bool { _, err := os.Stat(name); return err == nil }}
}

// missing lists the toolchains that this machine lacks.
func (i *installer) missing(toolchains []Toolchain) (missing []string) {
	for _, t := range toolchains {
		_, err := i.lookPath(t.Command) // of "" it fails
		if err != nil && !(t.File != "" && i.exists(t.File)) {
			missing = append(missing, t.Package)
		}
	}
	return missing
}

// install installs what is missing and returns what still is. Only a call of the machine's own
// apt-get by root changes the machine.
func (i *installer) install(ctx context.Context, toolchains []Toolchain) []string {
	missing := i.missing(toolchains)
	fmt.Fprintf(i.out, "toolchains: %d of %d are here\n", len(toolchains)-len(missing),
		len(toolchains))
	if len(missing) == 0 {
		return nil
	}
	_, err := i.lookPath("apt-get")
	switch {
	case err != nil:
		return i.report(missing, "this machine has no apt-get: install their like with its own package "+
			"manager")
	case !i.root:
		return i.report(missing, "not root: run as root, or: apt-get install --no-install-recommends "+
			strings.Join(missing, " "))
	}
	fmt.Fprintf(i.out, "installing %s\n", strings.Join(missing, ", "))
	if _, err := i.run(ctx, "", "apt-get", "-q", "update"); err != nil {
		fmt.Fprintf(i.out, "warning: apt-get update: %v\n", err)
	}
	reason := "installed, but what shows it is not where it was looked for"
	install := []string{"-q", "-y", "--no-install-recommends", "install"}
	if _, err := i.run(ctx, "", "apt-get", slices.Concat(install, missing)...); err != nil {
		reason = err.Error()
		// One package that this release lacks must not keep the others away.
		for _, name := range missing {
			if _, err := i.run(ctx, "", "apt-get", slices.Concat(install, []string{name})...); err != nil {
				reason = err.Error()
			}
		}
	}
	return i.report(i.missing(toolchains), reason)
}

func (i *installer) report(missing []string, reason string) []string {
	if len(missing) == 0 {
		fmt.Fprintln(i.out, "toolchains: all are here now")
		return nil
	}
	fmt.Fprintf(i.out, "  skipped %s: %s\n", strings.Join(missing, ", "), reason)
	return missing
}
