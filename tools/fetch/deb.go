package main

import (
	"bytes"
	"context"
	"io"
	"os/exec"
)

// debOpener streams the files of a Debian package as a tar archive.
type debOpener func(ctx context.Context, archive string) (io.ReadCloser, error)

// openDeb streams a package through dpkg-deb.
func openDeb(ctx context.Context, archive string) (io.ReadCloser, error) {
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", archive)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &debStream{ReadCloser: out, cmd: cmd, stderr: &stderr}, nil
}

// debStream is a running dpkg-deb.
type debStream struct {
	io.ReadCloser
	cmd    *exec.Cmd
	stderr *bytes.Buffer
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
