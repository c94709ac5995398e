package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

func onSharing(t *testing.T, test func(t *testing.T, r *rig)) {
	faces := []face{{event.CUDA, "13.5"}, {event.HIP, "7.2"}}
	onFaces(t, faces, sim.Options{SameProcessIPC: true}, test)
}

// A stream waits for the record that was the last one at the time of the call, also if the event is
// recorded again behind that wait. The same holds if another process may record the event.
// fact: amd-ipc-wait-slots
func TestSharedEventRecordedBehindAWaitForIt(t *testing.T) {
	onSharing(t, func(t *testing.T, r *rig) {
		for _, imported := range []bool{false, true} {
			d := r.device(0)
			s, other, e := r.stream(d), r.stream(d), r.event(d, event.WithIPC())
			if imported {
				theirs, err := d.ImportEvent(obtain(e.IPCDescriptor()))
				require.NoError(t, err)
				defer func() { assert.NoError(t, theirs.Close()) }()
			}
			g := r.hold(s)
			require.NoError(t, e.Record(s))
			require.NoError(t, other.WaitEvent(e))
			require.NoError(t, e.Record(other))
			after := r.recorded(other)
			assert.False(t, obtain(after.IsDone()), "imported: %v", imported)
			g.Open()
			require.NoError(t, after.Wait(background))
			require.NoError(t, e.Wait(background))
			r.requireSound(t)
		}
	})
}

// A record of another process is waited for, and is not replaced on AMD while a stream waits for
// it: nothing could tell when it is done.
// fact: amd-ipc-wait-slots
func TestRecordOfAnotherProcessIsNotReplaced(t *testing.T) {
	onSharing(t, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, other, e := r.stream(d), r.stream(d), r.event(d, event.WithIPC())
		theirs, err := d.ImportEvent(obtain(e.IPCDescriptor()))
		require.NoError(t, err)
		defer func() { assert.NoError(t, theirs.Close()) }()
		require.NoError(t, e.Record(s))
		require.NoError(t, e.Wait(background))
		g := r.hold(s)
		require.NoError(t, theirs.Record(s))
		require.NoError(t, other.WaitEvent(e))
		if err := e.Record(other); d.Backend() == event.HIP {
			require.ErrorIs(t, err, event.ErrNotReady)
		} else {
			require.NoError(t, err)
		}
		after := r.recorded(other)
		assert.False(t, obtain(after.IsDone()))
		g.Open()
		require.NoError(t, after.Wait(background))
		require.NoError(t, e.Record(other))
		r.requireSound(t)
	})
}

// Close of a shared event that was never recorded does not wait for the device either.
// fact: amd-ipc-destroy-waits
func TestCloseOfUnrecordedSharedEventDoesNotWait(t *testing.T) {
	onSharing(t, func(t *testing.T, r *rig) {
		d := r.device(0)
		s, e := r.stream(d), r.event(d, event.WithIPC())
		g := r.hold(s)
		busy := r.recorded(s)
		returns(t, "Close", func() { assert.NoError(t, e.Close()) })
		g.Open()
		require.NoError(t, busy.Wait(background))
	})
}
