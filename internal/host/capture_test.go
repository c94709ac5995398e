package host

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func begin(t testing.TB, q *Queue) {
	t.Helper()
	require.NoError(t, q.BeginCapture())
}

func end(t testing.TB, q *Queue) *Graph {
	t.Helper()
	g, err := q.EndCapture()
	require.NoError(t, err)
	return g
}

func nothing() error { return nil }

// TestCaptureRules lists what a capture refuses, and whether it is still valid afterwards.
func TestCaptureRules(t *testing.T) {
	t.Parallel()
	type rig struct {
		e             *Engine
		q, fork, free *Queue // the first two are captured
		inside        *Event // recorded in the capture
		before        *Event // recorded before
	}
	for name, c := range map[string]struct {
		call func(*testing.T, rig) error
		want error
		end  error // of EndCapture
	}{
		"begin twice": {func(_ *testing.T, r rig) error { return r.q.BeginCapture() },
			ErrCaptureBegun, nil},
		"begin on a fork": {func(_ *testing.T, r rig) error { return r.fork.BeginCapture() },
			ErrCaptureBegun, nil},
		"end on a fork": {func(_ *testing.T, r rig) error {
			_, err := r.fork.EndCapture()
			return err
		}, ErrCaptureOther, nil},
		"end on a free queue": {func(_ *testing.T, r rig) error {
			_, err := r.free.EndCapture()
			return err
		}, ErrNotCapturing, nil},
		"query": {func(_ *testing.T, r rig) error {
			_, err := r.q.Query()
			return err
		}, ErrCapturing, nil},
		"sync":         {func(_ *testing.T, r rig) error { return r.q.Sync() }, ErrCapturing, nil},
		"sync a fork":  {func(_ *testing.T, r rig) error { return r.fork.Sync() }, ErrCapturing, nil},
		"engine syncs": {func(_ *testing.T, r rig) error { return r.e.Sync() }, nil, nil},
		"wait for an event before": {func(_ *testing.T, r rig) error {
			return r.q.WaitEvent(r.before)
		}, ErrIsolation, ErrIsolation},
		"wait for a pending event": {func(t *testing.T, r rig) error {
			g := gate(t, r.free)
			defer g.Open()
			recordOn(t, r.free, r.before)
			return r.q.WaitEvent(r.before)
		}, ErrIsolation, ErrIsolation},
		"wait for a point": {func(_ *testing.T, r rig) error {
			return r.q.Wait(Point{})
		}, ErrIsolation, ErrIsolation},
		"wait for a queue outside": {func(_ *testing.T, r rig) error {
			return r.q.WaitQueue(r.free)
		}, ErrIsolation, ErrIsolation},
		"wait for an event never recorded": {func(t *testing.T, r rig) error {
			return r.q.WaitEvent(newEvent(t, r.e))
		}, nil, nil},
		"wait of the default queue": {func(_ *testing.T, r rig) error {
			return r.e.Default().WaitEvent(r.inside)
		}, ErrCaptureDefault, ErrCaptureDefault},
		"wait of another capture": {func(t *testing.T, r rig) error {
			begin(t, r.free)
			err := r.free.WaitEvent(r.inside)
			_, other := r.free.EndCapture()
			assert.ErrorIs(t, other, ErrMerge)
			return err
		}, ErrMerge, ErrMerge},
		"capture the default queue": {func(_ *testing.T, r rig) error {
			return r.e.Default().BeginCapture()
		}, ErrCaptureDefault, nil},
		"capture a failed queue": {func(_ *testing.T, r rig) error {
			r.free.Fail(errTest)
			return r.free.BeginCapture()
		}, errTest, nil},
		"capture a closed queue": {func(_ *testing.T, r rig) error {
			_ = r.free.Close()
			return r.free.BeginCapture()
		}, ErrClosed, nil},
		"close a fork": {func(_ *testing.T, r rig) error { return r.fork.Close() },
			nil, ErrCapturedClosed},
		"query the event": {func(_ *testing.T, r rig) error {
			_, err := r.inside.Query()
			return err
		}, ErrCaptured, nil},
		"sync the event": {func(_ *testing.T, r rig) error { return r.inside.Sync() },
			ErrCaptured, nil},
		"point of the event": {func(_ *testing.T, r rig) error {
			_, err := r.inside.Point()
			return err
		}, ErrCaptured, nil},
		"elapsed": {func(_ *testing.T, r rig) error {
			_, err := Elapsed(r.before, r.inside)
			return err
		}, ErrCaptured, nil},
		"record a closed event": {func(_ *testing.T, r rig) error {
			_ = r.inside.Close()
			_, err := r.q.Record(r.inside)
			return err
		}, ErrClosed, nil},
		"unjoined": {func(_ *testing.T, r rig) error { return r.fork.Do(nothing) }, nil, ErrUnjoined},
		"unjoined after a join": {func(t *testing.T, r rig) error {
			require.NoError(t, r.fork.Do(nothing))
			require.NoError(t, r.q.WaitQueue(r.fork))
			return r.fork.Delay(0)
		}, nil, ErrUnjoined},
		"joined": {func(t *testing.T, r rig) error {
			require.NoError(t, r.fork.Do(nothing))
			return r.q.WaitQueue(r.fork)
		}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := New(Options{})
			r := rig{e: e, q: newQueue(t, e), fork: newQueue(t, e), free: newQueue(t, e),
				inside: newEvent(t, e), before: newEvent(t, e)}
			recordOn(t, r.free, r.before)
			begin(t, r.q)
			_, err := r.q.Record(r.inside)
			require.NoError(t, err)
			require.NoError(t, r.fork.WaitEvent(r.inside))
			require.True(t, r.q.Capturing())
			require.True(t, r.fork.Capturing())
			require.False(t, r.free.Capturing())
			require.Equal(t, Captured, r.inside.State())

			if err := c.call(t, r); c.want == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, c.want)
			}
			if c.end != nil && c.end != ErrUnjoined {
				assert.ErrorIs(t, r.q.Do(nothing), ErrCaptureInvalid)
			}
			g, err := r.q.EndCapture()
			if c.end == nil {
				assert.NoError(t, err)
				assert.NotNil(t, g)
			} else {
				assert.ErrorIs(t, err, c.end)
				assert.Nil(t, g)
			}
			assert.False(t, r.q.Capturing())
			assert.False(t, r.fork.Capturing())
			_, err = r.q.EndCapture()
			assert.ErrorIs(t, err, ErrNotCapturing)
			assert.NoError(t, r.q.Do(nothing))
			assert.NoError(t, r.q.Sync())
		})
	}
}

