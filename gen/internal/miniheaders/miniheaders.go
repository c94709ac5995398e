// Package miniheaders unpacks the small headers of the tests. They are of our own writing, but a
// file with a vendor's name would look like the vendor's: in the tree each has ".txt" behind its
// name, and the tests get a copy without.
package miniheaders

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Unpack copies the folder from to a new temporary folder, which the caller removes, and takes
// ".txt" off the names of headers.
func Unpack(from string) (dir string, err error) {
	dir, err = os.MkdirTemp("", "miniheaders")
	if err != nil {
		return "", err
	}
	return dir, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if base, ok := strings.CutSuffix(to, ".h.txt"); ok {
			to = base + ".h"
		}
		return os.WriteFile(to, text, 0o600)
	})
}
