package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

func TestOnTheHost(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, run(d, dir))
	data, err := os.ReadFile(filepath.Join(dir, "trace.json"))
	require.NoError(t, err)
	var trace struct {
		TraceEvents []struct{ Name, Ph string }
	}
	require.NoError(t, json.Unmarshal(data, &trace))
	count := map[string]int{}
	for _, e := range trace.TraceEvents {
		count[e.Ph+" "+e.Name]++
	}
	assert.Equal(t, batches, count["X load"])
	assert.Equal(t, batches, count["X gemm"])
	assert.Equal(t, 3*batches-buffers, count["X wait"])
	assert.Equal(t, 3*batches-buffers, count["X resumed"], "where arrows end")
	picture, err := os.ReadFile(filepath.Join(dir, "timeline.svg"))
	require.NoError(t, err)
	assert.Contains(t, string(picture), "all stored")
}
