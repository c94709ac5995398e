package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

func TestRuns(t *testing.T) { require.NoError(t, run(t.Context())) }

// held is a pool of two devices whose jobs go on until their gates open.
func held(m *eventsim.Machine, jobs int) (*pool, <-chan *eventsim.Gate) {
	gates := make(chan *eventsim.Gate, jobs)
	p := &pool{devices: m.Devices(), inFlight: 2}
	for range jobs {
		p.jobs = append(p.jobs, func(s *event.Stream) error { gates <- m.Gate(s); return nil })
	}
	return p, gates
}

func TestEachDeviceHasJobsInFlight(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{Devices: 2})
	p, gates := held(m, 9)
	ended := make(chan []int)
	go func() {
		done, err := p.run(t.Context())
		assert.NoError(t, err)
		ended <- done
	}()
	var first []*eventsim.Gate
	for range 4 { // two on each device
		first = append(first, <-gates)
	}
	for _, g := range first {
		g.Open()
	}
	for range 5 {
		(<-gates).Open()
	}
	done := <-ended
	assert.Equal(t, 9, done[0]+done[1])
	assert.GreaterOrEqual(t, min(done[0], done[1]), 2)
}

func TestFirstErrorEndsIt(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{Devices: 2})
	p, gates := held(m, 4)
	ended := make(chan error)
	go func() {
		_, err := p.run(t.Context())
		ended <- err
	}()
	for range 4 {
		<-gates
	}
	m.Lose(1, cudrv.ErrUnknown)
	err := <-ended
	require.ErrorIs(t, err, cudrv.ErrUnknown)
	assert.ErrorContains(t, err, "cuda:1: ")
}

func TestGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{Devices: 2})
	p, gates := held(m, 4)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-gates
		cancel()
	}()
	_, err := p.run(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}
