package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

func TestRuns(t *testing.T) { require.NoError(t, run(t.Context())) }

// place is a step and where it was begun.
type place struct {
	step, device int
}

// losing is a task whose steps fail at some places.
func losing(m *eventsim.Machine, at ...place) (t *task, begun *[]place) {
	begun = new([]place)
	work := func(s *event.Stream, step int) error {
		p := place{step, s.Device().Ordinal()}
		*begun = append(*begun, p)
		for _, lost := range at {
			if lost == p {
				m.FailWork(s, cudrv.ErrLaunchFailed)
			}
		}
		return nil
	}
	return &task{devices: m.Devices(), steps: 3, work: work, say: func(string, ...any) {}}, begun
}

func TestGoesOnBehindTheLastStep(t *testing.T) {
	t.Parallel()
	task, begun := losing(eventsim.New(t, eventsim.Config{Devices: 3}), place{1, 0}, place{2, 1})
	require.NoError(t, task.run(t.Context()))
	assert.Equal(t, []place{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}}, *begun)
}

func TestNoDeviceIsLeft(t *testing.T) {
	t.Parallel()
	task, _ := losing(eventsim.New(t, eventsim.Config{Devices: 2}), place{0, 0}, place{1, 1})
	err := task.run(t.Context())
	require.ErrorIs(t, err, cudrv.ErrLaunchFailed)
	for d := range 2 {
		assert.ErrorContains(t, err, fmt.Sprintf("cuda:%d: ", d))
	}
}
