package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var includeRule = Rule{Packages: []string{"*"}, From: []string{"usr/include", "nvidia/*/include"},
	To: "include", Files: []string{"a.h"}, Optional: []string{"sub/**", "b*.h"}}

func unpackInto(t *testing.T, data []byte, pin Pin, rule Rule) (map[string]string, error) {
	t.Helper()
	outer := t.TempDir()
	archive, dir := filepath.Join(outer, "archive"), filepath.Join(outer, "in", "side")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(archive, data, 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	_, err = unpackPackage(t.Context(), archive, pin, rule, root, tarDeb)
	tree := treeOf(t, outer)
	delete(tree, "archive")
	return tree, err
}

var bothFormats = map[string]struct {
	pin  Pin
	make func(*testing.T, ...entry) []byte
}{
	"wheel": {Pin{Pip: "p", Release: "1"}, makeZip},
	"deb":   {Pin{Deb: "p", Release: "1"}, makeTar},
}

func TestUnpackTakesOnlyWhatIsWanted(t *testing.T) {
	t.Parallel()
	for name, format := range bothFormats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, err := unpackInto(t, format.make(t, entry{name: "usr/include/a.h", text: "A"},
				entry{name: "usr/include/sub/deep/c.h", text: "C"},
				entry{name: "usr/include/big.h", text: "B"}, entry{name: "usr/include/other.h", text: "no"},
				entry{name: "usr/include/x/a.h", text: "no"},
				entry{name: "a.h", text: "no"}, entry{name: "usr/share/a.h", text: "no"}), format.pin,
				includeRule)
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"in/side/include/a.h": "A",
				"in/side/include/sub/deep/c.h": "C", "in/side/include/big.h": "B"}, tree)
		})
	}
}

func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	good := entry{name: "usr/include/a.h", text: "A"}
	for name, tc := range map[string]struct {
		entries []entry
		want    error
		says    string
	}{
		"climbing": {[]entry{good, {name: "usr/include/sub/../../../../evil", text: "x"}},
			ErrUnsafe, "evil"},
		"climbing, not wanted": {[]entry{good, {name: "../evil", text: "x"}}, ErrUnsafe, "evil"},
		"absolute": {[]entry{good, {name: "/usr/include/a.h", text: "x"}}, ErrUnsafe,
			"/usr/include/a.h"},
		"backslash": {[]entry{good, {name: `usr/include/sub/..\..\evil`, text: "x"}}, ErrUnsafe,
			"evil"},
		"drive": {[]entry{good, {name: "usr/include/sub/c:evil", text: "x"}}, ErrUnsafe,
			"c:evil"},
		"twice":               {[]entry{good, good}, ErrUnsafe, "comes twice"},
		"wanted file missing": {[]entry{{name: "usr/include/b.h", text: "B"}}, ErrWanted, "a.h"},
	} {
		for kind, format := range bothFormats {
			t.Run(name+" in a "+kind, func(t *testing.T) {
				t.Parallel()
				tree, err := unpackInto(t, format.make(t, tc.entries...), format.pin, includeRule)
				require.ErrorIs(t, err, tc.want)
				assert.ErrorContains(t, err, tc.says)
				for file := range tree {
					assert.Contains(t, file, "in/side/include/", "nothing lands outside")
				}
			})
		}
	}
}

func TestUnpackLinks(t *testing.T) {
	t.Parallel()
	entries := []entry{{name: "usr/include/a.h", text: "A"}, {name: "usr/include/sub", link: "/etc"},
		{name: "usr/include/bad.h", link: "/etc/passwd"}}
	tree, err := unpackInto(t, makeTar(t, entries...), Pin{Deb: "p", Release: "1"}, includeRule)
	require.NoError(t, err, "a package's links are passed over")
	assert.Equal(t, map[string]string{"in/side/include/a.h": "A"}, tree)

	_, err = unpackInto(t, makeZip(t, entries...), Pin{Pip: "p", Release: "1"}, includeRule)
	require.ErrorIs(t, err, ErrUnsafe, "a wheel has no links")

	tree, err = unpackInto(t, makeTar(t, entry{name: "usr/include/sub", link: ".."},
		entry{name: "usr/include/sub/evil", text: "x"}, entries[0]), Pin{Deb: "p", Release: "1"},
		includeRule)
	require.NoError(t, err, "a link is never made, so nothing can be written through it")
	assert.Contains(t, tree, "in/side/include/sub/evil")
}

func TestUnpackBoundsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	archive := filepath.Join(dir, "archive")
	require.NoError(t, os.WriteFile(archive, makeZip(t, entry{name: "usr/include/a.h", text: "12345"}),
		0o600))
	u := &unpacker{archive: archive, pin: Pin{Pip: "p"}, rule: includeRule, root: root, maxFile: 4}
	require.ErrorIs(t, u.each(t.Context(), u.take), ErrUnsafe)
}

func TestUnpackBrokenArchives(t *testing.T) {
	t.Parallel()
	for kind, format := range bothFormats {
		_, err := unpackInto(t, []byte("this is neither a zip nor a tar archive, whatever it says it is"),
			format.pin, includeRule)
		assert.Error(t, err, kind)
	}
}

func TestSharedObjectsAreNamedBySoname(t *testing.T) {
	t.Parallel()
	rule := Rule{Packages: []string{"*"}, From: []string{"usr/lib"}, To: "lib",
		Files: []string{"lib*.so*"}, Shared: true}
	pin := Pin{Deb: "p", Release: "1"}
	for name, tc := range map[string]struct {
		soname string
		want   map[string]string
		err    error
	}{
		"named": {"libx.so.1", map[string]string{"in/side/lib/libx.so.1": string(
			elfWithSoname("libx.so.1"))}, nil},
		"climbs":       {"../evil.so", map[string]string{}, ErrUnsafe},
		"has a folder": {"a/b.so", map[string]string{}, ErrUnsafe},
		"has none":     {"", map[string]string{}, ErrWanted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, err := unpackInto(t, makeTar(t,
				entry{name: "usr/lib/libx.so.1.2.3", text: string(elfWithSoname(tc.soname))},
				entry{name: "usr/lib/libx.so", link: "libx.so.1.2.3"},
				entry{name: "usr/lib/libscript.so", text: "GROUP ( x )"}), pin, rule)
			require.ErrorIs(t, err, tc.err)
			assert.Equal(t, tc.want, tree)
		})
	}
}
