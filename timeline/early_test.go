package timeline

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// TestSpanBeforeItsBegin places a span by a device whose times put it 30 ms before its Begin call.
func TestSpanBeforeItsBegin(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{})
	s := simStream(t, m.Device(0))
	var events [3]*event.Event
	for i := range events {
		var err error
		events[i], err = s.RecordNew(event.WithTiming())
		require.NoError(t, err)
	}
	require.NoError(t, s.Sync())
	const at, half = 1e9, 1000
	own := &device{device: m.Device(0), keeper: newKeeper(m.Device(0), zero)}
	own.keeper.clock.add(anchor{at, half}, nil)
	own.keeper.points = events[:1]
	r := resolver{tl: &Timeline{}}
	for _, c := range []struct {
		called       int64
		bound, early int64
	}{
		{at - 1, 0, 0},
		{at + half, 0, 0}, // within the bound
		{at + 30e6, 30e6, 1},
	} {
		require.NoError(t, r.times(&slot{device: own, begin: events[1], end: events[2],
			called: c.called}))
		assert.EqualValues(t, at, r.scratch.start)
		assert.GreaterOrEqual(t, r.scratch.start+r.scratch.bound, c.called)
		assert.GreaterOrEqual(t, r.scratch.bound, c.bound)
		assert.LessOrEqual(t, r.scratch.bound, c.bound+3*half)
		assert.EqualValues(t, c.early, r.tl.Stats().Early)
	}
	assert.Contains(t, r.tl.Stats().String(), "1 placed too early")
	assert.NoError(t, errors.Join(events[0].Close(), events[1].Close(), events[2].Close(), s.Close()))
}

// TestBeginNotesTheCall checks that spans, waits and marks carry the time of the call.
func TestBeginNotesTheCall(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{}) // whose clock stands still, so that all is early
	tl, err := New(Options{Devices: m.Devices()})
	require.NoError(t, err)
	s := simStream(t, m.Device(0))
	before := tl.resolver.now()
	span := tl.Begin(s, "span")
	after := tl.resolver.now()
	assert.GreaterOrEqual(t, span.slot.called, before.Nanoseconds())
	assert.LessOrEqual(t, span.slot.called, after.Nanoseconds())
	require.NoError(t, span.End())
	shot := flushed(t, tl)
	require.Len(t, shot.Items, 1)
	assert.False(t, shot.Items[0].Start.Add(shot.Items[0].Bound).Before(shot.Origin.Add(before)))
	assert.NoError(t, errors.Join(s.Close(), tl.Close(t.Context())))
}

// TestEarlySpansStayInOrder draws spans whose bounds were widened by the device's times.
func TestEarlySpansStayInOrder(t *testing.T) {
	t.Parallel()
	first, second := spanAt(1, 0, 200), spanAt(2, 100, 300)
	for _, it := range []*Item{&first, &second} {
		it.Bound, it.early = 1010, 1000
	}
	lay := placedBy(t, []Item{first, second}).layouts()[0]
	require.Len(t, lay.async, 1, "they overlap by more than the device's times are off")
	assert.EqualValues(t, 2, lay.async[0].ID)
}
