package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
)

// Store keeps downloaded packages by checksum, so that nothing is fetched twice and nothing
// unpinned is ever unpacked.
type Store struct {
	dir     string
	sources Sources
}

// Get returns the path of the pinned package and whether it was downloaded just now.
func (s *Store) Get(ctx context.Context, pin Pin) (string, bool, error) {
	kept := filepath.Join(s.dir, pin.SHA256+"-"+pin.Name())
	if sum, err := fileSum(kept); err == nil && sum == pin.SHA256 {
		return kept, false, nil
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", false, err
	}
	tmp, err := os.MkdirTemp(s.dir, "tmp-")
	if err != nil {
		return "", false, err
	}
	defer os.RemoveAll(tmp)
	// apt drops its rights for the download if it may; the folder is ours alone and lasts for one
	// call.
	file, err := s.sources.of(pin).Fetch(ctx, pin, tmp)
	if err != nil {
		return "", false, err
	}
	sum, err := fileSum(file)
	if err != nil {
		return "", false, err
	}
	if sum != pin.SHA256 {
		return "", false, &MismatchError{Package: pin.String(), Expected: pin.SHA256, Got: sum,
			ExpectedSource: "the pin"}
	}
	return kept, true, os.Rename(file, kept)
}

// Sum downloads a release that has no checksum yet and returns it.
func (s *Store) Sum(ctx context.Context, pin Pin) (string, error) {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(s.dir, "tmp-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	file, err := s.sources.of(pin).Fetch(ctx, pin, tmp)
	if err != nil {
		return "", err
	}
	return fileSum(file)
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
