package host

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func begin(t testing.TB, q *Queue) *Capture {
	t.Helper()
	c, err := BeginCapture(q, CaptureGlobal)
	require.NoError(t, err)
	return c
}

func nothing() error { return nil }

// forked captures A on q, B on r, C on q behind both.
func forked(t testing.TB, e *Engine, do func(name string) func() error) *Graph {
	t.Helper()
	q, r := newQueue(t, e), newQueue(t, e)
	fork, join := newEvent(t, e), newEvent(t, e)
	begin(t, q)
	require.NoError(t, second(q.Record(fork)))
	require.NoError(t, r.WaitEvent(fork))
	require.NoError(t, q.Do(do("A")))
	require.NoError(t, r.Do(do("B")))
	require.NoError(t, second(r.Record(join)))
	require.NoError(t, q.WaitEvent(join))
	require.NoError(t, q.Do(do("C")))
	g, err := EndCapture(q)
	require.NoError(t, err)
	assert.Nil(t, q.Capture())
	assert.Nil(t, r.Capture())
	return g
}

func TestCaptureMakesAGraphAndRunsNothing(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	var mu sync.Mutex
	var got []string
	g := forked(t, e, func(name string) func() error {
		return func() error { mu.Lock(); defer mu.Unlock(); got = append(got, name); return nil }
	})
	assert.Equal(t, []Node{{ID: 0, Kind: NodeDo}, {ID: 1, Kind: NodeDo}, {ID: 2, Kind: NodeDo, After: []int{0, 1}}}, g.Nodes())
	assert.Empty(t, got)
	q := newQueue(t, e)
	for range 20 {
		require.NoError(t, g.Launch(q))
		require.NoError(t, q.Do(func() error { mu.Lock(); defer mu.Unlock(); got = append(got, "after"); return nil }))
		require.NoError(t, q.Sync())
		assert.ElementsMatch(t, []string{"A", "B"}, got[:2])
		assert.Equal(t, []string{"C", "after"}, got[2:])
		got = nil
	}
}

func TestGraphBranchesRunBesideEachOther(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	meet := make(chan struct{})
	g := forked(t, e, func(name string) func() error {
		switch name {
		case "A":
			return func() error { <-meet; return nil }
		case "B":
			return func() error { meet <- struct{}{}; return nil }
		}
		return nothing
	})
	q := newQueue(t, e)
	gt := gate(t, q)
	require.NoError(t, g.Launch(q))
	m, err := q.Mark()
	require.NoError(t, err)
	assert.False(t, isDone(t, m), "a launch waits for its queue")
	gt.Open()
	require.NoError(t, q.Sync())
}

func TestGraphFailureFailsTheQueue(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	g := forked(t, e, func(name string) func() error {
		return func() error {
			switch name {
			case "B":
				return errTest
			case "C":
				t.Error("ran on failed input")
			}
			return nil
		}
	})
	q := newQueue(t, e)
	require.NoError(t, g.Launch(q))
	assert.Equal(t, errTest, q.Sync())
	assert.Equal(t, errTest, g.Launch(q))
	require.NoError(t, (&Graph{}).Launch(newQueue(t, e)))
}

func TestGraphNodes(t *testing.T) {
	t.Parallel()
	e, c := manual()
	q := newQueue(t, e)
	start, end, foreign := newEvent(t, e), newEvent(t, e), newEvent(t, e)
	capture := begin(t, q)
	gt, err := q.Gate()
	require.NoError(t, err)
	require.NoError(t, second(q.RecordExternal(start)))
	require.NoError(t, q.Delay(time.Second))
	require.NoError(t, q.WaitExternal(foreign))
	require.NoError(t, second(q.RecordExternal(end)))
	assert.Equal(t, 5, capture.Len())
	assert.Equal(t, Unrecorded, end.State())
	g, err := EndCapture(q)
	require.NoError(t, err)
	assert.Equal(t, CaptureEnded, capture.Status())
	var kinds []string
	for _, n := range g.Nodes() {
		kinds = append(kinds, n.Kind.String())
	}
	assert.Equal(t, []string{"Gate", "Record", "Delay", "Wait", "Record"}, kinds)
	assert.Equal(t, "NodeKind(77)", NodeKind(77).String())

	other := newQueue(t, e)
	hold := gate(t, other)
	recordOn(t, other, foreign)
	require.NoError(t, g.Launch(q))
	assert.Equal(t, Pending, start.State())
	gt.Open()
	assert.Equal(t, Done, start.State())
	c.Advance(3 * time.Second)
	assert.Equal(t, Pending, end.State(), "waits for the record seen at the launch")
	hold.Open()
	d, err := Elapsed(start, end)
	require.NoError(t, err)
	assert.Equal(t, 3*time.Second, d)

	require.NoError(t, g.Launch(q))
	c.Advance(time.Minute)
	d, err = Elapsed(start, end)
	require.NoError(t, err)
	assert.Equal(t, time.Second, d, "the last launch counts")
	assert.EqualValues(t, 2, end.Generation())

	// Outside a capture the external forms are the plain ones.
	require.NoError(t, second(q.RecordExternal(end)))
	require.NoError(t, q.WaitExternal(end))
	assert.Equal(t, Done, end.State())
	require.NoError(t, end.Close())
	assert.ErrorIs(t, g.Launch(q), ErrClosed)
}

