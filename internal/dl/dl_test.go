package dl

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// version is the C function int version(int*) of the tests' library: CUDA 12.4.
var version = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(v *int32) uintptr { *v = 12040; return 0 })
})

// library returns a library of the test's own whose search finds nothing.
func library(candidates ...string) *Library {
	return &Library{
		Name:    "test library",
		API:     "CUDA",
		Env:     "GPUEVENT_TEST_LIBRARY",
		Remedy:  "install it",
		Update:  "update it",
		Search:  Search{Paths: candidates},
		Version: Version{Symbol: "version", Format: []int{1000, 10}},
	}
}

func table(symbols map[string]uintptr) Table { return func(s string) uintptr { return symbols[s] } }

func TestMissingLibraryListsEveryCandidate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "one.so"), filepath.Join(dir, "two.so")}
	p := Proc{Lib: library(paths...), Symbol: "f", Since: "1.0"}

	_, err := p.Addr()
	require.ErrorIs(t, err, ErrLibraryNotFound)
	var e *LibraryError
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Attempts, 2)
	for i, a := range e.Attempts {
		assert.Equal(t, paths[i], a.Path)
		assert.NotEmpty(t, a.Reason)
		assert.False(t, strings.HasPrefix(a.Reason, a.Path), "the reason does not repeat the path")
	}
	assert.Equal(t, "test library not found: install it, or set GPUEVENT_TEST_LIBRARY to the "+
		"library's path (2 paths tried, see LibraryError.Attempts)", err.Error())
}

func TestNoCandidates(t *testing.T) {
	t.Parallel()
	assert.ErrorContains(t, library().Load(), "there is none for this platform")
}

func TestEnvironmentOverridesTheSearch(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.so"), filepath.Join(dir, "b.so")
	t.Setenv("GPUEVENT_TEST_LIBRARY", a+string(filepath.ListSeparator)+b)
	l := library(filepath.Join(dir, "candidate.so"))
	err := l.Load()
	var e *LibraryError
	require.ErrorAs(t, err, &e)
	assert.Len(t, e.Attempts, 2, "only the variable's paths are tried")
	assert.Contains(t, err.Error(), "only GPUEVENT_TEST_LIBRARY searched; 2 paths tried")
	assert.NotContains(t, err.Error(), "candidate.so")

	explicit := filepath.Join(dir, "explicit.so")
	require.ErrorAs(t, l.Load(explicit), &e)
	require.Len(t, e.Attempts, 1, "a path from the program comes before the variable")
	assert.Equal(t, explicit, e.Attempts[0].Path)
	assert.Contains(t, e.Error(), "only the paths given searched; tried "+e.Attempts[0].String())
}

func TestFailureIsCachedUntilLoadIsAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.so"), filepath.Join(dir, "second.so")
	l := library(first)
	p := Proc{Lib: l, Symbol: "f"}
	tried := func(err error) string {
		var e *LibraryError
		require.ErrorAs(t, err, &e)
		require.Len(t, e.Attempts, 1)
		return e.Attempts[0].Path
	}
	_, err := p.Addr()
	assert.Equal(t, first, tried(err))
	l.Search.Paths = []string{second}
	for range 3 {
		_, err := p.Addr()
		assert.Equal(t, first, tried(err), "a call does not search again")
	}
	assert.Equal(t, second, tried(l.Load()), "Load does")
}

func TestSymbolsAreLookedUpOnce(t *testing.T) {
	t.Parallel()
	l := library()
	lookups := map[string]int{}
	symbols := map[string]uintptr{"there": 4096, "version": version()}
	l.Install("fake", func(s string) uintptr { lookups[s]++; return symbols[s] })

	hit, miss := Proc{Lib: l, Symbol: "there"}, Proc{Lib: l, Symbol: "absent", Since: "12.8"}
	for range 3 {
		a, err := hit.Addr()
		require.NoError(t, err)
		assert.EqualValues(t, 4096, a)
		_, err = miss.Addr()
		require.ErrorIs(t, err, ErrSymbolNotFound)
	}
	assert.Equal(t, 1, lookups["there"])
	assert.Equal(t, 1, lookups["absent"])

	_, err := miss.Addr()
	var e *SymbolError
	require.ErrorAs(t, err, &e)
	assert.Equal(
		t,
		SymbolError{
			Symbol:  "absent",
			Since:   "12.8",
			API:     "CUDA",
			Library: "fake",
			Version: "12.4",
			Update:  "update it",
			Lack:    "absent came with CUDA 12.8, and fake (CUDA 12.4) does not have it",

			Updatable: true,
		},
		*e,
	)
	assert.Equal(
		t,
		`symbol not found: absent came with CUDA 12.8, and fake (CUDA 12.4) does not have it; update it, or ask Has("absent") before the call`,
		e.Error(),
	)
	assert.True(t, l.Has("there"))
	assert.False(t, l.Has("absent"))
}

// A vendor's release may count differently from its library: messages name both.
func TestReleaseBesideTheVersion(t *testing.T) {
	t.Parallel()
	l := library()
	l.Version.Releases = []Release{{"12.4", "Toy 20.1"}, {"12.40", "Toy 30"}}
	l.Install("fake", table(map[string]uintptr{"version": version()}))
	p := Proc{Lib: l, Symbol: "absent", Since: "after 12.3, by 12.5 (Toy 20.2)"}
	_, err := p.Addr()
	require.ErrorIs(t, err, ErrSymbolNotFound)
	assert.ErrorContains(t, err, "came after CUDA 12.3, by 12.5 (Toy 20.2), and fake "+
		"(CUDA 12.4, Toy 20.1) does not have it")
	v := Version{Releases: []Release{{"7.15", "Toy 10.0"}}}
	assert.Equal(t, "Toy 10.0", v.release("7.15.43484"))
	assert.Empty(t, v.release("7.1.5"))
	assert.Empty(t, v.release(""))
}

