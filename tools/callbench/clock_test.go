package main

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestClocks has the thread sleep, while the wall's clock goes on and the thread's own does not.
func TestClocks(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := readClocks()
	time.Sleep(50 * time.Millisecond)
	ended := readClocks()
	assert.GreaterOrEqual(t, ended.wall-began.wall, int64(50_000_000))
	assert.Less(t, ended.thread-began.thread, int64(25_000_000))
	assert.Positive(t, ended.thread)
	assert.GreaterOrEqual(t, ended.process, ended.thread, "the process has more threads")
}
