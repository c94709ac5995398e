package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// compile compiles a text and checks what comes of it.
func compile(t *testing.T, c *Cache, text string) {
	t.Helper()
	got, err := c.compile(t.Context(), pretended(nil), compiler.Request{Text: text})
	require.NoError(t, err)
	assert.Equal(t, made(text), got)
}

// key is that of a text for the pretended compiler.
func key(text string) Key { return KeyOf("pretended", compiler.Request{Text: text}, "p 1") }

func TestHit(t *testing.T) {
	t.Parallel()
	c := Open(t.TempDir(), 0)
	require.NoError(t, c.Reason())
	compile(t, c, "x")
	compile(t, c, "x")
	compile(t, c, "y")
	other := Open(c.Folder(), 0)
	compile(t, other, "y")
	assert.Equal(t, Counters{Hits: 1, Misses: 2, Stored: 2}, c.Counters())
	assert.Equal(t, Counters{Hits: 1}, other.Counters())
}

// Whatever is wrong with an entry: it is removed, and the source compiled again.
func TestDamagedEntries(t *testing.T) {
	t.Parallel()
	whole := encode(key("x"), ptr(made("x")))
	sealed := func(body []byte) []byte { // as this package would have written it
		sum := sha256.Sum256(body)
		return append(append([]byte(mark), sum[:]...), body...)
	}
	for name, data := range map[string][]byte{
		"empty":         {},
		"one byte":      {1},
		"only the mark": []byte(mark),
		"truncated":     whole[:len(whole)-1],
		"longer":        append(append([]byte{}, whole...), 0),
		"zeros":         make([]byte, len(whole)),
		"zeros at the end": append(append([]byte{}, whole[:len(whole)/2]...),
			make([]byte, len(whole)/2)...),
		"another key":       encode(key("y"), ptr(made("y"))),
		"no fields":         sealed(whole[header : header+len(Key{})]),
		"a field too short": sealed(append(append([]byte{}, whole[header:]...), 1, 2, 3)),
		"a field too long": sealed(append(append([]byte{}, whole[header:]...),
			0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
		"a bit": func() []byte {
			b := append([]byte{}, whole...)
			b[len(b)-3] ^= 4
			return b
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Open(t.TempDir(), 0)
			require.NoError(t, os.WriteFile(c.path(key("x")), data, 0o600))
			compile(t, c, "x")
			compile(t, c, "x")
			assert.Equal(t, Counters{Hits: 1, Misses: 1, Stored: 1, Dropped: 1}, c.Counters())
		})
	}
	t.Run("a folder in its place", func(t *testing.T) {
		t.Parallel()
		c := Open(t.TempDir(), 0)
		require.NoError(t, os.Mkdir(c.path(key("x")), 0o700))
		compile(t, c, "x")
		assert.Equal(t, Counters{Misses: 1, Stored: 1, Dropped: 1}, c.Counters())
	})
	t.Run("a folder that stays", func(t *testing.T) {
		t.Parallel()
		c := Open(t.TempDir(), 0)
		require.NoError(t, os.MkdirAll(filepath.Join(c.path(key("x")), "file"), 0o700))
		compile(t, c, "x")
		assert.Equal(t, Counters{Misses: 1, Unstored: 1}, c.Counters())
		entries, err := os.ReadDir(c.Folder())
		require.NoError(t, err)
		assert.Len(t, entries, 1, "no temporary file is left")
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(Key{}, ptr(made("x")))[header:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		r, err := decode(Key{}, append(append([]byte(mark), sum[:]...), body...))
		if err != nil {
			assert.Zero(t, r)
		}
	})
}

// Those not used for longest go first, until there is room; files of others stay.
func TestEviction(t *testing.T) {
	t.Parallel()
	size := int64(len(encode(Key{}, ptr(made("1")))))
	c := Open(t.TempDir(), 5*size)
	foreign := filepath.Join(c.Folder(), "notes.kernel")
	require.NoError(t, os.WriteFile(foreign, make([]byte, 10*size), 0o600))
	start := time.Now().Add(-time.Hour)
	for i, text := range []string{"1", "2", "3", "4", "5"} {
		compile(t, c, text)
		at := start.Add(time.Duration(i) * time.Minute)
		require.NoError(t, os.Chtimes(c.path(key(text)), at, at))
	}
	compile(t, c, "1") // used again: now the latest
	compile(t, c, "6")
	for text, there := range map[string]bool{"1": true, "2": false, "3": false, "4": true, "5": true,
		"6": true} {
		_, err := os.Stat(c.path(key(text)))
		assert.Equal(t, there, err == nil, text)
	}
	assert.FileExists(t, foreign)
	assert.Equal(t, Counters{Hits: 1, Misses: 6, Stored: 6, Evicted: 2}, c.Counters())
}

// What other processes have written counts too.
func TestEvictionOfOthers(t *testing.T) {
	t.Parallel()
	size := int64(len(encode(Key{}, ptr(made("1")))))
	dir := t.TempDir()
	large := Open(dir, 0)
	for _, text := range []string{"1", "2", "3", "4", "5"} {
		compile(t, large, text)
	}
	small := Open(dir, 3*size)
	compile(t, small, "6")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2)
	assert.EqualValues(t, 4, small.Counters().Evicted)
	tiny := Open(dir, size-1)
	compile(t, tiny, "7")
	assert.Equal(t, Counters{Misses: 1, Unstored: 1}, tiny.Counters(), "larger than the cache")
}

func TestStaleFiles(t *testing.T) {
	t.Parallel()
	c := Open(t.TempDir(), 0)
	stale, fresh := filepath.Join(c.Folder(), "1"+tempMark), filepath.Join(c.Folder(), "2"+tempMark)
	for _, f := range []string{stale, fresh} {
		require.NoError(t, os.WriteFile(f, []byte("half"), 0o600))
	}
	old := time.Now().Add(-2 * staleAfter)
	require.NoError(t, os.Chtimes(stale, old, old))
	compile(t, c, "x")
	assert.NoFileExists(t, stale)
	assert.FileExists(t, fresh)
	assert.EqualValues(t, 1, c.Counters().Stale)
}

// A folder that cannot be made or written is no error.
func TestUnusableFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c := Open(filepath.Join(file, "below"), 0)
	compile(t, c, "x")
	compile(t, c, "x")
	assert.Equal(t, Counters{Misses: 2, Unstored: 2}, c.Counters())

	c = Open(t.TempDir(), 0)
	compile(t, c, "x")
	require.NoError(t, os.RemoveAll(c.Folder()))
	compile(t, c, "x") // the folder is made again
	compile(t, c, "x")
	assert.Equal(t, Counters{Hits: 1, Misses: 2, Stored: 2}, c.Counters())
}

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may write everywhere")
	}
	c := Open(t.TempDir(), 0)
	compile(t, c, "x")
	require.NoError(t, os.Chmod(c.Folder(), 0o500))
	compile(t, c, "x")
	compile(t, c, "y")
	assert.Equal(t, Counters{Hits: 1, Misses: 2, Stored: 1, Unstored: 1}, c.Counters())
	require.NoError(t, os.Chmod(c.Folder(), 0o700))
}

