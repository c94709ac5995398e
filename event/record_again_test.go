package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A closed stream takes no record, not even of an event that keeps it for its last one.
func TestRecordAgainOnAClosedStream(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		s := obtain(r.device(0).NewStream())
		e := r.recorded(s)
		ensure(e.Record(s))
		ensure(s.Close())
		before := e.Generation()
		require.ErrorIs(t, e.Record(s), event.ErrClosed)
		assert.Equal(t, before, e.Generation())
		assert.True(t, obtain(e.IsDone()))
		_, err := s.RecordNew()
		require.ErrorIs(t, err, event.ErrClosed)
		r.requireSound(t)
	})
}

// The native stream and the native event outlive a record in flight, whichever is closed first.
func TestCloseDuringARecord(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		for _, streamFirst := range []bool{false, true} {
			s := obtain(r.device(0).NewStream())
			word := event.NativeHandle(s)
			e := obtain(s.RecordNew())
			record := r.holdCall("EventRecord")
			recorded := make(chan error, 1)
			go func() { recorded <- e.Record(s) }()
			reached(t, "the record", record.entered)
			closes := []func() error{e.Close, s.Close}
			if streamFirst {
				closes[0], closes[1] = closes[1], closes[0]
			}
			closed := make(chan error, 2)
			go func() {
				for _, c := range closes {
					closed <- c()
				}
			}()
			require.NoError(t, reached(t, "the first close", closed))
			require.NoError(t, reached(t, "the second close", closed))
			assert.NotEqual(t, -1, r.m.DeviceOf(word), "the call still uses the stream")
			record.letGo()
			require.NoError(t, reached(t, "the end of the record", recorded))
			require.ErrorIs(t, e.Record(s), event.ErrClosed)
			assert.True(t, eventually(func() bool { return r.m.DeviceOf(word) == -1 }))
			assert.True(t, eventually(func() bool { return r.live().Events == 0 }), "%+v", r.live())
			r.requireSound(t)
		}
	})
}

// A record that fails since its wrapper's stream is destroyed leaves no native event behind.
func TestRecordOnAWrapperOfADestroyedStream(t *testing.T) {
	onFaces(t, hipFaces("cpu"), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		busy, s := r.stream(d), obtain(d.NewStream())
		w := obtain(d.WrapStream(natives.Word(s)))
		r.later(w.Close)
		r.hold(busy)
		e := r.recorded(busy)
		done := e.Done() // keeps the native event, so that a record needs another one
		ensure(s.Close())
		word := event.NativeHandle(w)
		require.True(t, eventually(func() bool { return r.m.DeviceOf(word) == -1 }))
		live, generation := r.live().Events, e.Generation()
		for range 100 {
			require.ErrorIs(t, e.Record(w), event.ErrClosed)
		}
		assert.True(t, eventually(func() bool { return r.live().Events == live }),
			"%d native events, %d before", r.live().Events, live)
		assert.Equal(t, generation, e.Generation())
		assert.True(t, isOpen(done), "the last record is still waited for")
		r.requireSound(t)
	})
}
