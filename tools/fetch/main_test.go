package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := filepath.Join(dir, "pins.toml")
	require.NoError(t, os.WriteFile(broken, []byte("[headers"), 0o600))
	empty := filepath.Join(dir, "empty.toml")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	specs := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(specs, "mini.toml"),
		[]byte("[header]\nfiles = ['mini.h']\n"), 0o600))
	for name, tc := range map[string]struct {
		args []string
		code int
		says string
	}{
		"help":            {[]string{"-h"}, 0, "Usage: fetch"},
		"help of command": {[]string{"headers", "-h"}, 0, "-strict"},
		"no command":      {nil, 2, "give one command"},
		"unknown command": {[]string{"footers"}, 2, `"footers"`},
		"two commands":    {[]string{"headers", "reallibs"}, 2, `"reallibs"`},
		"unknown flag":    {[]string{"headers", "-fast"}, 2, "-fast"},
		"broken pins": {[]string{"headers", "-pins", broken, "-dir", dir, "-cache", dir}, 1,
			"pin file"},
		"absent pins": {[]string{"headers", "-pins", broken + "x", "-dir", dir, "-cache", dir}, 1,
			"no such file"},
		"nothing pinned": {[]string{"headers", "-pins", empty, "-dir", filepath.Join(dir, "h"), "-cache",
			dir}, 0, "headers: 0 versions"},
		"no toolchains": {[]string{"toolchains", "-pins", empty, "-dir", dir, "-cache", dir}, 0,
			"0 of 0 are here"},
		"nothing newer": {[]string{"headers", "-update", "-specs", specs, "-pins", empty, "-dir", dir,
			"-cache", dir}, 0, "# headers.mini: nothing newer"},
		"no specs": {[]string{"headers", "-specs", filepath.Join(dir, "x"), "-pins", empty, "-dir", dir,
			"-cache", dir}, 1, "no <api>.toml in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			assert.Equal(t, tc.code, run(t.Context(), tc.args, &out, &out), out.String())
			assert.Contains(t, out.String(), tc.says)
		})
	}
}

func TestFindRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "tools", "fetch"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tools", "pins.toml"), nil, 0o600))
	for _, from := range []string{dir, filepath.Join(dir, "tools"),
		filepath.Join(dir, "tools", "fetch")} {
		root, err := findRoot(from)
		require.NoError(t, err)
		assert.Equal(t, dir, root)
	}
	_, err := findRoot(t.TempDir())
	assert.ErrorContains(t, err, "run inside the repository")
}

func TestPrintUpdates(t *testing.T) {
	t.Parallel()
	data := []byte("wheel")
	index := &updatingIndex{fakeIndex: fakeIndex{files: map[string][]byte{"p 13.6.1": data}},
		newer: []Pin{{Version: "13.6", Pip: "p", Release: "13.6.1"},
			{Version: "13.5", Pip: "p", Release: "13.5.9", SHA256: goodSum},
			{Version: "13.7", Pip: "p", Release: "13.7.0"}}}
	store := &Store{dir: t.TempDir(), sources: Sources{Pip: index, Apt: index}}
	var out strings.Builder
	err := printUpdates(t.Context(),
		[]updateGroup{{pinGroup: pinGroup{name: "headers.cuda",
			pins: []Pin{{Version: "13.5", Pip: "p", Release: "13.5.1"}}}},
			{pinGroup: pinGroup{name: "none"}}}, store, &out)
	require.ErrorIs(t, err, ErrUnreachable, "an unavailable release is named, the others are printed")
	assert.Contains(t, out.String(),
		`{ version = "13.6", pip = "p", release = "13.6.1", sha256 = "`+sumOf(data)+`" }, # add`)
	assert.Contains(t, out.String(),
		`release = "13.5.9", sha256 = "`+goodSum+`" }, # instead of 13.5.1`)
	assert.NotContains(t, out.String(), "13.7")
	assert.Contains(t, out.String(), "# none: nothing newer was found")
}
