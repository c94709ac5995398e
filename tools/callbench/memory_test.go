package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

// TestMemoryFindsWhatIsPlanted adds a known number of bytes to each event.
func TestMemoryFindsWhatIsPlanted(t *testing.T) {
	setUp(t)
	d, err := event.Open("cuda:0")
	require.NoError(t, err)
	const events, planted = 2000, 4096
	plain, err := memory("plain", events, func() (*event.Event, error) { return d.NewEvent() })
	require.NoError(t, err)
	assert.Equal(t, events, plain.Events)
	assert.Greater(t, plain.Heap, 64.0)
	assert.Less(t, plain.Heap, 1024.0)
	assert.GreaterOrEqual(t, plain.Runtime, 0.0)
	var keep [][]byte
	fat, err := memory("fat", events, func() (*event.Event, error) {
		keep = append(keep, make([]byte, planted))
		return d.NewEvent()
	})
	require.NoError(t, err)
	require.Len(t, keep, events)
	assert.InDelta(t, planted, fat.Heap-plain.Heap, 100, "beside the slice that keeps them")

	leak := make(chan struct{})
	defer close(leak)
	busy, err := memory("busy", 100, func() (*event.Event, error) {
		go func() { <-leak }()
		return d.NewEvent()
	})
	require.NoError(t, err)
	assert.InDelta(t, 100, busy.Goroutines, 10, "but for those that package event starts and ends")
}

func TestMemoryClosesItsEvents(t *testing.T) {
	setUp(t)
	d, err := event.Open("cuda:0")
	require.NoError(t, err)
	var all []*event.Event
	create := func() (*event.Event, error) {
		e, err := d.NewEvent()
		all = append(all, e)
		return e, err
	}
	_, err = memory("closed", 10, create)
	require.NoError(t, err)
	c, err := collection("cuda", 10, create)
	require.NoError(t, err)
	assert.Positive(t, c.Wall)
	assert.Positive(t, c.CPU)
	assert.Positive(t, c.Pause)
	require.Len(t, all, 20)
	for _, e := range all {
		assert.Equal(t, event.Closed, e.State())
	}
}

func TestMemoryReportsFailures(t *testing.T) {
	broken := func() (*event.Event, error) { return nil, errWrong }
	_, err := memory("broken", 10, broken)
	assert.ErrorIs(t, err, errWrong)
	_, err = collection("cuda", 10, broken)
	assert.ErrorIs(t, err, errWrong)
}