func TestCaptureRunsNothing(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q := newQueue(t, e)
	var before atomic.Bool
	held := gate(t, q)
	require.NoError(t, q.Do(func() error { before.Store(true); return nil }))
	begin(t, q)
	require.NoError(t, q.Do(func() error { t.Error("it ran"); return nil }))
	require.NoError(t, q.Delay(time.Hour))
	require.NoError(t, q.RecordExternal(newEvent(t, e)))
	_, err := q.Gate()
	require.NoError(t, err)
	held.Open()
	end(t, q)
	require.NoError(t, q.Sync())
	assert.True(t, before.Load(), "what was queued before the capture runs")
}

func TestCloseEndsTheCapture(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q, fork, ev := newQueue(t, e), newQueue(t, e), newEvent(t, e)
	begin(t, q)
	_, err := q.Record(ev)
	require.NoError(t, err)
	require.NoError(t, fork.WaitEvent(ev))
	require.NoError(t, q.Close())
	assert.False(t, fork.Capturing())
	assert.ErrorIs(t, q.Do(nothing), ErrClosed)
	_, err = q.EndCapture()
	assert.ErrorIs(t, err, ErrClosed)
	assert.ErrorIs(t, newQueue(t, e).WaitEvent(ev), ErrCaptured)
	require.NoError(t, fork.Do(nothing))
	assert.NoError(t, fork.Sync())
}

func TestCapturedEventIsRecordedAnew(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q, ev := newQueue(t, e), newEvent(t, e)
	first := recordOn(t, q, ev)
	begin(t, q)
	n, err := q.Record(ev)
	require.NoError(t, err)
	assert.EqualValues(t, 2, n)
	capturing, err := q.RecordUnlessCapturing(ev)
	require.NoError(t, err)
	assert.True(t, capturing)
	assert.EqualValues(t, 2, ev.Generation())
	end(t, q)
	assert.Equal(t, Captured, ev.State(), "it stays a place in a graph")
	assert.Equal(t, Done, first.State())
	assert.ErrorIs(t, q.WaitEvent(ev), ErrCaptured)
	capturing, err = q.RecordUnlessCapturing(ev)
	require.NoError(t, err)
	assert.False(t, capturing)
	assert.EqualValues(t, 3, ev.Generation())
	assert.Equal(t, Done, ev.State())
}

func TestClosedEventOfAGraph(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev, q := newEvent(t, e), newQueue(t, e)
	begin(t, q)
	require.NoError(t, q.RecordExternal(ev))
	g := end(t, q)
	assert.Zero(t, ev.Generation())
	require.NoError(t, g.Launch(q))
	require.NoError(t, ev.Sync())
	assert.EqualValues(t, 1, ev.Generation())
	require.NoError(t, ev.Close())
	assert.ErrorIs(t, g.Launch(q), ErrClosed)
}

// A capture ends while other goroutines use a queue that takes part in it.
func TestEndOfCaptureRacesWithOperations(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	for range 200 {
		q, fork, ev := newQueue(t, e), newQueue(t, e), newEvent(t, e)
		begin(t, q)
		_, err := q.Record(ev)
		require.NoError(t, err)
		require.NoError(t, fork.WaitEvent(ev))
		go func() {
			for range 10 {
				runtime.Gosched()
			}
			_, _ = q.EndCapture()
		}()
		own := newEvent(t, e)
		for fork.Capturing() {
			assert.NoError(t, fork.Do(nothing))
			_, err := fork.Record(own)
			assert.NoError(t, err)
			_, _ = fork.Query()
			_, _ = fork.LastNode()
		}
		require.NoError(t, fork.Sync())
		_, err = fork.Record(own)
		require.NoError(t, err)
		require.NoError(t, own.Sync())
	}
}
