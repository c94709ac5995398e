package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
	"github.com/gpuevent/gpuevent/tools/results/gpu"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "driver-facts.md"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(docs, "driver-facts.md"), text, 0o644))
	index := filepath.Join(docs, "results", "gpu", "README.md")

	var out bytes.Buffer
	require.NoError(t, run([]string{"add", "-docs", docs}, &out))
	assert.Contains(t, out.String(), "no report was named")
	assert.FileExists(t, index)

	samples := filepath.Join("..", "gpukit", "report", "testdata", "sample.json")
	assert.ErrorIs(t, run([]string{"add", "-docs", docs, samples}, &out), gpu.ErrSample)
	assert.ErrorIs(t, run([]string{"add", "-docs", docs, "main.go"}, &out), report.ErrNotReport)
	assert.ErrorIs(t, run([]string{"add", "-docs", docs, "absent.json"}, &out), os.ErrNotExist)
	assert.Error(t, run([]string{"add", "-nonsense"}, &out))
}
