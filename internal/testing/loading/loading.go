// Package loading has the tests that every generated package passes without a library, whatever
// its API.
package loading

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// Package is a package of bindings: its functions, its library, and what it exports about that.
type Package struct {
	API       *proof.API
	Library   *dl.Library
	Load      func(...string) error
	Path      func() string
	Has       func(string) bool
	Since     func(string) string
	Available func() error
}

// Check runs the tests.
func Check(t *testing.T, p Package) {
	t.Run("no library", p.noLibrary)
	t.Run("the environment chooses", p.environment)
	t.Run("no symbol", p.noSymbol)
	t.Run("a library in use stays", p.inUse)
}

// nowhere are paths at which there is no library.
func nowhere(t *testing.T, names ...string) []string {
	paths := make([]string, len(names))
	for i, n := range names {
		paths[i] = filepath.Join(t.TempDir(), n)
	}
	return paths
}

// failed are the paths of an error's attempts, which all have a reason.
func failed(t *testing.T, err error) (paths []string, e *dl.LibraryError) {
	if !errors.As(err, &e) || !errors.Is(err, dl.ErrLibraryNotFound) {
		t.Fatalf("%v is not the error of a missing library", err)
	}
	for _, a := range e.Attempts {
		if a.Reason == "" {
			t.Errorf("the attempt %s has no reason", a.Path)
		}
		paths = append(paths, a.Path)
	}
	return paths, e
}

// tried fails the test if an error does not list these attempts.
func tried(t *testing.T, what string, err error, want ...string) *dl.LibraryError {
	got, e := failed(t, err)
	if !slices.Equal(got, want) {
		t.Errorf("%s tried %q, not %q", what, got, want)
	}
	return e
}

// zero calls a function with zero values; all results but the error must be zero.
func zero(t *testing.T, f *proof.Function) error {
	nonzero, err := fake.Split(fake.Zero(f.Go))
	if len(nonzero) > 0 {
		t.Errorf("%s returns a %s beside its error", f.C, strings.Join(nonzero, ", "))
	}
	return err
}

// Every function returns an error that lists what was tried, and no other result.
func (p Package) noLibrary(t *testing.T) {
	paths := nowhere(t, "first", "second")
	fake.Absent(t, p.Library, paths...)
	for i := range p.API.Functions {
		f := &p.API.Functions[i]
		err := zero(t, f)
		tried(t, f.C, err, paths...)
		if text := p.Library.Remedy + ", or set " + p.Library.Env; !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %q does not say %q", f.C, err, text)
		}
		if p.Has(f.C) || p.Since(f.C) == "" {
			t.Errorf("%s: Has is %v, Since is %q", f.C, p.Has(f.C), p.Since(f.C))
		}
	}
	tried(t, "Available", p.Available(), paths...)
	if p.Path() != "" || p.Since("noSuchFunction") != "" {
		t.Errorf("Path is %q, Since of nothing %q", p.Path(), p.Since("noSuchFunction"))
	}
}

// Paths from the program come before the variable, and the variable before the search.
func (p Package) environment(t *testing.T) {
	candidates, chosen := nowhere(t, "candidate"), nowhere(t, "a", "b")
	fake.Absent(t, p.Library, candidates...)
	t.Setenv(p.Library.Env, chosen[0]+string(filepath.ListSeparator)+chosen[1])
	if e := tried(t, "a call", p.Available(), chosen...); e.Source != p.Library.Env {
		t.Errorf("the source is %q, not %s", e.Source, p.Library.Env)
	}
	given := nowhere(t, "given")
	tried(t, "Load of a path", p.Load(given...), given...)
	t.Setenv(p.Library.Env, "")
	tried(t, "a call after that", p.Available(), given...)
	tried(t, "Load", p.Load(), candidates...)
}

// A library without a function is named, with the version that introduced the function.
func (p Package) noSymbol(t *testing.T) {
	fake.New("old").Install(t, p.Library)
	for i := range p.API.Functions {
		f := &p.API.Functions[i]
		err := zero(t, f)
		var e *dl.SymbolError
		if !errors.As(err, &e) || !errors.Is(err, dl.ErrSymbolNotFound) {
			t.Fatalf("%s: %v is not the error of a missing symbol", f.C, err)
		}
		if e.Symbol != f.C || e.Library != "old" || e.Since != p.Since(f.C) || p.Has(f.C) {
			t.Errorf("%s: %+v; Has is %v", f.C, *e, p.Has(f.C))
		}
	}
}

// A library in use is not replaced.
func (p Package) inUse(t *testing.T) {
	fake.New("in use").Install(t, p.Library)
	if p.Path() != "in use" {
		t.Errorf("Path is %q", p.Path())
	}
	if err := errors.Join(p.Load(), p.Load("in use")); err != nil {
		t.Error(err)
	}
	if err := p.Load("another"); !errors.Is(err, dl.ErrAlreadyLoaded) ||
		!strings.Contains(err.Error(), "in use") || !strings.Contains(err.Error(), "another") {
		t.Errorf("Load of another library: %v", err)
	}
}