func TestOff(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *Cache{
		"nil":       func(*testing.T) *Cache { return nil },
		"no limit":  func(t *testing.T) *Cache { return Open(t.TempDir(), -1) },
		"by option": func(t *testing.T) *Cache { t.Setenv(Variable, "off"); return Open("", 0) },
		"no home": func(t *testing.T) *Cache {
			for _, v := range []string{Variable, "HOME", "XDG_CACHE_HOME", "LocalAppData"} {
				t.Setenv(v, "")
			}
			return Open("", 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t)
			compile(t, c, "x")
			assert.Error(t, c.Reason())
			assert.Empty(t, c.Folder())
			assert.Zero(t, c.Counters())
		})
	}
}

func TestDefaultFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Variable, dir)
	assert.Equal(t, dir, Open("", 0).Folder())
	t.Setenv(Variable, "")
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("LocalAppData", dir)
	t.Setenv("HOME", dir)
	got := Open("", 0).Folder()
	assert.True(t, strings.HasPrefix(got, dir), got)
	assert.True(t, strings.HasSuffix(got, filepath.Join("gpuevent", "kernels")), got)
	t.Setenv(Variable, "relative")
	assert.True(t, filepath.IsAbs(Open("", 0).Folder()))
}

// What must not be kept is compiled, and counted.
func TestUncacheable(t *testing.T) {
	t.Parallel()
	c := Open(t.TempDir(), 0)
	unknown := pretended(nil)
	unknown.identity = func() (compiler.Identity, error) { return compiler.Identity{Name: "p"}, nil }
	absent := pretended(nil)
	absent.identity = func() (compiler.Identity, error) {
		return compiler.Identity{}, errors.New("none")
	}
	odd := pretended(func(context.Context, compiler.Request) (compiler.Result, error) {
		return compiler.Result{Log: "error: no device library"}, nil
	})
	for _, b := range []*backend{unknown, absent} {
		got, err := c.compile(t.Context(), b, compiler.Request{Text: "x"})
		require.NoError(t, err)
		assert.Equal(t, made("x"), got)
	}
	_, err := c.compile(t.Context(), pretended(nil), compiler.Request{Text: "x",
		Options: []string{"-I/usr/include"}})
	require.NoError(t, err)
	assert.Equal(t, Counters{Uncacheable: 3}, c.Counters())
	for range 2 {
		_, err = c.compile(t.Context(), odd, compiler.Request{Text: "x"})
		require.NoError(t, err)
	}
	assert.Equal(t, Counters{Uncacheable: 3, Misses: 2}, c.Counters())
	fails := pretended(func(context.Context, compiler.Request) (compiler.Result, error) {
		return compiler.Result{}, compiler.ErrSource
	})
	for range 2 {
		_, err = c.compile(t.Context(), fails, compiler.Request{Text: "y"})
		require.ErrorIs(t, err, compiler.ErrSource)
	}
	entries, err := os.ReadDir(c.Folder())
	require.NoError(t, err)
	assert.Empty(t, entries)
}
