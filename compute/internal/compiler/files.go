package compiler

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// isLibrary reports whether the error is that no library could be opened.
func isLibrary(err error) bool { return errors.Is(err, dl.ErrLibraryNotFound) }

// opened is the file of a library in use: its path without links or, for one that the dynamic
// loader has searched for by name, the file that the process has mapped. It is "" if that is not
// found.
func opened(path string) string {
	if filepath.IsAbs(path) {
		if file, err := filepath.EvalSymlinks(path); err == nil {
			return file
		}
		return ""
	}
	stem, _, ok := strings.Cut(filepath.Base(path), ".so")
	if files := mapped(stem + ".so"); ok && len(files) > 0 {
		return files[0]
	}
	return ""
}

// mapped are the files that the process has mapped and whose names begin like this, sorted. There
// are none where the system does not list them.
func mapped(prefix string) (files []string) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(maps)) {
		i := strings.IndexByte(line, '/')
		if i < 0 {
			continue
		}
		file := strings.TrimSuffix(line[i:], "\n")
		if strings.HasPrefix(filepath.Base(file), prefix) && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return files
}

// beside are the files in the folder of another with names of these patterns, sorted.
func beside(file string, patterns ...string) (files []string) {
	if file == "" {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		for _, p := range patterns {
			if ok, _ := filepath.Match(p, e.Name()); ok {
				files = append(files, filepath.Join(filepath.Dir(file), e.Name()))
			}
		}
	}
	return files
}

// keyOf is a text that changes with each of the files, or "" if one of them is not found.
func keyOf(name string, files []string) string {
	var b strings.Builder
	b.WriteString(name)
	for _, f := range files {
		i, err := os.Stat(f)
		if err != nil {
			return ""
		}
		fmt.Fprintf(&b, "\n%s %d %d", filepath.Base(f), i.Size(), i.ModTime().UnixNano())
	}
	return b.String()
}
