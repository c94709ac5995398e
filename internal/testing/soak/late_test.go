package soak

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What ends late is no hang. It is a finding unless the process had to wait for its processors.
func TestLateIsNotNever(t *testing.T) {
	t.Parallel()
	for _, starved := range []bool{false, true} {
		w := &world{began: time.Now()}
		queued, known := queuedTime()
		if w.queued = queued + time.Hour; starved {
			w.queued = queued - time.Hour
		}
		var ended atomic.Bool
		text := func() string { return "what it is about" }
		time.AfterFunc(3*turn, func() {
			assert.EqualValues(t, 1, w.ends.paused.Load())
			ended.Store(true)
		})
		w.overdue(text, ended.Load)
		assert.EqualValues(t, 1, w.ends.count.Load())
		assert.Zero(t, w.ends.paused.Load())
		assert.Contains(t, w.ends.String(), "1 ends were late")
		assert.Equal(t, known && !starved, w.found())
		assert.Equal(t, known && !starved, w.stop.Load())
	}
}

// Device.Sync is overdue only from when no gate is closed.
func TestDeviceSyncWaitsForHeldStreams(t *testing.T) {
	t.Parallel()
	var h holds
	assert.EqualValues(t, 0, h.free(9))
	one, two := h.begin(), h.begin()
	one(6)
	assert.EqualValues(t, 9, h.free(9), "one is closed")
	two(8)
	assert.EqualValues(t, 8, h.free(9))
}

// A worker begins nothing while a late end is waited for, and goes on afterwards.
func TestWorkersRestForALateEnd(t *testing.T) {
	t.Parallel()
	var l lateEnds
	var stop atomic.Bool
	l.rest(&stop)
	l.paused.Add(1)
	rested := make(chan struct{})
	go func() { defer close(rested); l.rest(&stop) }()
	select {
	case <-rested:
		assert.Fail(t, "it did not rest")
	case <-time.After(5 * time.Millisecond):
	}
	l.paused.Add(-1)
	<-rested
	l.paused.Add(1)
	stop.Store(true)
	l.rest(&stop)
}
