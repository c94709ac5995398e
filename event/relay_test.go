package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
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
