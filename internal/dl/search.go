package dl

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

var errStub = errors.New("this is the toolkit's linker stub, which has no driver behind it")

// open searches and opens. The caller holds l.mu.
func (l *Library) open(paths []string) error {
	e := &LibraryError{Library: l.Name, Source: "the paths given", Env: l.Env, Remedy: l.Remedy}
	if len(paths) == 0 {
		if env := getenv(l.Env); env != "" {
			paths, e.Source = filepath.SplitList(env), l.Env
		} else {
			paths, e.Source = l.Candidates(), ""
			e.Attempts = ignored(append([]string{l.Env}, l.Search.places().variables()...))
			if l.openLoaded(paths) {
				return nil
			}
		}
	}
	for _, p := range paths {
		handle, err := l.openOne(p)
		if err == nil {
			l.serve(p, handle)
			return nil
		}
		if p == "" {
			p = `""`
		}
		e.Attempts = append(e.Attempts, Attempt{Path: p, Reason: err.Error()})
	}
	l.state, l.failed = missing, e
	return e
}

// openLoaded uses a candidate that the process has already loaded, through cgo or a plugin, from
// any folder.
func (l *Library) openLoaded(candidates []string) bool {
	for _, name := range loadedNames(candidates) {
		if checkPath(name) != nil {
			continue
		}
		if handle := openLoaded(name); handle != 0 && l.checkSymbols(handle) == nil {
			l.serve(name, handle)
			return true
		}
	}
	return false
}

// openOne opens one path or name.
func (l *Library) openOne(path string) (uintptr, error) {
	if err := checkPath(path); err != nil {
		return 0, err
	}
	if err := l.openNeeds(path); err != nil {
		return 0, err
	}
	handle, err := openFile(path)
	if err != nil {
		return 0, err
	}
	// A library that fails the check stays loaded: closing it would run code of an unknown library.
	return handle, l.checkSymbols(handle)
}

// checkPath rejects paths that the dynamic loader must not get: it takes the empty path for the
// program itself, and would wait at a FIFO for a writer. The loader searches for a name without a
// folder.
func checkPath(path string) error {
	if path == "" {
		return errors.New("the path is empty")
	}
	if slices.Contains(strings.Split(filepath.ToSlash(path), "/"), "stubs") {
		return errStub
	}
	if filepath.Base(path) == path {
		return nil
	}
	kind, err := kindOf(path)
	if err != nil {
		return err
	}
	if kind != "" {
		return errors.New("it is a " + kind + ", not a file")
	}
	return nil
}

// checkSymbols rejects a library that is not the vendor's.
func (l *Library) checkSymbols(handle uintptr) error {
	probe := l.Probe
	if probe == "" {
		probe = l.Version.Symbol
	}
	if probe == "" || lookup(handle, probe) != 0 {
		return nil
	}
	return errors.New("it lacks " + probe + ", so it is no " + l.Name)
}

// openNeeds opens what the library at path crashes without: from the library's folder, or where the
// dynamic loader finds it. It stays open. A file that does not contain the name of a needed library
// does not load it: it comes from another vendor, or is linked with it.
func (l *Library) openNeeds(path string) error {
	for _, names := range l.Search.places().Needs {
		if filepath.Base(path) != path && !mentions(path, names) {
			continue
		}
		if !slices.ContainsFunc(names, func(name string) bool {
			beside := filepath.Join(filepath.Dir(path), name)
			if filepath.Base(path) != path && checkPath(beside) == nil {
				if _, err := openFile(beside); err == nil {
					return true
				}
			}
			if runtime.GOOS == "windows" {
				return false // by its bare name Windows would open one in the current folder
			}
			_, err := openFile(name)
			return err == nil
		}) {
			return errors.New("it needs " + strings.Join(names, " or ") + ", which can't be opened")
		}
	}
	return nil
}

// serve puts an open library into use.
func (l *Library) serve(path string, handle uintptr) {
	l.table = func(symbol string) uintptr { return lookup(handle, symbol) }
	l.path, l.state, l.failed = path, open, nil
}
