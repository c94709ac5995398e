// Package bindings has the tests that every generated package passes without a library, whatever
// its API.
package bindings

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// Every function returns an error that lists what was tried, and no other result.
func (p Package) noLibrary(t *testing.T) {
	paths := nowhere(t, "first", "second")
	fake.Absent(t, p.Library, paths...)
	for _, f := range p.API.Functions {
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, dl.ErrLibraryNotFound, f.C)
		assert.Empty(t, nonzero, f.C)
		var e *dl.LibraryError
		require.ErrorAs(t, err, &e, f.C)
		require.Len(t, e.Attempts, len(paths), f.C)
		for i, a := range e.Attempts {
			assert.Equal(t, paths[i], a.Path)
			assert.NotEmpty(t, a.Reason)
		}
		assert.ErrorContains(t, err, p.Library.Remedy+", or set "+p.Library.Env)
		assert.False(t, p.Has(f.C), f.C)
		assert.NotEmpty(t, p.Since(f.C), f.C)
	}
	assert.ErrorIs(t, p.Available(), dl.ErrLibraryNotFound)
	assert.Empty(t, p.Path())
	assert.Empty(t, p.Since("noSuchFunction"))
}

func (p Package) environment(t *testing.T) {
	candidates, chosen := nowhere(t, "candidate"), nowhere(t, "a", "b")
	fake.Absent(t, p.Library, candidates...)
	t.Setenv(p.Library.Env, chosen[0]+string(filepath.ListSeparator)+chosen[1])
	var e *dl.LibraryError
	require.ErrorAs(t, p.Available(), &e)
	require.Len(t, e.Attempts, 2)
	assert.Equal(t, chosen, []string{e.Attempts[0].Path, e.Attempts[1].Path})
	assert.Equal(t, p.Library.Env, e.Source)

	given := nowhere(t, "given")
	require.ErrorAs(t, p.Load(given...), &e)
	require.Len(t, e.Attempts, 1)
	assert.Equal(t, given[0], e.Attempts[0].Path, "a path from the program comes first")

	t.Setenv(p.Library.Env, "")
	require.ErrorAs(t, p.Load(), &e)
	assert.Equal(t, candidates[0], e.Attempts[0].Path, "Load searches again")
}

// A library without a function is named, with the version that introduced the function.
func (p Package) noSymbol(t *testing.T) {
	fake.New("old").Install(t, p.Library)
	for _, f := range p.API.Functions {
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, dl.ErrSymbolNotFound, f.C)
		assert.Empty(t, nonzero, f.C)
		var e *dl.SymbolError
		require.ErrorAs(t, err, &e, f.C)
		assert.Equal(t, f.C, e.Symbol)
		assert.Equal(t, "old", e.Library)
		assert.Equal(t, p.Since(f.C), e.Since)
		assert.False(t, p.Has(f.C))
	}
}

func (p Package) inUse(t *testing.T) {
	fake.New("in use").Install(t, p.Library)
	assert.Equal(t, "in use", p.Path())
	assert.NoError(t, p.Load())
	assert.NoError(t, p.Load("in use"))
	err := p.Load("another")
	assert.ErrorIs(t, err, dl.ErrAlreadyLoaded)
	assert.ErrorContains(t, err, "in use")
	assert.ErrorContains(t, err, "another")
}
