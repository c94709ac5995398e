package event_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// sharedEvents make events that others may record as well, recorded on a stream that is idle.
var sharedEvents = map[string]func(r *rig, s *event.Stream) *event.Event{
	"handle-given-out": func(r *rig, s *event.Stream) *event.Event {
		e := r.recorded(s)
		natives.Word(e)
		return e
	},
	"wrapped": func(r *rig, s *event.Stream) *event.Event {
		e := obtain(s.Device().WrapEvent(natives.Word(r.recorded(s))))
		r.later(e.Close)
		return e
	},
	"imported": func(r *rig, s *event.Stream) *event.Event {
		e := obtain(s.Device().ImportEvent(obtain(r.recorded(s, event.WithIPC()).IPCDescriptor())))
		r.later(e.Close)
		return e
	},
	"exported": func(r *rig, s *event.Stream) *event.Event { return r.recorded(s, event.WithIPC()) },
}

// A wait that begins after another library has recorded the event again never gets the answer to an
// earlier query: here that answer, "done", is in flight meanwhile.
func TestWaitsForSharedEventsGetNoOldAnswers(t *testing.T) {
	for name, share := range sharedEvents {
		t.Run(name, func(t *testing.T) {
			onFaces(t, faces(), sim.Options{SameProcessIPC: true}, func(t *testing.T, r *rig) {
				d := r.device(0)
				if ipc := name == "imported" || name == "exported"; ipc && !d.Capabilities().Has(event.CapIPC) {
					assert.False(t, d.Capabilities().Has(event.CapIPC))
					return
				}
				if r.backend == event.HIP && r.profile >= "6" {
					t.Skip("such events are asked for by way of relays here, never directly")
				}
				idle, held := r.stream(d), r.stream(d)
				e := share(r, idle)
				g := r.hold(held)
				// The call waits and then answers as it would have when it came.
				old := r.holdFault(sim.Fault{Call: r.call("EventQuery"), Code: 0})
				before := e.Done()
				reached(t, "the old question", old.entered)
				r.rawRecord(natives.Word(e), held)
				after := e.Done()
				returned := make(chan error, 1)
				go func() { returned <- e.Wait(background) }()
				called := make(chan error, 1)
				require.NoError(t, e.OnDone(func(err error) { called <- err }))
				old.letGo()
				reached(t, "the end of the old wait", before)
				r.settle(t, e)
				assert.False(t, obtain(e.IsDone()))
				assert.True(t, isOpen(after))
				assert.Empty(t, returned)
				assert.Empty(t, called)
				g.Open()
				reached(t, "the end of the new one", after)
				assert.NoError(t, reached(t, "the wait", returned))
				assert.NoError(t, reached(t, "the callback", called))
			})
		})
	}
}

// settle waits until the poller has asked a few times more.
func (r *rig) settle(t *testing.T, e *event.Event) {
	t.Helper()
	asked := r.m.Calls(r.call("EventQuery"))
	require.True(t, eventually(func() bool { return r.m.Calls(r.call("EventQuery")) > asked+5 }),
		e.String())
}

// Whoever waited before the handle was given out waits for the record of then, whatever others do
// with the handle.
func TestWaitsFromBeforeTheHandleWasGivenOut(t *testing.T) {
	onFaces(t, faces(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		first, second := r.stream(d), r.stream(d)
		g, never := r.hold(first), r.hold(second)
		e := r.recorded(first)
		before := e.Done()
		r.rawRecord(natives.Word(e), second)
		after := e.Done()
		g.Open()
		reached(t, "the first record", before)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, e.Wait(ctx), context.Canceled)
		assert.True(t, isOpen(after))
		never.Open()
		reached(t, "the second record", after)
	})
}
