package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A function that is set while an earlier wait for the record is ending runs after those that were
// set for earlier records.
func TestOnDoneWhileAWaitEnds(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := obtain(r.device(0).NewStream())
		gate := r.hold(s)
		first, second, third := r.recorded(s), r.recorded(s), r.recorded(s)
		third.Done()
		release := event.HoldEnd(second)
		gate.Open()
		require.True(t, eventually(func() bool { return event.IsEnding(second) }))
		require.True(t, obtain(third.IsDone()))
		require.True(t, event.IsEnding(third), "its wait ends after the second's")
		ran := make(chan string, 2)
		ensure(first.OnDone(func(err error) { assert.NoError(t, err); ran <- "first" }))
		ensure(third.OnDone(func(err error) { assert.NoError(t, err); ran <- "third" }))
		release()
		assert.Equal(t, "first", reached(t, "a function", ran))
		assert.Equal(t, "third", reached(t, "the other function", ran))
		r.requireSound(t)
	})
}

// Functions for one record run in the order in which they are given, also if one is given while the
// wait of another is ending on another goroutine.
func TestOnDoneAgainWhileAWaitEnds(t *testing.T) {
	again := func(t *testing.T, s *event.Stream, open func()) {
		e := obtain(s.RecordNew())
		release := event.HoldAfterEnd(e)
		ran := make(chan string, 2)
		ensure(e.OnDone(func(err error) { assert.NoError(t, err); ran <- "first" }))
		ended := e.Done()
		open()
		reached(t, "the end of the first wait", ended)
		ensure(e.OnDone(func(err error) { assert.NoError(t, err); ran <- "second" }))
		release()
		assert.Equal(t, "first", reached(t, "a function", ran))
		assert.Equal(t, "second", reached(t, "the other function", ran))
		ensure(e.Close())
	}
	t.Run("host", func(t *testing.T) {
		s := obtain(event.NewHostDevice(host.New(host.Options{})).NewStream())
		gate := make(chan struct{})
		ensure(s.HostFunc(func() error { <-gate; return nil }))
		again(t, s, func() { close(gate) })
		ensure(s.Close())
	})
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := r.stream(r.device(0))
		again(t, s, r.hold(s).Open)
		r.requireSound(t)
	})
}

// That a record is done ends no wait for what others recorded meanwhile with the event's handle.
func TestLateAnswerAboutASharedEvent(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, other := obtain(d.NewStream()), obtain(d.NewStream())
		e := r.recorded(s)
		passOn := event.LateAnswer(e)
		word := natives.Word(e)
		gate := r.gate(other)
		r.rawRecord(word, other)
		done := e.Done()
		passOn()
		select {
		case <-done:
			assert.Fail(t, "the other record is not done")
		default:
		}
		gate.Open()
		reached(t, "the end", done)
		r.requireSound(t)
	})
}
