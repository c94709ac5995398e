package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
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

// lastLine picks the most useful line of a client's complaint: the first that is marked as an
// error, else the last.
func lastLine(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"ERROR: ", "E: "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				return rest
			}
		}
		if line != "" && !strings.HasPrefix(line, "W: ") && !strings.HasPrefix(line, "WARNING: ") {
			last = line
		}
	}
	return last
}

// debOpener streams the files of a Debian package as a tar archive.
type debOpener func(ctx context.Context, archive string) (io.ReadCloser, error)

// openDeb streams a package through dpkg-deb, which knows its compressions.
func openDeb(ctx context.Context, archive string) (io.ReadCloser, error) {
	s := &debStream{cmd: exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", archive)}
	s.cmd.Stderr = &s.stderr
	var err error
	if s.ReadCloser, err = s.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return s, s.cmd.Start()
}

// debStream is a running dpkg-deb.
type debStream struct {
	io.ReadCloser
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// Close waits for dpkg-deb: a package that it found broken is an error even if all files came
// through.
func (s *debStream) Close() error {
	s.ReadCloser.Close()
	if err := s.cmd.Wait(); err != nil {
		return &CommandError{Name: "dpkg-deb", Stderr: s.stderr.String(), Err: err}
	}
	return nil
}
