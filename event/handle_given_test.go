package event_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A query that began before the stream's handle was given out must not end the capture that begins
// right after: the call that gives the handle out waits for the query.
func TestHandleGivenOutWhileAQuestionIsUnderWay(t *testing.T) {
	for name, ask := range map[string]func(e *event.Event){
		"poller": func(e *event.Event) { e.Done() },
		"IsDone": func(e *event.Event) { go func() { _, _ = e.IsDone() }() },
	} {
		t.Run(name, func(t *testing.T) {
			onFaces(t, hipFaces("cpu"), sim.Options{Log: true}, func(t *testing.T, r *rig) {
				s := r.stream(r.device(0))
				g := r.hold(s)
				e := r.recorded(s)
				query := r.holdCall("EventQuery")
				ask(e)
				reached(t, "the question", query.entered)
				given := make(chan struct{})
				go func() { natives.Word(s); close(given) }()
				select {
				case <-given: // the capture begins while the question is under way
				case <-time.After(20 * time.Millisecond): // or Handle waits for it
					query.letGo()
					reached(t, "the handle", given)
				}
				r.beginRaw(t, s)
				query.letGo()
				require.True(t, eventually(func() bool { return occurrences(r.m.Log(), "hipEventQuery") > 0 }))
				inside := r.event(s.Device())
				assert.NoError(t, inside.Record(s))
				g.Open()
				r.endRaw(t, s, "a question that came first")
				assert.NoError(t, e.Wait(background))
			})
		})
	}
}
