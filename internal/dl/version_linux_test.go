package dl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

// Libraries tell their versions in many ways.
func TestVersionOfALibrary(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		version dl.Version
		want    string
	}{
		"number": {"int version(int *v) { *v = 60443484; return 0; }",
			dl.Version{Format: []int{10_000_000, 100_000, 1}}, "6.4.43484"},
		"numbers": {"int version(int *a, int *b) { *a = 13; *b = 5; return 0; }",
			dl.Version{Reads: dl.Numbers, Parts: 2}, "13.5"},
		"struct": {"struct v { unsigned a, b, c; const char *build; };\n" +
			"int version(struct v *v) { v->a = 27; v->b = 1; v->c = 0; v->build = \"x\"; return 0; }",
			dl.Version{Reads: dl.Struct, Parts: 3}, "27.1.0"},
		"text": {"int version(char *t, unsigned n) { if (n < 8) return 7;\n" +
			"const char *s = \"12.550\"; while ((*t++ = *s++)); return 0; }",
			dl.Version{Reads: dl.Text}, "12.550"},
		"text without an end": {"int version(char *t, unsigned n) { while (n--) *t++ = 'x'; return 0; }",
			dl.Version{Reads: dl.Text}, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" +
				"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		"failure": {"int version(int *v) { *v = 7; return 1; }", dl.Version{Format: []int{1}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := clib.Library(t, t.TempDir(), "libversion.so", c.text)
			l := library()
			l.Version = c.version
			l.Version.Symbol = "version"
			require.NoError(t, l.Load(path))
			assert.Equal(t, c.want, version(t, l))
		})
	}
}

// A library whose version does not count like its headers says nothing about its functions.
func TestVersionThatDiffersFromHeaders(t *testing.T) {
	t.Parallel()
	path := clib.Library(t, t.TempDir(), "libdiffers.so", versionOf("9000"))
	for _, differs := range []bool{true, false} {
		l := library()
		l.Version.Label, l.Version.Differs = "JIT", differs
		require.NoError(t, l.Load(path))
		_, err := (&dl.Proc{Lib: l, Symbol: "f", Since: "7.2"}).Addr()
		want := "came with CUDA 7.2, but " + path + " (JIT 9.0) does not export it"
		if differs {
			want = "came with CUDA 7.2, and " + path + " (JIT 9.0) does not have it; update it"
		}
		assert.ErrorContains(t, err, want)
	}
}

// Some libraries crash in their first call if another is missing.
func TestNeedsAreOpenedFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := family() // a library that was opened once is there for good
	beside := name(2)
	path := clib.Library(t, dir, name(1), versionOf("9000")+naming("libabsent"))
	l := library(path)
	l.Search.Linux.Needs = [][]string{{"libabsent.so.2", beside}}
	err := l.Load()
	var e *dl.LibraryError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, []dl.Attempt{{Path: path,
		Reason: "it needs libabsent.so.2 or " + beside + ", which can't be opened"}}, e.Attempts)

	clib.Library(t, dir, beside, "int other(void) { return 0; }")
	assert.NoError(t, l.Load(), "beside the library")
	l = library(path)
	l.Search.Linux.Needs = [][]string{{"libabsent.so.2", "libc.so.6"}}
	assert.NoError(t, l.Load(), "where the loader finds it")
}

// naming is C with the name of a library, as code has it that loads the library.
func naming(name string) string { return "const char *name_of_a_library = \"" + name + ".so.2\";" }

// A library that does not name another one does not load it: it comes from another vendor.
func TestNeedsOfAnotherVendor(t *testing.T) {
	t.Parallel()
	dir, name := t.TempDir(), family()
	path := clib.Library(t, dir, name(1), versionOf("9000"))
	l := library(path)
	l.Search.Linux.Needs = [][]string{{"libabsent.so.2", "libmissing.so.1"}}
	assert.NoError(t, l.Load())

	// The name may lie anywhere in a large file.
	for _, before := range []int{0, 1<<16 - 5, 1 << 16, 3<<16 - 9} {
		large := filepath.Join(dir, fmt.Sprint("large", before, ".so"))
		require.NoError(t, os.WriteFile(large,
			append(make([]byte, before), "libmissing.so.1 and more"...), 0o600))
		l := library(large)
		l.Search.Linux.Needs = [][]string{{"libabsent.so.2", "libmissing.so.1"}}
		assert.ErrorContains(t, l.Load(), "not found", before)
		var e *dl.LibraryError
		require.ErrorAs(t, l.Load(), &e)
		assert.Contains(t, e.Attempts[0].Reason, "it needs libabsent.so.2 or libmissing.so.1")
	}
}
