package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// fetchRealLibs fills one folder per release of a vendor's library and writes the manifest that
// tests read.
func fetchRealLibs(ctx context.Context, pins *Pins, filler *Filler) (outcomes []Outcome,
	notes []string, err error) {
	var bases, sets []Set
	for _, g := range pins.groups("reallibs") {
		if g.api == base {
			bases = setsOf(g.api, g.pins)
			continue
		}
		sets = append(sets, setsOf(g.api, g.pins)...)
	}
	stamps, outcomes := filler.all(ctx, slices.Concat(bases, sets))
	manifest := &Manifest{OS: "linux", Arch: "amd64", Libraries: []Library{}, Skipped: []Absent{}}
	for i, set := range sets {
		at := len(bases) + i
		o := &outcomes[at]
		var lib Library
		var under *Set
		err := o.Err
		if name := set.Base(); err == nil && name != "" {
			k := slices.IndexFunc(bases, func(b Set) bool { return b.Version == name })
			under, err = &bases[k], outcomes[k].Err
		}
		if err == nil {
			lib, err = describe(filler.dir, set, pins.specs[set.API].libraries(), stamps[at], under)
		}
		if err != nil {
			*o = o.fail(err)
			manifest.Skipped = append(manifest.Skipped,
				Absent{API: set.API, Version: set.Version, Reason: oneLine(err)})
			continue
		}
		if !lib.Loadable {
			notes = append(notes, fmt.Sprintf("%s can't be loaded: %s", set, lib.Reason))
		}
		manifest.Libraries = append(manifest.Libraries, lib)
	}
	return outcomes, notes, manifest.write(filler.dir)
}

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
	// Library is the file to open.
	Library string `json:"library"`
	// LibraryPath holds the folders of what it needs, without a C library: for LD_LIBRARY_PATH under
	// the machine's own loader.
	LibraryPath []string `json:"library_path"`
	// Loader starts a program with the C library of the release that the package was built for, empty
	// if the machine's own will do: Loader --library-path LoaderPath program arguments.
	Loader     string   `json:"loader,omitempty"`
	LoaderPath []string `json:"loader_path,omitempty"`
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
func describe(dir string, set Set, patterns []string, stamp *Stamp, base *Set) (Library, error) {
	lib := Library{API: set.API, Version: set.Version, Needs: map[string]string{}}
	for _, pattern := range patterns {
		for _, f := range stamp.Files {
			if ok, _ := path.Match(pattern, path.Base(f.Path)); ok && lib.Library == "" &&
				f.Package == set.Pins[0].Name() {
				lib.Library = path.Join(set.String(), f.Path)
			}
		}
	}
	if lib.Library == "" {
		return lib, ErrNoLibrary
	}
	lib.LibraryPath = []string{path.Dir(lib.Library)}
	var libc string
	if base != nil {
		lib.LibraryPath = append(lib.LibraryPath, path.Join(base.String(), "lib"))
		libc = path.Join(base.String(), "libc")
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
	}
	return lib, nil
}

// closure walks what the library needs, breadth first, and returns what is not there.
func closure(dir string, lib *Library, libc string) ([]string, error) {
	var missing []string
	queue := []string{lib.Library}
	for len(queue) > 0 {
		file := queue[0]
		queue = queue[1:]
		needs, err := needsOf(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
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

// sonameOf reads the name under which a shared object is asked for.
func sonameOf(data []byte) (string, bool) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil || f.Type != elf.ET_DYN {
		return "", false
	}
	names, err := f.DynString(elf.DT_SONAME)
	if err != nil || len(names) == 0 || names[0] == "" {
		return "", false
	}
	return names[0], true
}

// needsOf reads which libraries a shared object needs.
func needsOf(name string) ([]string, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	needs, err := f.ImportedLibraries()
	slices.Sort(needs)
	return needs, err
}

// cLibraries are what belongs to the C library itself.
var cLibraries = []string{"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libm.so.6",
	"libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1"}
