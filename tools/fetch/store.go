package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Source is a package index, through the machine's own client for it.
type Source interface {
	// Fetch puts the pinned release into dir and returns its path. The error is [ErrUnreachable] if
	// that release is not available.
	Fetch(ctx context.Context, pin Pin, dir string) (string, error)
	// Newer lists the releases that the index has and that would be a new or a better pin than those
	// given. A pin without a release stands for a package of which any would be. Versions are named by
	// that many parts of a release.
	Newer(ctx context.Context, pins []Pin, parts int) ([]Pin, error)
}

// Store keeps downloaded packages by checksum, so that nothing is fetched twice and nothing
// unpinned is ever unpacked.
type Store struct {
	dir      string
	pip, apt Source
}

// Get returns the path of the pinned package and whether it was downloaded just now.
func (s *Store) Get(ctx context.Context, pin Pin) (string, bool, error) {
	kept := filepath.Join(s.dir, pin.SHA256+"-"+pin.Name())
	if sum, err := fileSum(kept); err == nil && sum == pin.SHA256 {
		return kept, false, nil
	}
	err := s.download(ctx, pin, func(file, sum string) error {
		if sum != pin.SHA256 {
			return fmt.Errorf("%s: %w: expected sha256 %s (the pin), got %s: if the release was really "+
				"replaced, check it and correct the pin", pin, ErrMismatch, pin.SHA256, sum)
		}
		return os.Rename(file, kept)
	})
	return kept, err == nil, err
}

// Sum downloads a release that has no checksum yet and returns it.
func (s *Store) Sum(ctx context.Context, pin Pin) (sum string, err error) {
	err = s.download(ctx, pin, func(_, got string) error { sum = got; return nil })
	return sum, err
}

// download calls use with the package's file, which is removed afterwards, and its checksum.
func (s *Store) download(ctx context.Context, pin Pin, use func(file, sum string) error) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(s.dir, "tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	source := s.apt
	if pin.Pip != "" {
		source = s.pip
	}
	file, err := source.Fetch(ctx, pin, tmp)
	if err != nil {
		return err
	}
	sum, err := fileSum(file)
	if err != nil {
		return err
	}
	return use(file, sum)
}

// onlyFile returns the one file that a client left in a folder.
func onlyFile(dir, suffix string, pin Pin) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasSuffix(entry.Name(), suffix) {
			return filepath.Join(dir, entry.Name()), nil
		}
	}
	return "", unreachable(pin.String(), "the client reported success but left no "+suffix+" file")
}

// fileSum is the sha256 of a file.
func fileSum(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
