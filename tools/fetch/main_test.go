package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	root := func(pins string) string {
		dir := t.TempDir()
		for name, text := range map[string]string{filepath.Join("tools", "pins.toml"): pins,
			filepath.Join("specs", "mini.toml"): "[header]\nfiles = ['mini.h']\n"} {
			name = filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		}
		return dir
	}
	empty, noSpecs := root(""), root("")
	require.NoError(t, os.RemoveAll(filepath.Join(noSpecs, "specs")))
	for name, tc := range map[string]struct {
		args []string
		code int
		says string
	}{
		"help":            {[]string{"-h"}, 0, "Usage: fetch"},
		"help of command": {[]string{"headers", "-h"}, 0, "-small"},
		"no command":      {nil, 2, "give one command"},
		"unknown command": {[]string{"footers"}, 2, `"footers"`},
		"two commands":    {[]string{"headers", "reallibs"}, 2, `"reallibs"`},
		"unknown flag":    {[]string{"headers", "-fast"}, 2, "-fast"},
		"broken pins":     {[]string{"headers", "-root", root("[headers")}, 1, "pin file"},
		"absent pins":     {[]string{"headers", "-root", t.TempDir()}, 1, "no such file"},
		"nothing pinned":  {[]string{"headers", "-root", empty}, 0, "headers: 0 versions"},
		"nothing newer": {[]string{"headers", "-update", "-root", empty}, 0,
			"# headers.mini: nothing newer"},
		"no specs": {[]string{"headers", "-root", noSpecs}, 1, "no <api>.toml in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			assert.Equal(t, tc.code, run(t.Context(), tc.args, &out, &out), out.String())
			assert.Contains(t, out.String(), tc.says)
		})
	}
}

func TestPrintUpdates(t *testing.T) {
	t.Parallel()
	data := []byte("wheel")
	index := &updatingIndex{fakeIndex: fakeIndex{files: map[string][]byte{"p 13.6.1": data}},
		newer: []Pin{{Version: "13.6", Pip: "p", Release: "13.6.1"},
			{Version: "13.5", Pip: "p", Release: "13.5.9", SHA256: goodSum},
			{Version: "13.7", Pip: "p", Release: "13.7.0"}}}
	store := &Store{dir: t.TempDir(), pip: index, apt: index}
	var out strings.Builder
	err := printUpdates(t.Context(),
		[]updateGroup{{pinGroup: pinGroup{command: "headers", api: "cuda",
			pins: []Pin{{Version: "13.5", Pip: "p", Release: "13.5.1"}}}},
			{pinGroup: pinGroup{command: "headers", api: "none"}}}, store, &out)
	require.ErrorIs(t, err, ErrUnreachable, "an unavailable release is named, the others are printed")
	assert.Contains(t, out.String(),
		`{ version = "13.6", pip = "p", release = "13.6.1", sha256 = "`+sumOf(data)+`" }, # add`)
	assert.Contains(t, out.String(),
		`release = "13.5.9", sha256 = "`+goodSum+`" }, # instead of 13.5.1`)
	assert.NotContains(t, out.String(), "13.7")
	assert.Contains(t, out.String(), "# headers.none: nothing newer was found")
}

func TestRunCommand(t *testing.T) {
	t.Parallel()
	_, err := runCommand(t.Context(), t.TempDir(), "go", "no-such-subcommand")
	command, ok := errors.AsType[*CommandError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "go", command.Name)
	assert.NotEmpty(t, command.Stderr)
	_, ok = errors.AsType[*exec.ExitError](err)
	assert.True(t, ok)

	out, err := runCommand(t.Context(), "", "go", "version")
	require.NoError(t, err)
	assert.Contains(t, string(out), "go version")

	_, err = runCommand(t.Context(), "", "gpuevent-no-such-program")
	require.ErrorIs(t, err, exec.ErrNotFound)

	expired, cancel := context.WithDeadlineCause(t.Context(), time.Now(), errors.New("no more time"))
	defer cancel()
	_, err = runCommand(expired, "", "go", "version")
	assert.ErrorContains(t, err, "no more time")
}