func TestLaunchIntoACapture(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	inner := forked(t, e, func(string) func() error { return nothing })
	q := newQueue(t, e)
	begin(t, q)
	require.NoError(t, q.Do(nothing))
	require.NoError(t, (&Graph{}).Launch(q))
	require.NoError(t, inner.Launch(q))
	require.NoError(t, q.Do(nothing))
	g, err := EndCapture(q)
	require.NoError(t, err)
	assert.Equal(t, []Node{{ID: 0}, {ID: 1, After: []int{0}}, {ID: 2, After: []int{0}}, {ID: 3, After: []int{1, 2}}, {ID: 4, After: []int{3}}}, g.Nodes())
	require.NoError(t, g.Launch(q))
	require.NoError(t, q.Sync())
}

func TestCaptureAcrossEngines(t *testing.T) {
	t.Parallel()
	e1, e2 := New(Options{}), New(Options{})
	q1, q2 := newQueue(t, e1), newQueue(t, e2)
	fork, join := newEvent(t, e1), newEvent(t, e2)
	stamp := newEvent(t, e2)
	begin(t, q1)
	require.NoError(t, second(q1.Record(fork)))
	require.NoError(t, q2.WaitEvent(fork))
	require.NoError(t, second(q2.RecordExternal(stamp)))
	require.NoError(t, second(q2.Record(join)))
	require.NoError(t, q1.WaitEvent(join))
	require.NoError(t, q1.WaitEvent(join), "twice is once")
	require.NoError(t, q1.Do(nothing))
	g, err := EndCapture(q1)
	require.NoError(t, err)
	require.NoError(t, g.Launch(q1))
	require.NoError(t, q1.Sync())
	assert.Equal(t, Done, stamp.State())
}

func TestCapturedEvent(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q, ev := newQueue(t, e), newEvent(t, e)
	assert.Nil(t, ev.Capture())
	c := begin(t, q)
	gen, err := q.Record(ev)
	require.NoError(t, err)
	assert.EqualValues(t, 1, gen)
	assert.Equal(t, Captured, ev.State())
	assert.Same(t, c, ev.Capture())
	for name, err := range map[string]error{"Query": second(ev.Query()), "Sync": ev.Sync(), "Point": second(ev.Point())} {
		assert.ErrorIs(t, err, ErrCaptured, name)
	}
	assert.Equal(t, CaptureActive, c.Status(), "asking does not spoil the capture")
	require.NoError(t, second(EndCapture(q)))
	assert.ErrorIs(t, newQueue(t, e).WaitEvent(ev), ErrCaptured)
	assert.ErrorIs(t, second(ev.Query()), ErrCaptured)
	recordOn(t, q, ev)
	assert.Equal(t, Done, ev.State())
	assert.Nil(t, ev.Capture())
}

