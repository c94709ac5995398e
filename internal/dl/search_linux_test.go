package dl_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

// version asks what serves for its version.
func version(t *testing.T, l *dl.Library) string {
	t.Helper()
	_, err := (&dl.Proc{Lib: l, Symbol: "absent", Since: "99.0"}).Addr()
	var e *dl.SymbolError
	require.ErrorAs(t, err, &e)
	return e.Version
}

var runs atomic.Int32

// family returns names of libraries that no other test, or run of one, has loaded: there is no
// unloading them.
func family() func(major int) string {
	run := runs.Add(1)
	return func(major int) string { return fmt.Sprintf("libgpuevent%d.so.%d", run, major) }
}

// Two copies of a runtime in one process don't know each other's objects.
func TestLoadedLibraryComesBeforeANewerOne(t *testing.T) {
	dir := t.TempDir()
	name := family()
	older := clib.Library(t, filepath.Join(dir, "elsewhere"), name(6), versionOf("6000"))
	newer := clib.Library(t, dir, name(7), versionOf("7000"))
	_, err := purego.Dlopen(older, purego.RTLD_NOW)
	require.NoError(t, err)

	l := library(newer, name(7), name(6))
	require.NoError(t, l.Load())
	assert.Equal(t, name(6), l.Path())
	assert.Equal(t, "6.0", version(t, l))

	l = library(newer, name(6))
	require.NoError(t, l.Load(newer))
	assert.Equal(t, "7.0", version(t, l), "the program's word comes first")

	another := clib.Library(t, dir, name(8), versionOf("8000"))
	t.Setenv("GPUEVENT_TEST_LIBRARY", another)
	l = library(newer, name(6))
	require.NoError(t, l.Load())
	assert.Equal(t, "8.0", version(t, l), "the user's word comes first")
}

// The loader recognizes the file of a path, by any name.
func TestLoadedFileIsKnownByItsPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := family()
	first := clib.Library(t, dir, name(7), versionOf("7000"))
	second := clib.Library(t, dir, name(6), versionOf("6000"))
	link := filepath.Join(dir, "another-name.so")
	require.NoError(t, os.Symlink(second, link))
	_, err := purego.Dlopen(second, purego.RTLD_NOW)
	require.NoError(t, err)
	l := library(first, link)
	require.NoError(t, l.Load())
	assert.Equal(t, link, l.Path())
	assert.Equal(t, "6.0", version(t, l))
}

func TestLoadedLibraryOfAnotherKindIsPassedOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := family()
	impostor := clib.Library(t, dir, name(7), "int other(void) { return 0; }")
	_, err := purego.Dlopen(impostor, purego.RTLD_NOW)
	require.NoError(t, err)
	right := clib.Library(t, dir, name(6), versionOf("6000"))
	l := library(impostor, right)
	require.NoError(t, l.Load())
	assert.Equal(t, right, l.Path())
}

func TestLibraryWithoutTheVersionIsNotTheVendors(t *testing.T) {
	dir := t.TempDir()
	other := clib.Library(t, dir, "libother.so", "int other(void) { return 0; }")
	right := clib.Library(t, dir, "libright.so", versionOf("12040"))
	const reason = "it lacks version, so it is no test library"

	l := library(other, right)
	require.NoError(t, l.Load(), "the search goes on")
	assert.Equal(t, right, l.Path())

	refused := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, dl.ErrLibraryNotFound)
		var e *dl.LibraryError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, []dl.Attempt{{Path: other, Reason: reason}}, e.Attempts)
	}
	l = library(other)
	refused(l.Load())
	assert.Empty(t, l.Path())
	assert.False(t, l.Has("other"))
	refused(library(right).Load(other))
	t.Setenv("GPUEVENT_TEST_LIBRARY", other)
	refused(library(right).Load())
}

// Opening a FIFO would wait for a writer forever.
func TestOnlyFilesAreOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, syscall.Mkfifo(at("fifo"), 0o644))
	require.NoError(t, os.Symlink(at("fifo"), at("link")))
	require.NoError(t, os.Mkdir(at("folder"), 0o755))
	listener, err := net.Listen("unix", at("socket"))
	require.NoError(t, err)
	defer listener.Close()
	right := clib.Library(t, dir, "libright.so", versionOf("12040"))
	require.NoError(t, os.Symlink(right, at("right")))

	for path, reason := range map[string]string{
		at("fifo"):   "it is a FIFO, not a file",
		at("link"):   "it is a FIFO, not a file",
		at("folder"): "it is a folder, not a file",
		at("socket"): "it is a socket, not a file",
		"/dev/zero":  "it is a device, not a file",
		at("absent"): "no such file or directory",
	} {
		for _, err := range []error{library(path).Load(), library().Load(path)} {
			var e *dl.LibraryError
			require.ErrorAs(t, err, &e)
			assert.Equal(t, []dl.Attempt{{Path: path, Reason: reason}}, e.Attempts)
		}
	}
	l := library(at("fifo"), at("right"))
	require.NoError(t, l.Load())
	assert.Equal(t, at("right"), l.Path(), "a link to a file is a file")
}
