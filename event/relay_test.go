package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A late query, made when its record is done and the handle was recorded again, makes a relay that
// is busy. The next user of a relay must not get that one: it would report something done as
// pending.
func TestLateQuestionKeepsNoBusyRelay(t *testing.T) {
	onFaces(t, hipFaces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, idle := r.stream(d), r.stream(d)
		natives.Word(s)
		natives.Word(idle)
		g := r.hold(s)
		e := r.recorded(s)
		ask := event.LateQuestion(e)
		waited := e.Done()
		g.Open()
		reached(t, "the wait", waited)
		require.True(t, eventually(func() bool { return !event.Asking(d) }))

		g = r.hold(s)
		require.NoError(t, e.Record(s))
		done, err := ask()
		assert.NoError(t, err)
		assert.False(t, done)
		assert.True(t, obtain(r.recorded(idle).IsDone()), "on an idle stream")
		g.Open()
	})
}

// A relay whose stream can't be queried is no relay: whoever asked for it gets the error.
func TestFailedQueryOfARelaysStreamIsHeard(t *testing.T) {
	relaying := []face{{event.HIP, "6.4"}, {event.HIP, "7.2"}}
	for name, ask := range map[string]func(*event.Event) error{
		"Wait":   func(e *event.Event) error { return e.Wait(t.Context()) },
		"Sync":   (*event.Event).Sync,
		"IsDone": func(e *event.Event) error { _, err := e.IsDone(); return err },
		"OnDone": func(e *event.Event) error {
			heard := make(chan error, 1)
			if err := e.OnDone(func(err error) { heard <- err }); err != nil {
				return err
			}
			return <-heard
		},
	} {
		t.Run(name, func(t *testing.T) {
			onFaces(t, relaying, sim.Options{}, func(t *testing.T, r *rig) {
				s := r.stream(r.device(0))
				natives.Word(s) // a capture may begin on it: events are queried through relays
				g := r.hold(s)
				defer g.Open()
				e := r.recorded(s)
				r.m.FaultAt("hipStreamQuery", 1, 709)
				err := ask(e)
				require.ErrorIs(t, err, hip.ErrContextIsDestroyed)
				assert.ErrorContains(t, err, "hipStreamQuery")
			})
		})
	}
}
