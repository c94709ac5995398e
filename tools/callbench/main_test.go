package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// TestMain lets the tests' own program be the child that measures memory.
func TestMain(m *testing.M) {
	if done, err := asChild(os.Args[1:]); done {
		exit(err)
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	out := t.TempDir()
	o := options{rounds: 3, round: 100 * time.Microsecond, seed: 1}
	require.NoError(t, run(out, 1000, 2000, o))
	data, err := os.ReadFile(filepath.Join(out, "calls.json"))
	require.NoError(t, err)
	var r report.Report
	require.NoError(t, json.Unmarshal(data, &r))
	assert.Len(t, r.Rows, 26, "all operations, and the loop")
	assert.Len(t, r.Memory, 4)
	assert.Len(t, r.Collections, 2)
	assert.Equal(t, 3, r.Rounds)
	host, err := os.Hostname()
	require.NoError(t, err)
	folder, err := os.Getwd()
	require.NoError(t, err)
	for _, name := range []string{"calls.json", "calls.md"} {
		text, err := os.ReadFile(filepath.Join(out, name))
		require.NoError(t, err)
		assert.NotContains(t, string(text), folder, "%s names a path of this machine", name)
		if len(host) >= 8 { // a shorter one may be a word
			assert.NotContains(t, string(text), host, "%s names this machine", name)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for name, try := range map[string]func(out string) error{
		"no rounds": func(out string) error { return run(out, 0, 0, options{round: 1}) },
		"no time":   func(out string) error { return run(out, 0, 0, options{rounds: 1}) },
	} {
		out := t.TempDir()
		assert.Error(t, try(out), name)
		files, err := os.ReadDir(out)
		require.NoError(t, err)
		assert.Empty(t, files, name)
	}
}

func TestAsChild(t *testing.T) {
	for _, arguments := range [][]string{
		nil, {"-out", "x"}, {memoryOf, "cuda:0", created}, {"x", "cuda:0", created, "1"},
	} {
		asked, err := asChild(arguments)
		assert.False(t, asked, arguments)
		assert.NoError(t, err)
	}
	for _, arguments := range [][]string{
		{memoryOf, "cuda:0", created, "x"}, {memoryOf, "cuda:7", created, "1"},
	} {
		asked, err := asChild(arguments)
		assert.True(t, asked, arguments)
		assert.Error(t, err)
	}
}
