package main

import (
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
