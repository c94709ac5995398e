package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Runner runs a program in a folder and returns its standard output. Tests put a fake in its place.
type Runner func(ctx context.Context, dir string, name string, args ...string) ([]byte, error)

// CommandError is a program that failed, with what it said.
type CommandError struct {
	Name   string
	Stderr string
	Err    error
}

func (e *CommandError) Error() string {
	if line := lastLine(e.Stderr); line != "" {
		return fmt.Sprintf("%s: %s (%v)", e.Name, line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Name, e.Err)
}

// Unwrap gives the process's own error.
func (e *CommandError) Unwrap() error { return e.Err }

// runCommand is the Runner that runs real programs.
func runCommand(ctx context.Context, dir string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// A client that left a child behind must not hold the pipes open for ever.
	cmd.WaitDelay = 5 * time.Second
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "PYTHONIOENCODING=utf-8",
		"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1", "DEBIAN_FRONTEND=noninteractive")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("stopped: %w", context.Cause(ctx))
	}
	if err != nil {
		return stdout.Bytes(), &CommandError{Name: name, Stderr: stderr.String(), Err: err}
	}
	return stdout.Bytes(), nil
}

// lastLine picks the line of a client's complaint that tells most: the first that is marked as an
// error, else the last.
func lastLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "ERROR: "); ok {
			return rest
		}
		if rest, ok := strings.CutPrefix(line, "E: "); ok {
			return rest
		}
		if line != "" && !strings.HasPrefix(line, "W: ") && !strings.HasPrefix(line, "WARNING: ") {
			last = line
		}
	}
	return last
}
