package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/internal/cli"
)

// runGen runs the program and returns its exit code and what it said.
func runGen(args ...string) (int, string) {
	var out bytes.Buffer
	code := cli.Run("gen", commands, args, &out, &out)
	return code, out.String()
}

// TestBindingsAreUpToDate: what is committed is what the specs make, and no text or fact is
// missing.
func TestBindingsAreUpToDate(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	code, said := runGen("emit", "-specs", "../specs", "-out", root, "-check", "-strict", "-v")
	assert.Zero(t, code, said)
	assert.Contains(t, said, "0 warnings, 0 decisions by heuristic, 0 of")
}

func TestEmitOfOneAPI(t *testing.T) {
	t.Parallel()
	specs, out := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(specs, os.DirFS("emit/testdata/shapes")))

	code, said := runGen("emit", "-specs", specs, "-out", out)
	require.Zero(t, code, said)
	assert.FileExists(t, filepath.Join(specs, "mini.lock"))
	assert.FileExists(t, filepath.Join(out, "mini", "zevent.go"))
	assert.Contains(t, said, "left out by [skip]: the function miniPrintf: a variadic function")

	code, said = runGen("emit", "-specs", specs, "-out", out, "-check")
	assert.Zero(t, code, said)
	require.NoError(t, os.Remove(filepath.Join(out, "mini", "zevent.go")))
	code, said = runGen("emit", "-specs", specs, "-out", out, "-check")
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "new mini/zevent.go")
	assert.NoFileExists(t, filepath.Join(out, "mini", "zevent.go"))

	code, said = runGen("emit", "-specs", specs, "-out", out, "-strict")
	assert.Zero(t, code, "what a rule leaves out is no warning: %s", said)

	facts := filepath.Join(specs, "mini.facts.toml")
	data, err := os.ReadFile(facts)
	require.NoError(t, err)
	review := filepath.Join(specs, "mini.review")
	assert.NoFileExists(t, review, "facts decide everything")
	unsure := strings.Replace(string(data), "\"miniLarge.prop\" = \"out\"\n", "", 1)
	require.NoError(t, os.WriteFile(facts, []byte(unsure), 0o644))
	code, said = runGen("emit", "-specs", specs, "-out", out)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "mini.lock:", "the guess would change a signature")
	assert.Contains(t, said, "the signature of Large (miniLarge) would change from "+
		"func(Device) (Prop, error) to func(*Prop, Device) error")
	require.NoError(t, os.Remove(filepath.Join(specs, "mini.lock")))
	code, said = runGen("emit", "-specs", specs, "-out", out)
	require.Zero(t, code, said)
	text, err := os.ReadFile(review)
	require.NoError(t, err)
	assert.Contains(t, string(text), "\nLarge func miniLarge func(*Prop, Device) error\n"+
		"  miniLarge.prop: inout\n")
	code, said = runGen("emit", "-specs", specs, "-out", out, "-check")
	assert.Zero(t, code, said)
	require.NoError(t, os.WriteFile(facts, data, 0o644))
	require.NoError(t, os.Remove(filepath.Join(specs, "mini.lock")))
	code, said = runGen("emit", "-specs", specs, "-out", out)
	require.Zero(t, code, said)
	assert.NoFileExists(t, review)

	require.NoError(t, os.WriteFile(facts,
		[]byte(strings.Replace(string(data), "miniRange.least", "miniRange.smallest", 1)), 0o644))
	code, said = runGen("emit", "-specs", specs, "-out", out)
	assert.Equal(t, 1, code)
	line := 1 + strings.Count(string(data[:strings.Index(string(data), "\"miniRange.least")]), "\n")
	assert.Contains(t, said, fmt.Sprintf(
		`mini.facts.toml:%d: miniRange has no parameter "smallest"; it has least, greatest`, line))
}

func TestCoverageCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	proofs, out := filepath.Join(dir, "proved.json"), filepath.Join(dir, "COVERAGE.md")
	require.NoError(t, os.WriteFile(proofs,
		[]byte(`{"mini": {"1.0": {"functions": ["miniCreate"]}}}`), 0o644))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "specs"), os.DirFS("emit/testdata/shapes")))
	args := []string{"coverage", "-specs", filepath.Join(dir, "specs"), "-proved", proofs, "-out", dir}
	code, said := runGen(args...)
	require.Zero(t, code, said)
	assert.Contains(t, said, "mini 1.0: 22 of 24 functions, 19 of 19 types, 28 of 28 constants bound")
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Contains(t, string(text), "| 1.0 | 24 | 22 (91.7 %) | 1 (4.2 %) |")
	code, said = runGen(append(args, "-check")...)
	assert.Zero(t, code, said)
	require.NoError(t, os.WriteFile(proofs, []byte(`{"mini": {}}`), 0o644))
	code, _ = runGen(append(args, "-check")...)
	assert.Equal(t, 1, code, "fewer proofs than the file says")
	require.NoError(t, os.WriteFile(proofs, []byte(`[]`), 0o644))
	code, said = runGen(args...)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "not lists of names by API")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"emit", "extra"}, {"coverage", "extra"},
		{"emit", "-specs", t.TempDir()}} {
		code, _ := runGen(args...)
		assert.Equal(t, 2, code, args)
	}
}
