package soak

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// model is a world without devices: its records and callbacks are the test's.
type model struct {
	*world
	dev *device
}

func newModel() model {
	return model{new(world), &device{name: "device", failing: new(atomic.Bool)}}
}

func (m model) stream() *stream { return &stream{dev: m.dev, progress: new(progress)} }
func (m model) event() *ev      { return &ev{dev: m.dev, truth: newTruth()} }

// records records an event.
func (m model) records(e *ev, s *stream) {
	r := e.truth.begin(m.world, s, plain)
	r.alone = true
	e.truth.end(m.world, r, made)
}

// gives begins to give a callback to OnDone.
func (m model) gives(e *ev) *callback {
	c := &callback{w: m.world, sight: sight{e: e}}
	e.truth.look(m.world, &c.view)
	c.begin = m.now()
	c.expect()
	return c
}

// A callback that runs before one of an earlier record is a finding, unless its event was recorded
// again before OnDone took the callback: then it is for that record, on whatever stream.
func TestOrderOfCallbacks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		during, after bool // recorded again while OnDone went on, or after it
		wrong         bool
	}{
		"recorded once":               {wrong: true},
		"recorded again during":       {during: true},
		"recorded again after OnDone": {after: true, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel()
			s, other, older, newer := m.stream(), m.stream(), m.event(), m.event()
			m.records(older, s)
			m.gives(older).given()
			m.records(newer, s)
			second := m.gives(newer)
			if c.during {
				m.records(newer, other)
			}
			if c.after {
				second.given()
				m.records(newer, other)
			}
			second.run(nil, false)
			assert.Equal(t, c.wrong, m.found())
		})
	}
}

// Callbacks of one record run in the order in which they were given.
func TestOrderOfOneRecordsCallbacks(t *testing.T) {
	t.Parallel()
	for _, inOrder := range []bool{false, true} {
		m := newModel()
		e := m.event()
		m.records(e, m.stream())
		first := m.gives(e)
		first.given()
		second := m.gives(e)
		second.given()
		if inOrder {
			first.run(nil, false)
		}
		second.run(nil, false)
		assert.Equal(t, !inOrder, m.found())
	}
}
