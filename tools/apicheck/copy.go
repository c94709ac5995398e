package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// newestTag is the newest release tag that HEAD descends from; "" if there is none, as in a shallow
// clone.
func newestTag(dir string) (string, error) {
	tags, err := run(dir, "git", "tag", "--merged", "HEAD", "--sort=-v:refname", "--list", "v[0-9]*")
	if err != nil {
		return "", err
	}
	newest, _, _ := strings.Cut(tags, "\n")
	return newest, nil
}

// copyWorkingTree copies the files that git tracks or would track, as they are now.
func copyWorkingTree(dir, to string) error {
	list, err := run(dir, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimRight(list, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) { // deleted, and not committed
			continue
		}
		if err != nil {
			return err
		}
		if err := write(to, name, content); err != nil {
			return err
		}
	}
	return nil
}

// copyRevision copies the files of a commit.
func copyRevision(dir, revision, to string) error {
	archive := exec.Command("git", "archive", "--format=tar", revision)
	archive.Dir = dir
	var errs strings.Builder
	archive.Stderr = &errs
	out, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	if err := archive.Start(); err != nil {
		return err
	}
	untarred := untar(out, to)
	if err := archive.Wait(); err != nil {
		return fmt.Errorf("no files of %s here: %w\n%s"+
			"In a shallow clone, git fetch --unshallow --tags brings them",
			revision, err, errs.String())
	}
	return untarred
}

func untar(in io.Reader, to string) error {
	for r := tar.NewReader(in); ; {
		header, err := r.Next()
		if err == io.EOF {
			_, err = io.Copy(io.Discard, in) // git wants its padding read
			return err
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(r)
		if err == nil {
			err = write(to, header.Name, content)
		}
		if err != nil {
			return err
		}
	}
}

func write(dir, name string, content []byte) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%q lies outside of the repository", name)
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
