package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/cudrv"
)

func TestAttemptsAreListed(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{
		"libx.so.1       absent",
		"/opt/libx.so.1  it is a folder, not a file",
	}, tried([]cudrv.Attempt{
		{Path: "libx.so.1", Reason: "absent"},
		{Path: "/opt/libx.so.1", Reason: "it is a folder, not a file"},
	}))
	assert.Empty(t, tried(nil))
}

// A machine without a GPU gets one sentence for each vendor. The paths are for those who ask.
func TestMissingLibraryIsOneSentence(t *testing.T) {
	t.Parallel()
	err := &cudrv.LibraryError{Remedy: "install x", Env: "X_LIBRARY", Attempts: []cudrv.Attempt{
		{Path: "libx.so.1", Reason: "absent"},
		{Path: "/opt/libx.so.1", Reason: "absent"},
	}}
	assert.Equal(t,
		[]string{"not found: install x, or set X_LIBRARY to its path (2 paths tried, -v lists them)"},
		explain(err, false))
	assert.Equal(t, []string{
		"not found: install x, or set X_LIBRARY to its path",
		"libx.so.1       absent",
		"/opt/libx.so.1  absent",
	}, explain(err, true))
	assert.Equal(t, []string{"not usable: broken"}, explain(errors.New("broken"), false))
}
