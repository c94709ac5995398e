package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
)

// gen runs a command line and returns what it wrote.
func gen(t *testing.T, wantCode int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Run("gen", commands, args, &out, &errs)
	require.Equal(t, wantCode, code, "gen %s: %s", strings.Join(args, " "), errs.String())
	return out.String(), errs.String()
}

// copyHistory copies the small releases to a folder of the test's own.
func copyHistory(t *testing.T, versions ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, v := range versions {
		require.NoError(t, os.CopyFS(filepath.Join(dir, v), os.DirFS(filepath.Join(historyDir, v))))
	}
	return dir
}

func versionsOf(t *testing.T, spec string) []string {
	t.Helper()
	m, err := model.Load(spec)
	require.NoError(t, err)
	var out []string
	for _, v := range m.Versions {
		out = append(out, v.Name)
	}
	return out
}

func TestParseCommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(historyDir, "1.1", "include")
	stdout, stderr := gen(t, 0, "parse", "-api", "cuda", "-I", dir)
	m, err := model.Decode("stdout", []byte(stdout))
	require.NoError(t, err)
	assert.Equal(t, []model.Version{{Name: "1.1", Number: 1010, Lacks: []string{"cudaProfiler.h"}}},
		m.Versions)
	assert.Contains(t, stderr, "cuda 1.1: 4 functions, 2 enums with 5 values, 1 structs with 3 fields")

	file := filepath.Join(t.TempDir(), "one.json")
	gen(t, 0, "parse", "-api", "cuda", "-I", dir, "-o", file)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, stdout, string(data))

	_, stderr = gen(t, 1, "parse", "-api", "cuda", "-I", dir, "-version", "2.0")
	assert.Contains(t, stderr, "is 1.1 (CUDA_VERSION 1010), not 2.0")
	_, stderr = gen(t, 2, "parse", "-I", dir)
	assert.Contains(t, stderr, "-api is missing")
}

func TestParseCommandNamesTheLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	header := filepath.Join(dir, "cuda.h")
	require.NoError(t, os.WriteFile(header, []byte("#define CUDA_VERSION 1000\nint cuOpen(;\n"),
		0o600))
	_, stderr := gen(t, 1, "parse", "-api", "cuda", "-I", dir)
	assert.Contains(t, stderr, filepath.ToSlash(header)+":2:")
}

// TestParseCommandEnvironment shows that an installed toolkit is found by its variable, and ROCm's
// full version beside it.
func TestParseCommandEnvironment(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, "include"),
		os.DirFS(filepath.Join(miniDir, "inline_wrappers", "include"))))
	require.NoError(t, os.Mkdir(filepath.Join(root, ".info"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".info", "version"), []byte("9.1.7-42\n"),
		0o600))
	for _, v := range []string{"CUDA_PATH", "CUDA_HOME", "ROCM_PATH", "HIP_PATH"} {
		t.Setenv(v, "")
	}
	_, stderr := gen(t, 2, "parse", "-api", "hip")
	assert.Contains(t, stderr, "ROCM_PATH")
	t.Setenv("ROCM_PATH", root)
	_, stderr = gen(t, 0, "parse", "-api", "hip")
	assert.Contains(t, stderr, "hip 9.1.7: 2 functions")
}

func TestMergeCommand(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(filepath.Join(historyDir, "want.json"))
	require.NoError(t, err)
	spec := filepath.Join(t.TempDir(), "cuda.json")
	_, stderr := gen(t, 0, "merge", "-api", "cuda", "-dir", historyDir, "-o", spec)
	assert.Contains(t, stderr, "3 releases, 1.0 to 1.10: 5 functions")
	got, err := os.ReadFile(spec)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	// A release whose headers are gone stays, exactly, and is named.
	_, stderr = gen(t, 0, "merge", "-api", "cuda", "-dir", copyHistory(t, "1.0", "1.10"), "-o", spec)
	assert.Contains(t, stderr, "cuda 1.1: its headers are not there, keeping what")
	got, err = os.ReadFile(spec)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	// So does everything without any headers at all.
	gen(t, 0, "merge", "-api", "cuda", "-dir", filepath.Join(t.TempDir(), "none"), "-o", spec)
	assert.Equal(t, []string{"1.0", "1.1", "1.10"}, versionsOf(t, spec))

	// Unless told to start anew.
	gen(t, 0, "merge", "-api", "cuda", "-fresh", "-dir", copyHistory(t, "1.0"), "-I",
		filepath.Join(historyDir, "1.10", "include"), "-o", spec)
	assert.Equal(t, []string{"1.0", "1.10"}, versionsOf(t, spec))
}

func TestMergeCommandErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec := filepath.Join(dir, "cuda.json")
	_, stderr := gen(t, 1, "merge", "-api", "cuda", "-dir", dir, "-o", spec)
	assert.Contains(t, stderr, "no release of cuda")
	_, stderr = gen(t, 2, "merge", "-api", "cuda")
	assert.Contains(t, stderr, "-api and -o are needed")

	renamed := copyHistory(t, "1.0")
	require.NoError(t, os.Rename(filepath.Join(renamed, "1.0"), filepath.Join(renamed, "1.5")))
	_, stderr = gen(t, 1, "merge", "-api", "cuda", "-dir", renamed, "-o", spec)
	assert.Contains(t, stderr, "is 1.0 (CUDA_VERSION 1000), not 1.5")

	require.NoError(t, os.WriteFile(spec, []byte("{\n\"api\": \"cuda\",\n\"version\": []\n}\n"),
		0o600))
	_, stderr = gen(t, 1, "merge", "-api", "cuda", "-dir", historyDir, "-o", spec)
	assert.Contains(t, stderr, "cuda.json:3: malformed spec: unknown section \"version\"")
	assert.Contains(t, stderr, "-fresh")
	left, err := os.ReadFile(spec)
	require.NoError(t, err)
	assert.Contains(t, string(left), `"version": []`, "a spec that can't be read is not overwritten")
}

func TestDiffCommand(t *testing.T) {
	t.Parallel()
	spec := filepath.Join(historyDir, "want.json")
	want, err := os.ReadFile(filepath.Join(historyDir, "1.1-1.10.md"))
	require.NoError(t, err)
	stdout, stderr := gen(t, 0, "diff", "-api", "cuda", "-spec", spec, "1.1", "1.10")
	assert.Equal(t, string(want), stdout, "two versions of the spec")
	assert.Contains(t, stderr, "cuda 1.1 to 1.10: functions: 1 added")

	stdout, _ = gen(t, 0, "diff", "-api", "cuda", "-spec", spec, "1.1",
		filepath.Join(historyDir, "1.10"))
	assert.Equal(t, string(want), stdout, "a version of the spec and a folder of headers")

	file := filepath.Join(t.TempDir(), "one.json")
	gen(t, 0, "parse", "-api", "cuda", "-I", filepath.Join(historyDir, "1.1", "include"), "-o", file)
	page := filepath.Join(t.TempDir(), "page.md")
	stdout, _ = gen(t, 0, "diff", "-api", "cuda", "-o", page, file,
		filepath.Join(historyDir, "1.10", "include"))
	assert.Empty(t, stdout)
	got, err := os.ReadFile(page)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "a parsed file and a folder of headers")

	_, stderr = gen(t, 2, "diff", "-api", "cuda", "1.1")
	assert.Contains(t, stderr, "two releases are needed, 1 given")
	_, stderr = gen(t, 1, "diff", "-api", "cuda", "-spec", spec, "1.1", "3.0")
	assert.Contains(t, stderr, "3.0; it has 1.0 to 1.10")
}