// Vendors declare functions that a release does not export yet, and take functions away. Then it is
// no use to say that an update helps.
func TestSymbolThatTheReleaseShouldHave(t *testing.T) {
	t.Parallel()
	l := library()
	l.Install("fake", table(map[string]uintptr{"version": version()}))
	for since, helps := range map[string]bool{"2.0": false, "12.3": false, "12.4": false,
		"12.4.9": false, "12.5": true, "13.0": true, "11.8 or earlier": false,
		"after 12.2, by 12.4": false, "after 12.3, by 12.5": true} {
		_, err := (&Proc{Lib: l, Symbol: "f", Since: since}).Addr()
		require.ErrorIs(t, err, ErrSymbolNotFound)
		came := "with CUDA " + since
		if between, ok := strings.CutPrefix(since, "after "); ok {
			came = "after CUDA " + between
		}
		want := "f came " + came +
			", but fake (CUDA 12.4) does not export it, and an update may not bring it; ask Has(\"f\") " +
			"before the call"
		if helps {
			want = "f came " + came +
				", and fake (CUDA 12.4) does not have it; update it, or ask Has(\"f\") before the call"
		}
		assert.Equal(t, "symbol not found: "+want, err.Error())
	}
}

func TestVersionThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	l := library()
	l.Install("fake", table(nil))
	_, err := (&Proc{Lib: l, Symbol: "f", Since: "3.2"}).Addr()
	assert.ErrorContains(t, err, "fake (of unknown version)")
}

func TestInstallForgetsAndRestores(t *testing.T) {
	t.Parallel()
	l := library(filepath.Join(t.TempDir(), "absent.so"))
	p := Proc{Lib: l, Symbol: "f", Since: "1.0"}
	addr := func() uintptr { a, _ := p.Addr(); return a }

	assert.Zero(t, addr())
	restoreOne := l.Install("one", table(map[string]uintptr{"f": 1}))
	assert.EqualValues(t, 1, addr())
	assert.Equal(t, "one", l.Path())
	restoreTwo := l.Install("two", table(map[string]uintptr{"f": 2}))
	assert.EqualValues(t, 2, addr())
	restoreTwo()
	assert.EqualValues(t, 1, addr())
	restoreOne()
	assert.Zero(t, addr())
	assert.Empty(t, l.Path())
}

func TestLoadAfterAnotherLibraryServes(t *testing.T) {
	t.Parallel()
	l := library()
	l.Install("first", table(nil))
	assert.NoError(t, l.Load(), "nothing else is asked for")
	assert.NoError(t, l.Load("first"))
	err := l.Load("second")
	assert.ErrorIs(t, err, ErrAlreadyLoaded)
	assert.ErrorContains(t, err, "first")
}

func TestConcurrentFirstCalls(t *testing.T) {
	t.Parallel()
	l := library()
	var lookups atomic.Int32
	l.Install("fake", func(string) uintptr { lookups.Add(1); return 8 })
	p := Proc{Lib: l, Symbol: "f"}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			a, err := p.Addr()
			assert.NoError(t, err)
			assert.EqualValues(t, 8, a)
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, lookups.Load())
}

func TestInstallNothingSearchesAnew(t *testing.T) {
	t.Parallel()
	l := library(filepath.Join(t.TempDir(), "absent.so"))
	defer l.Install("fake", table(map[string]uintptr{"f": 1}))()
	p := Proc{Lib: l, Symbol: "f", Since: "1.0"}
	_, err := p.Addr()
	require.NoError(t, err)

	restore := l.Install("", nil)
	_, err = p.Addr()
	require.ErrorIs(t, err, ErrLibraryNotFound)
	restore()
	_, err = p.Addr()
	assert.NoError(t, err)
}

// To the dynamic loader the empty path means the program itself, which would then pass for the
// library.
func TestEmptyPathIsNoLibrary(t *testing.T) {
	l := library()
	t.Setenv("GPUEVENT_TEST_LIBRARY", string(filepath.ListSeparator))
	for _, err := range []error{l.Load(), l.Load("")} {
		require.ErrorIs(t, err, ErrLibraryNotFound)
		var e *LibraryError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, `"": the path is empty`, e.Attempts[0].String())
	}
}

// Handles of one library are invalid in another: code that keeps some checks whether the number is
// still the same.
func TestGenerationChangesWithWhatServes(t *testing.T) {
	t.Parallel()
	l := library(filepath.Join(t.TempDir(), "absent.so"))
	seen := map[uint64]bool{}
	another := func(what string) {
		t.Helper()
		assert.False(t, seen[l.Generation()], what)
		seen[l.Generation()] = true
	}
	another("at first")
	require.Error(t, l.Load())
	assert.True(t, seen[l.Generation()], "nothing serves, and nothing did")
	one := l.Install("one", table(nil))
	another("another table")
	_ = l.Has("f")
	assert.True(t, seen[l.Generation()])
	two := l.Install("one", table(nil))
	another("another table of the same name")
	two()
	another("the first table again: handles of the second must not reach it")
	one()
	another("none")
	l.Install("", nil)()
	another("none, twice")
}