func TestCaptureErrors(t *testing.T) {
	t.Parallel()
	type scene struct {
		e    *Engine
		q    *Queue // being captured
		c    *Capture
		ev   *Event // recorded in the capture
		free *Queue
	}
	tests := map[string]struct {
		call  func(t *testing.T, s scene) error
		want  error
		after error // of EndCapture(q)
	}{
		"Sync":          {func(_ *testing.T, s scene) error { return s.q.Sync() }, ErrCapturing, nil},
		"Query":         {func(_ *testing.T, s scene) error { return second(s.q.Query()) }, ErrCapturing, nil},
		"Mark":          {func(_ *testing.T, s scene) error { return second(s.q.Mark()) }, ErrCapturing, nil},
		"WaitQueue":     {func(_ *testing.T, s scene) error { return s.free.WaitQueue(s.q) }, ErrCapturing, nil},
		"begin again":   {func(_ *testing.T, s scene) error { return second(BeginCapture(s.q, CaptureRelaxed)) }, ErrCapturing, nil},
		"not capturing": {func(_ *testing.T, s scene) error { return second(EndCapture(s.free)) }, ErrNotCapturing, nil},
		"default queue": {func(_ *testing.T, s scene) error { return second(BeginCapture(s.e.Default(), 0)) }, ErrCaptureUnsupported, nil},
		"failed queue": {func(t *testing.T, s scene) error {
			gate(t, s.free).Fail(errTest)
			return second(BeginCapture(s.free, 0))
		}, errTest, nil},
		"ended elsewhere": {func(t *testing.T, s scene) error {
			require.NoError(t, s.free.WaitEvent(s.ev))
			return second(EndCapture(s.free))
		}, ErrCaptureUnmatched, nil},
		"fork without work need not join": {func(_ *testing.T, s scene) error { return s.free.WaitEvent(s.ev) }, nil, nil},
		"fork with work must join": {func(t *testing.T, s scene) error {
			require.NoError(t, s.free.WaitEvent(s.ev))
			return s.free.Do(nothing)
		}, nil, ErrCaptureUnjoined},
		"joined before the last work": {func(t *testing.T, s scene) error {
			require.NoError(t, s.free.WaitEvent(s.ev))
			require.NoError(t, second(s.free.Record(s.ev)))
			require.NoError(t, s.q.WaitEvent(s.ev))
			return s.free.Do(nothing)
		}, nil, ErrCaptureUnjoined},
		"wait for an outside record": {func(t *testing.T, s scene) error {
			return s.q.Wait(recordOn(t, s.free, newEvent(t, s.e)))
		}, ErrCaptureIsolation, ErrCaptureInvalidated},
		"wait for an outside event": {func(t *testing.T, s scene) error {
			ev := newEvent(t, s.e)
			recordOn(t, s.free, ev)
			return s.q.WaitEvent(ev)
		}, ErrCaptureIsolation, ErrCaptureInvalidated},
		"wait for an unrecorded event": {func(t *testing.T, s scene) error { return s.q.WaitEvent(newEvent(t, s.e)) }, nil, nil},
		"merge": {func(t *testing.T, s scene) error {
			begin(t, s.free)
			return s.free.WaitEvent(s.ev)
		}, ErrCaptureMerge, ErrCaptureInvalidated},
		"default queue waits": {func(_ *testing.T, s scene) error { return s.e.Default().WaitEvent(s.ev) }, ErrCaptureImplicit, ErrCaptureInvalidated},
		"default queue works": {func(_ *testing.T, s scene) error { return s.e.Default().Do(nothing) }, ErrCaptureImplicit, ErrCaptureInvalidated},
		"default queue records": {func(t *testing.T, s scene) error { return second(s.e.Default().Record(newEvent(t, s.e))) },
			ErrCaptureImplicit, ErrCaptureInvalidated},
		"default queue launches": {func(_ *testing.T, s scene) error { return (&Graph{}).Launch(s.e.Default()) }, ErrCaptureImplicit, ErrCaptureInvalidated},
		"invalidated": {func(_ *testing.T, s scene) error {
			s.c.Invalidate()
			return s.q.Do(nothing)
		}, ErrCaptureInvalidated, ErrCaptureInvalidated},
		"invalidated: record": {func(t *testing.T, s scene) error {
			s.c.Invalidate()
			return second(s.q.Record(s.ev))
		}, ErrCaptureInvalidated, ErrCaptureInvalidated},
		"invalidated: join": {func(t *testing.T, s scene) error {
			s.c.Invalidate()
			return s.free.WaitEvent(s.ev)
		}, ErrCaptureInvalidated, ErrCaptureInvalidated},
		"invalidated: launch": {func(t *testing.T, s scene) error {
			s.c.Invalidate()
			return (&Graph{}).Launch(s.q)
		}, ErrCaptureInvalidated, ErrCaptureInvalidated},
		"closed": {func(_ *testing.T, s scene) error { return s.q.Close() }, nil, ErrCaptureInvalidated},
		"closed event": {func(_ *testing.T, s scene) error {
			_ = s.ev.Close()
			return s.q.WaitExternal(s.ev)
		}, ErrClosed, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s scene
			s.e, _ = manual()
			var err error
			s.q, err = s.e.NewQueue(QueueOptions{})
			require.NoError(t, err)
			s.free, s.ev = newQueue(t, s.e), newEvent(t, s.e)
			s.c, err = BeginCapture(s.q, CaptureThreadLocal)
			require.NoError(t, err)
			assert.Equal(t, CaptureThreadLocal, s.c.Mode())
			assert.Same(t, s.q, s.c.Origin())
			assert.Same(t, s.c, s.q.Capture())
			assert.NotZero(t, s.c.ID())
			require.NoError(t, s.q.Do(nothing))
			require.NoError(t, second(s.q.Record(s.ev)))

			assert.ErrorIs(t, tt.call(t, s), tt.want)
			g, err := EndCapture(s.q)
			assert.ErrorIs(t, err, tt.after)
			assert.Equal(t, tt.after == nil, g != nil)
			assert.ErrorIs(t, second(EndCapture(s.q)), ErrNotCapturing)
			s.c.Invalidate()
			assert.Equal(t, CaptureEnded, s.c.Status())
			if other := s.free.Capture(); other != nil { // the merge's second one is spoilt as well
				assert.ErrorIs(t, second(EndCapture(s.free)), ErrCaptureInvalidated)
			}
			assert.Zero(t, s.e.capturing.Load())
			_, err = s.e.Default().Record(newEvent(t, s.e))
			assert.NoError(t, err)
		})
	}
}

func TestNonBlockingCaptureLeavesTheDefaultQueueAlone(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q := newQueue(t, e)
	begin(t, q)
	require.NoError(t, e.Default().Delay(1))
	require.NoError(t, second(EndCapture(q)))
}
