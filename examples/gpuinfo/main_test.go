package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/cudrv"
)

func TestAttemptsAreGrouped(t *testing.T) {
	t.Parallel()
	got := byReason([]cudrv.Attempt{
		{Path: "libx.so.2", Reason: "absent"},
		{Path: "libx.so.1", Reason: "absent"},
		{Path: "/opt/libx.so.2", Reason: "absent"},
		{Path: "/opt/libx.so.1", Reason: "broken"},
		{Path: "/usr/libx.so.1", Reason: "broken"},
	})
	assert.Equal(t, []tried{
		{"absent", []string{"the system loader's search path: libx.so.2, libx.so.1", "/opt/libx.so.2"}},
		{"broken", []string{"/opt/libx.so.1", "/usr/libx.so.1"}},
	}, got)
	assert.Empty(t, byReason(nil))
}
