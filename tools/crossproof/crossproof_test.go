package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	all, err := choose("")
	require.NoError(t, err)
	assert.Len(t, all, len(targets))
	one, err := choose("windows/amd64")
	require.NoError(t, err)
	require.Len(t, one, 1)
	assert.Equal(t, "windows/amd64", one[0].name())
	_, err = choose("plan9/mips")
	assert.ErrorContains(t, err, "linux/arm64", "the error names what there is")
}

func TestMissingToolIsNamed(t *testing.T) {
	t.Parallel()
	_, err := targets[0].tool("no-such-emulator")
	require.ErrorIs(t, err, errMissing)
	assert.ErrorContains(t, err, "no-such-emulator")
	assert.ErrorContains(t, err, targets[0].packages)
}

func TestMissingToolSkipsTheTarget(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	root := t.TempDir()
	var out bytes.Buffer
	assert.Equal(t, 0, command(t.Context(), []string{"-root", root, "-target", "linux/arm64"}, &out,
		&out))
	assert.Contains(t, out.String(), "skipped: qemu-aarch64 is missing")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-h"}, 0, "usage: crossproof"},
		{[]string{"-nonsense"}, 2, "nonsense"},
		{[]string{"more"}, 2, "unexpected"},
		{[]string{"-target", "x/y"}, 2, "no target"},
	} {
		var out bytes.Buffer
		assert.Equal(t, tt.code, command(t.Context(), tt.args, &out, &out), "%q", tt.args)
		assert.Contains(t, out.String(), tt.want)
	}
}

func TestWinePath(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `Z:\a\b c\d.dll`, winePath("/a/b c/d.dll"))
}

func TestCount(t *testing.T) {
	t.Parallel()
	passed, skipped := count("--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\n" +
		"--- SKIP: TestC (0.00s)\nPASS\n")
	assert.Equal(t, 2, passed)
	assert.Equal(t, 1, skipped)
}

func TestTail(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "b\nc", tail("a\nb\nc", 2))
	assert.Equal(t, "a", tail("a", 5))
}

func TestOnlyUnremovableFoldersAreForgiven(t *testing.T) {
	t.Parallel()
	const cleanup = "    testing.go:1464: TempDir RemoveAll cleanup: unlinkat C:\\users\\T\\001: " +
		"Invalid function.\n"
	for _, tt := range []struct {
		name, out string
		names     []string
		all       bool
	}{
		{"cleanup", "=== RUN   TestA\n" + cleanup + "--- FAIL: TestA (0.01s)\nFAIL\n", []string{"TestA"},
			true},
		{"in a subtest", "=== RUN   TestA\n=== RUN   TestA/b\n" + cleanup +
			"--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/b (0.01s)\nFAIL\n", []string{"TestA/b"}, true},
		{"also an error", "=== RUN   TestA\n    a_test.go:7: wrong\n" + cleanup +
			"--- FAIL: TestA (0.01s)\nFAIL\n", nil, false},
		{"another test", "=== RUN   TestA\n" + cleanup +
			"--- FAIL: TestA (0.01s)\n=== RUN   TestB\n    b_test.go:1: wrong\n--- FAIL: TestB (0.01s)\n" +
			"FAIL\n", []string{"TestA"}, false},
		{"a crash", "=== RUN   TestA\npanic: boom\n", nil, false},
	} {
		names, all := unremovable(tt.out)
		assert.Equal(t, tt.all, all, tt.name)
		assert.Equal(t, tt.names, names, tt.name)
	}
}

func TestBindings(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(text string, path ...string) {
		file := filepath.Join(append([]string{root}, path...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	_, err := bindings(root)
	require.ErrorContains(t, err, "no oracle")
	oracle := []string{"internal", "testing", "proof", "testdata", "oracle_mini.c"}
	write("", oracle...)
	_, err = bindings(root)
	require.ErrorContains(t, err, "mini.toml")
	write("[header]", "specs", "mini.toml")
	_, err = bindings(root)
	require.ErrorContains(t, err, "does not name its package")
	write("[package]\nname = 'minigo'\nvendor = 'Mini'", "specs", "mini.toml")
	all, err := bindings(root)
	require.NoError(t, err)
	file := filepath.Join(append([]string{root}, oracle...)...)
	assert.Equal(t, []binding{{"mini", file, "./minigo", false}}, all)
}
