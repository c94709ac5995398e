package main

import (
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// Manifest is what a test reads to find the real libraries. All paths are relative to the
// manifest's folder.
type Manifest struct {
	OS        string    `json:"os"`
	Arch      string    `json:"arch"`
	Libraries []Library `json:"libraries"`
	Skipped   []Absent  `json:"skipped"`
}

// Library is one release of a vendor's library.
type Library struct {
	API     string `json:"api"`
	Version string `json:"version"`
	Package string `json:"package"`
	Release string `json:"release"`
	// Library is the file to open.
	Library string `json:"library"`
	// LibraryPath holds the folders of what it needs, without a C library: for LD_LIBRARY_PATH under
	// the machine's own loader.
	LibraryPath []string `json:"library_path"`
	// Loader starts a program with the C library of the release that the package was built for, empty
	// if the machine's own will do: Loader --library-path LoaderPath program arguments.
	Loader     string   `json:"loader,omitempty"`
	LoaderPath []string `json:"loader_path,omitempty"`
	// GlibcNeeded is the oldest C library that will do.
	GlibcNeeded string `json:"glibc_needed"`
	// Needs lists everything that is loaded with it and where it comes from: a path, or "host".
	Needs map[string]string `json:"needs"`
	// Loadable is false if something needed isn't here; then the file's symbol table can still be
	// read.
	Loadable bool   `json:"loadable"`
	Reason   string `json:"reason,omitempty"`
}

// Absent is a release that is not available, and why.
type Absent struct {
	API     string `json:"api"`
	Version string `json:"version"`
	Reason  string `json:"reason"`
}

// ErrNoLibrary is the error of a package that doesn't hold the library that it was fetched for.
var ErrNoLibrary = errors.New("the package holds no library of that name")

// describe finds out what a set's library needs to run. Its file is the first that a pattern
// matches. Without a base it runs on the machine's own libraries.
func describe(dir string, set Set, patterns []string, stamp *Stamp, base *Set,
	leftOut []string) (Library, error) {
	first := set.Pins[0]
	lib := Library{API: set.API, Version: set.Version, Package: first.Name(), Release: first.Release,
		Needs: map[string]string{}}
	own := path.Join(set.API, set.Version)
	for _, pattern := range patterns {
		for _, f := range stamp.Files {
			if ok, _ := path.Match(pattern, path.Base(f.Path)); ok && lib.Library == "" &&
				f.Package == first.Name() {
				lib.Library = path.Join(own, f.Path)
			}
		}
	}
	if lib.Library == "" {
		return lib, ErrNoLibrary
	}
	lib.LibraryPath = []string{path.Dir(lib.Library)}
	var libc string
	if base != nil {
		lib.LibraryPath = append(lib.LibraryPath, path.Join(base.API, base.Version, "lib"))
		libc = path.Join(base.API, base.Version, "libc")
		lib.Loader = path.Join(libc, "ld-linux-x86-64.so.2")
		lib.LoaderPath = append(slices.Clone(lib.LibraryPath), libc)
	}
	missing, err := closure(dir, &lib, libc)
	if err != nil {
		return lib, err
	}
	lib.Loadable = len(missing) == 0
	if !lib.Loadable {
		lib.Reason = "needs " + strings.Join(missing, ", ") + ", not here"
		if len(leftOut) > 0 {
			lib.Reason += ": left out as large: " + strings.Join(leftOut, ", ")
		}
	}
	return lib, nil
}

// closure walks what the library needs, breadth first, and returns what nobody provides.
func closure(dir string, lib *Library, libc string) ([]string, error) {
	var missing []string
	queue := []string{lib.Library}
	for len(queue) > 0 {
		file := queue[0]
		queue = queue[1:]
		needs, glibc, err := needsOf(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		if path.Dir(file) != libc && versions.Compare(glibc, lib.GlibcNeeded) > 0 {
			lib.GlibcNeeded = glibc
		}
		for _, need := range needs {
			if _, seen := lib.Needs[need]; seen || slices.Contains(missing, need) {
				continue
			}
			where := find(dir, slices.Concat(lib.LibraryPath, []string{libc}), need)
			switch {
			case where != "":
				lib.Needs[need] = where
				queue = append(queue, where)
			case libc == "" && slices.Contains(cLibraries, need):
				lib.Needs[need] = "host"
			default:
				missing = append(missing, need)
			}
		}
	}
	return missing, nil
}

// find looks for a library in folders, in order.
func find(dir string, folders []string, soname string) string {
	for _, folder := range folders {
		if folder == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(folder), soname)); err == nil {
			return path.Join(folder, soname)
		}
	}
	return ""
}

// write replaces the manifest.
func (m *Manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(dir, ".manifest.tmp")
	if err := os.WriteFile(tmp, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(dir, "manifest.json"))
}
