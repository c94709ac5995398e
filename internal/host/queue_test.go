package host

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/clock"
)

func TestQueueRunsInOrder(t *testing.T) {
	t.Parallel()
	q := newQueue(t, New(Options{}))
	var got []int
	for i := range 1000 {
		require.NoError(t, q.Do(func() error { got = append(got, i); return nil }))
	}
	require.NoError(t, q.Sync())
	require.Len(t, got, 1000)
	for i, v := range got {
		require.Equal(t, i, v)
	}
	done, err := q.Query()
	assert.True(t, done)
	assert.NoError(t, err)
}

func TestQueueNeedsNoGoroutineWhileBlocked(t *testing.T) {
	e, c := manual()
	before := runtime.NumGoroutine()
	var gates []*Gate
	var last []Point
	for range 100 {
		q := newQueue(t, e)
		gates = append(gates, gate(t, q))
		require.NoError(t, q.Delay(time.Second))
		last = append(last, recordOn(t, q, newEvent(t, e)))
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	for _, g := range gates {
		g.Open()
	}
	c.Advance(time.Second)
	for _, p := range last {
		require.True(t, isDone(t, p))
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestDelayStampsWhenReached(t *testing.T) {
	t.Parallel()
	e, c := manual()
	q := newQueue(t, e)
	var points []Point
	c.Advance(time.Second)
	points = append(points, recordOn(t, q, newEvent(t, e)))
	for _, d := range []time.Duration{5, 0, -3, 7} {
		require.NoError(t, q.Delay(d*time.Millisecond))
		points = append(points, recordOn(t, q, newEvent(t, e)))
	}
	assert.Equal(t, []bool{true, false, false, false, false}, doneOf(t, points))
	c.Advance(5 * time.Millisecond)
	assert.Equal(t, []bool{true, true, true, true, false}, doneOf(t, points))
	c.Advance(time.Minute)
	for i, want := range []time.Duration{1000, 1005, 1005, 1005, 1012} {
		at, err := points[i].At()
		require.NoError(t, err)
		assert.Equal(t, want*time.Millisecond, at)
	}
}

func doneOf(t testing.TB, points []Point) (out []bool) {
	t.Helper()
	for _, p := range points {
		out = append(out, isDone(t, p))
	}
	return out
}

func TestWait(t *testing.T) {
	t.Parallel()
	type scene struct {
		e1, e2 *Engine
		q1, q2 *Queue
		gate   *Gate // holds q1
		ev     *Event
	}
	tests := map[string]struct {
		wait   func(t *testing.T, s scene) error
		before bool // what follows on q2 is done before the gate opens
	}{
		"pending record": {func(t *testing.T, s scene) error {
			recordOn(t, s.q1, s.ev)
			return s.q2.WaitEvent(s.ev)
		}, false},
		"never recorded": {func(t *testing.T, s scene) error {
			return s.q2.WaitEvent(s.ev)
		}, true},
		"recorded after the wait": {func(t *testing.T, s scene) error {
			err := s.q2.WaitEvent(s.ev)
			recordOn(t, s.q1, s.ev)
			return err
		}, true},
		"complete": {func(t *testing.T, s scene) error {
			recordOn(t, newQueue(t, s.e1), s.ev)
			return s.q2.WaitEvent(s.ev)
		}, true},
		"recorded anew elsewhere, complete": {func(t *testing.T, s scene) error {
			recordOn(t, s.q1, s.ev)
			err := s.q2.WaitEvent(s.ev)
			recordOn(t, newQueue(t, s.e1), s.ev)
			return err
		}, false},
		"recorded anew elsewhere, pending": {func(t *testing.T, s scene) error {
			recordOn(t, newQueue(t, s.e1), s.ev)
			err := s.q2.WaitEvent(s.ev)
			recordOn(t, s.q1, s.ev)
			return err
		}, true},
		"closed after the wait": {func(t *testing.T, s scene) error {
			recordOn(t, s.q1, s.ev)
			err := s.q2.WaitEvent(s.ev)
			require.NoError(t, s.ev.Close())
			require.NoError(t, s.q1.Close())
			return err
		}, false},
		"queue": {func(t *testing.T, s scene) error {
			return s.q2.WaitQueue(s.q1)
		}, false},
		"own queue": {func(t *testing.T, s scene) error {
			recordOn(t, s.q2, newEvent(t, s.q2.Engine()))
			return s.q2.WaitQueue(s.q2)
		}, true},
		"gate": {func(t *testing.T, s scene) error {
			return s.q2.WaitGate(s.gate)
		}, false},
		"zero point": {func(t *testing.T, s scene) error {
			return s.q2.Wait(Point{})
		}, true},
	}
	for name, tt := range tests {
		for _, across := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var s scene
				s.e1, _ = manual()
				s.e2 = s.e1
				if across {
					s.e2, _ = manual()
				}
				s.q1, s.q2 = newQueue(t, s.e1), newQueue(t, s.e2)
				s.gate, s.ev = gate(t, s.q1), newEvent(t, s.e1)
				earlier := recordOn(t, s.q2, newEvent(t, s.e2))
				require.NoError(t, tt.wait(t, s))
				p := recordOn(t, s.q2, newEvent(t, s.e2))
				assert.True(t, isDone(t, earlier))
				assert.Equal(t, tt.before, isDone(t, p))
				s.gate.Open()
				assert.True(t, isDone(t, p))
			})
		}
	}
}

func TestLongChainAcrossQueuesDoesNotRecurse(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	first := newQueue(t, e)
	g := gate(t, first)
	last := first
	for range 5_000 {
		q := newQueue(t, e)
		require.NoError(t, q.WaitQueue(last))
		last = q
	}
	p, err := last.Mark()
	require.NoError(t, err)
	assert.False(t, isDone(t, p))
	g.Open()
	assert.True(t, isDone(t, p))
}

func TestPriorityOrdersWaking(t *testing.T) {
	t.Parallel()
	e := New(Options{Clock: clock.NewManual(), LeastPriority: 0, GreatestPriority: -5})
	first := newQueue(t, e)
	g := gate(t, first)
	after := recordOn(t, first, newEvent(t, e))
	var got []int
	for _, p := range []int{0, -3, -5, 0, -1} {
		q, err := e.NewQueue(QueueOptions{Priority: p, NonBlocking: true})
		require.NoError(t, err)
		assert.Equal(t, p, q.Priority())
		require.NoError(t, q.Wait(after))
		recordOn(t, q, newEvent(t, e)).OnDone(func(error) { got = append(got, p) })
	}
	g.Open()
	assert.Equal(t, []int{-5, -3, -1, 0, 0}, got)

	for _, p := range []int{1, -6} {
		_, err := e.NewQueue(QueueOptions{Priority: p})
		assert.ErrorIs(t, err, ErrPriority)
		assert.ErrorContains(t, err, "from 0 (lowest) to -5 (highest)")
	}
	least, greatest := New(Options{}).PriorityRange()
	assert.Equal(t, []int{0, -1}, []int{least, greatest})
}

func TestSyncAndMarkCoverWhatWasQueuedBefore(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q := newQueue(t, e)
	g1 := gate(t, q)
	m, err := q.Mark()
	require.NoError(t, err)
	again, err := q.Mark()
	require.NoError(t, err)
	assert.Equal(t, m, again, "one marker serves both")
	g2 := gate(t, q)
	var idle atomic.Bool
	rest, err := q.Mark()
	require.NoError(t, err)
	rest.OnDone(func(error) { idle.Store(true) })

	synced := make(chan error, 1)
	go func() { synced <- m.Sync() }()
	g1.Open()
	require.NoError(t, <-synced)
	assert.False(t, idle.Load())
	done, err := q.Query()
	assert.False(t, done)
	assert.NoError(t, err)
	done, err = e.Query()
	assert.False(t, done)
	assert.NoError(t, err)

	go func() { synced <- e.Sync() }()
	g2.Open()
	require.NoError(t, <-synced)
	assert.True(t, idle.Load())
	done, _ = e.Query()
	assert.True(t, done)
	assert.Empty(t, e.busy)
}

func TestCloseQueue(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q := newQueue(t, e)
	g := gate(t, q)
	ran := make(chan struct{})
	require.NoError(t, q.Do(func() error { close(ran); return nil }))
	p := recordOn(t, q, newEvent(t, e))
	require.NoError(t, q.Close())
	require.NoError(t, q.Close())

	ev := newEvent(t, e)
	calls := map[string]func() error{
		"Do":            func() error { return q.Do(func() error { return nil }) },
		"Delay":         func() error { return q.Delay(1) },
		"Gate":          func() error { _, err := q.Gate(); return err },
		"WaitGate":      func() error { return q.WaitGate(NewGate()) },
		"Wait":          func() error { return q.Wait(p) },
		"Wait for none": func() error { return q.Wait(Point{}) },
		"WaitEvent":     func() error { return q.WaitEvent(ev) },
		"WaitQueue":     func() error { return q.WaitQueue(newQueue(t, e)) },
		"waited for":    func() error { return newQueue(t, e).WaitQueue(q) },
		"Record":        func() error { _, err := q.Record(ev); return err },
		"Mark":          func() error { _, err := q.Mark(); return err },
		"Query":         func() error { _, err := q.Query(); return err },
		"Sync":          q.Sync,
	}
	for name, call := range calls {
		assert.ErrorIs(t, call(), ErrClosed, name)
	}
	assert.Equal(t, Unrecorded, ev.State(), "a refused record leaves the event as it was")
	assert.ErrorIs(t, e.Default().Close(), ErrDefaultQueue)

	g.Open()
	<-ran
	require.NoError(t, p.Sync(), "pending work goes on")
}

func TestNilArguments(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q, ev := newQueue(t, e), newEvent(t, e)
	var noQ *Queue
	var noE *Event
	for name, err := range map[string]error{
		"Do":         noQ.Do(func() error { return nil }),
		"Do nil":     q.Do(nil),
		"Delay":      noQ.Delay(1),
		"WaitGate":   q.WaitGate(nil),
		"Wait":       noQ.Wait(Point{}),
		"WaitEvent":  q.WaitEvent(nil),
		"WaitQueue":  q.WaitQueue(nil),
		"Sync":       noQ.Sync(),
		"Close":      noQ.Close(),
		"event sync": noE.Sync(),
		"event":      noE.Close(),
		"Record":     second(q.Record(nil)),
		"Record on":  second(noQ.Record(ev)),
		"Query":      second(noQ.Query()),
		"ev query":   second(noE.Query()),
		"Point":      second(noE.Point()),
		"Elapsed":    second(Elapsed(nil, ev)),
	} {
		assert.ErrorIs(t, err, ErrNil, name)
	}
	assert.Equal(t, Closed, noE.State())
	assert.Equal(t, "queue(nil)", noQ.String())
}

func second[T any](_ T, err error) error { return err }

func TestFunctionFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		f     func() error
		check func(t *testing.T, err error)
	}{
		"error": {func() error { return errTest },
			func(t *testing.T, err error) { assert.Equal(t, errTest, err) }},
		"panic": {func() error { panic("boom") }, func(t *testing.T, err error) {
			var p *PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, "boom", p.Value)
			assert.Contains(t, string(p.Stack), "queue_test.go")
			assert.EqualError(t, err, "host: queued function panicked: boom")
		}},
		"panic with an error": {func() error { panic(errTest) },
			func(t *testing.T, err error) { assert.ErrorIs(t, err, errTest) }},
		"Goexit": {func() error {
			runtime.Goexit()
			return nil
		}, func(t *testing.T, err error) { assert.ErrorIs(t, err, ErrGoexit) }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := manual()
			q, dependant, other := newQueue(t, e), newQueue(t, e), newQueue(t, e)
			g := gate(t, q)
			before := recordOn(t, q, newEvent(t, e))
			require.NoError(t, q.Do(tt.f))
			require.NoError(t, q.Do(func() error { t.Error("ran after the failure"); return nil }))
			closed := gate(t, q)
			require.NoError(t, q.Delay(time.Hour))
			ev := newEvent(t, e)
			after := recordOn(t, q, ev)
			require.NoError(t, dependant.Wait(after))
			g.Open()

			err := q.Sync()
			tt.check(t, err)
			assert.NoError(t, before.Sync())
			assert.Equal(t, err, after.Sync())
			assert.Equal(t, Failed, ev.State())
			done, qerr := ev.Query()
			assert.True(t, done)
			assert.Equal(t, err, qerr)
			assert.Equal(t, err, dependant.Sync(), "who waits for it fails with it")
			assert.NoError(t, other.Sync())
			assert.NoError(t, e.Err())
			assert.False(t, isDone(t, closed.Point()), "the gate was skipped, not opened")

			assert.Equal(t, err, q.Err())
			assert.Equal(t, err, q.Do(func() error { return nil }))
			assert.Equal(t, err, q.Wait(Point{}))
			_, rerr := q.Record(ev)
			assert.NoError(t, rerr)
			assert.Equal(t, Failed, ev.State())
			assert.Equal(t, err, second(q.Query()))

			assert.Equal(t, err, q.Reset())
			assert.NoError(t, q.Reset())
			recordOn(t, q, ev)
			assert.Equal(t, Done, ev.State())
			assert.NoError(t, q.Do(func() error { return nil }))
			assert.NoError(t, q.Sync())
		})
	}
}

func TestGateFails(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q := newQueue(t, e)
	g := gate(t, q)
	p := recordOn(t, q, newEvent(t, e))
	assert.True(t, g.Fail(errTest))
	assert.False(t, g.Fail(nil))
	assert.False(t, g.Open())
	assert.Equal(t, errTest, p.Sync())
	assert.Equal(t, errTest, q.Err())
	g = NewGate()
	assert.True(t, g.Fail(nil))
	assert.Equal(t, ErrDeviceFailed, g.Point().Sync())
	q = newQueue(t, e)
	require.NoError(t, q.WaitGate(g), "reaching it fails the queue, asking does not")
	assert.Equal(t, ErrDeviceFailed, q.Err())
}

func TestEngineFail(t *testing.T) {
	t.Parallel()
	e, c := manual()
	other, _ := manual()
	done := recordOn(t, newQueue(t, e), newEvent(t, e))
	var pending []Point
	hold := make(chan struct{})
	running := make(chan struct{})
	holds := map[string]func(q *Queue) error{
		"gate":  func(q *Queue) error { return second(q.Gate()) },
		"delay": func(q *Queue) error { return q.Delay(time.Hour) },
		"function": func(q *Queue) error {
			err := q.Do(func() error { close(running); <-hold; return nil })
			<-running
			return err
		},
		"other engine": func(q *Queue) error { // must not be held by its own gate
			oq := newQueue(t, other)
			gate(t, oq)
			return q.WaitQueue(oq)
		},
	}
	var queues []*Queue
	for _, h := range holds {
		q := newQueue(t, e)
		queues = append(queues, q)
		require.NoError(t, h(q))
		require.NoError(t, q.Do(func() error { t.Error("ran on a failed device"); return nil }))
		pending = append(pending, recordOn(t, q, newEvent(t, e)))
	}
	oq := newQueue(t, other)
	require.NoError(t, oq.Wait(pending[0]))

	e.Fail(errTest)
	e.Fail(ErrDeviceFailed)
	assert.Equal(t, errTest, e.Err())
	for _, p := range pending {
		d, err := p.Query()
		assert.True(t, d)
		assert.Equal(t, errTest, err)
	}
	for _, q := range queues {
		d, err := q.Query()
		assert.True(t, d)
		assert.Equal(t, errTest, err)
		assert.Equal(t, errTest, q.Sync())
		assert.Equal(t, errTest, q.Reset())
		assert.Equal(t, errTest, q.Reset(), "func() error { return nil } revives the device")
	}
	_, armed := c.Next()
	assert.False(t, armed, "the delay's timer is stopped")
	assert.True(t, isDone(t, done))
	assert.Equal(t, errTest, oq.Err())
	assert.NoError(t, other.Err())
	assert.Equal(t, errTest, e.Sync())
	assert.Equal(t, errTest, second(e.Query()))
	late := recordOn(t, newQueue(t, e), newEvent(t, e))
	assert.Equal(t, errTest, second(late.Query()))
	close(hold)
}

func TestDefaultQueueOrder(t *testing.T) {
	t.Parallel()
	for _, nonBlocking := range []bool{false, true} {
		e, _ := manual()
		q, err := e.NewQueue(QueueOptions{NonBlocking: nonBlocking})
		require.NoError(t, err)
		assert.Equal(t, nonBlocking, q.NonBlocking())
		d := e.Default()
		assert.Same(t, d, e.Default())
		assert.True(t, d.IsDefault())

		g := gate(t, q)
		onDefault := recordOn(t, d, newEvent(t, e))
		assert.Equal(t, nonBlocking, isDone(t, onDefault), "default behind %v", q)
		g2 := gate(t, d)
		g.Open()
		assert.True(t, isDone(t, onDefault))
		onQueue := recordOn(t, q, newEvent(t, e))
		assert.Equal(t, nonBlocking, isDone(t, onQueue), "behind the default queue")
		fresh, err := e.NewQueue(QueueOptions{NonBlocking: nonBlocking})
		require.NoError(t, err)
		ran := make(chan struct{})
		require.NoError(t, fresh.Do(func() error { close(ran); return nil }))
		m, err := fresh.Mark()
		require.NoError(t, err)
		if !nonBlocking {
			assert.False(t, isDone(t, m))
		}
		g2.Open()
		<-ran
		assert.True(t, isDone(t, onQueue))
		require.NoError(t, e.Sync())
	}
}

func TestDefaultQueueOrderPassesNoFailureOn(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q, err := e.NewQueue(QueueOptions{})
	require.NoError(t, err)
	g := gate(t, q)
	p := recordOn(t, e.Default(), newEvent(t, e))
	g.Fail(errTest)
	assert.NoError(t, p.Sync())
	assert.True(t, isDone(t, p))
	assert.NoError(t, e.Default().Err())
	assert.Equal(t, errTest, q.Err())
}

func TestDefaultQueueIsDoneWhenBlockingQueuesAre(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		nonBlocking bool
		own         bool // work on the default queue as well
		end         error
	}{
		"blocking":                     {},
		"blocking, and default":        {own: true},
		"blocking, and fails":          {end: errTest},
		"non-blocking":                 {nonBlocking: true},
		"non-blocking, and default":    {nonBlocking: true, own: true},
		"non-blocking, and it fails":   {nonBlocking: true, end: errTest},
		"blocking, fails, and default": {own: true, end: errTest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := manual()
			d := e.Default()
			q, err := e.NewQueue(QueueOptions{NonBlocking: tt.nonBlocking})
			require.NoError(t, err)
			g := gate(t, q)
			own := NewGate()
			if tt.own {
				require.NoError(t, d.WaitGate(own))
			}
			ask := func(want bool) {
				t.Helper()
				done, err := d.Query()
				require.NoError(t, err)
				assert.Equal(t, want, done, "query")
			}
			mark, err := d.Mark()
			require.NoError(t, err)
			synced := make(chan error, 1)
			go func() { synced <- d.Sync() }()
			third := newQueue(t, e)
			require.NoError(t, third.WaitQueue(d))
			behind, err := third.Mark()
			require.NoError(t, err)
			busy := !tt.nonBlocking || tt.own
			ask(!busy)
			assert.Equal(t, !busy, isDone(t, mark), "mark")
			assert.Equal(t, !busy, isDone(t, behind), "a queue that waits")
			later, err := e.NewQueue(QueueOptions{})
			require.NoError(t, err)
			on := recordOn(t, later, newEvent(t, e))
			assert.Equal(t, !tt.own, isDone(t, on), "asking puts nothing in the way of others")

			if tt.end != nil {
				g.Fail(tt.end)
			} else {
				g.Open()
			}
			ask(!tt.own)
			own.Open()
			assert.NoError(t, <-synced, "the order passes no failure on")
			ask(true)
			assert.True(t, isDone(t, mark))
			assert.True(t, isDone(t, behind))
			assert.True(t, isDone(t, recordOn(t, d, newEvent(t, e))))
		})
	}
}

func TestDefaultQueueRestsWithItsEngine(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q, err := e.NewQueue(QueueOptions{})
	require.NoError(t, err)
	g := gate(t, q)
	mark, err := e.Default().Mark()
	require.NoError(t, err)
	e.Fail(errTest)
	assert.Equal(t, errTest, mark.Sync())
	assert.Equal(t, errTest, second(e.Default().Query()))
	g.Open()
}

// A caller notified that the default queue is idle finds it idle.
func TestDefaultQueueIsDoneAfterSync(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q, err := e.NewQueue(QueueOptions{})
	require.NoError(t, err)
	for range 500 {
		require.NoError(t, q.Do(func() error { runtime.Gosched(); return nil }))
		p := recordOn(t, q, newEvent(t, e))
		p.OnDone(func(error) { runtime.Gosched() })
		require.NoError(t, e.Default().Sync())
		done, err := e.Default().Query()
		require.NoError(t, err)
		require.True(t, done)
	}
}

func TestDefaultQueueFloodIsCheap(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q, err := e.NewQueue(QueueOptions{})
	require.NoError(t, err)
	d, ev := e.Default(), newEvent(t, e)
	g := gate(t, q)
	for range 1000 {
		_, err := d.Record(ev)
		require.NoError(t, err)
	}
	assert.Equal(t, 2, q.ops.n, "one marker for all")
	assert.Equal(t, 1001, d.ops.n)
	g.Open()
	assert.Equal(t, Done, ev.State())
}

func TestDoRunsOffTheCallersGoroutineAndEnds(t *testing.T) {
	e := New(Options{})
	q := newQueue(t, e)
	for range 100 {
		ch := make(chan struct{})
		require.NoError(t, q.Do(func() error { <-ch; return nil }))
		close(ch)
		require.NoError(t, q.Sync())
	}
}

func TestFunctionHoldsNobodyElseBack(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q, other := newQueue(t, e), newQueue(t, e)
	first, release := make(chan struct{}), make(chan struct{})
	require.NoError(t, q.Do(func() error { <-first; return nil }))
	p := recordOn(t, q, newEvent(t, e))
	require.NoError(t, q.Do(func() error { <-release; return nil }))
	require.NoError(t, other.Wait(p))
	// would never run if q's second function had to end first
	require.NoError(t, other.Do(func() error { close(release); return nil }))
	close(first)
	require.NoError(t, other.Sync())
	require.NoError(t, q.Sync())
}

func TestStress(t *testing.T) {
	t.Parallel()
	e1, e2 := New(Options{}), New(Options{})
	var queues []*Queue
	for i := range 4 {
		q, err := []*Engine{e1, e2}[i%2].NewQueue(QueueOptions{NonBlocking: i >= 2, Priority: -i % 2})
		require.NoError(t, err)
		queues = append(queues, q)
	}
	queues = append(queues, e1.Default(), e2.Default())
	var ran atomic.Int64
	var wg sync.WaitGroup
	shared := map[*Engine]*Event{e1: newEvent(t, e1), e2: newEvent(t, e2)}
	for w := range 8 {
		wg.Go(func() {
			own := map[*Engine]*Event{e1: newEvent(t, e1), e2: newEvent(t, e2)}
			for i := range 300 {
				q := queues[(w+i)%len(queues)]
				ev := own[q.Engine()]
				if i%3 == 0 {
					ev = shared[q.Engine()]
				}
				var errs []error
				errs = append(errs, q.Do(func() error { ran.Add(1); return nil }))
				errs = append(errs, second(q.Record(ev)))
				errs = append(errs, queues[(w+3*i+1)%len(queues)].WaitEvent(ev))
				if i%7 == 0 {
					errs = append(errs, ev.Sync(), q.Delay(time.Microsecond))
				}
				_, _ = ev.Query()
				if _, err := Elapsed(ev, ev); err != nil && !errors.Is(err, ErrNotReady) {
					errs = append(errs, err)
				}
				for _, err := range errs {
					assert.NoError(t, err)
				}
			}
			for _, ev := range own {
				assert.NoError(t, ev.Close())
			}
		})
	}
	wg.Wait()
	require.NoError(t, e1.Sync())
	require.NoError(t, e2.Sync())
	for _, q := range queues {
		require.NoError(t, q.Sync())
	}
	assert.EqualValues(t, 8*300, ran.Load())
	for _, e := range []*Engine{e1, e2} {
		done, err := e.Query()
		assert.True(t, done)
		assert.NoError(t, err)
		assert.Empty(t, e.busy)
		assert.Zero(t, e.blockingBusy.Load())
	}
}

func TestAfterSyncTheQueueIsIdle(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q, ev := newQueue(t, e), newEvent(t, e)
	for range 2000 {
		require.NoError(t, q.Do(func() error { return nil }))
		require.NoError(t, q.Sync())
		done, err := q.Query()
		require.NoError(t, err)
		require.True(t, done)
		done, err = e.Query()
		require.NoError(t, err)
		require.True(t, done)
		_, err = q.Record(ev)
		require.NoError(t, err)
		require.Equal(t, Done, ev.State(), "a record on an idle queue is complete at once")
	}
}

// A callback of the last record finds the queue idle, and so does any goroutine that it wakes.
func TestWhoIsToldFindsTheQueueIdle(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q := newQueue(t, e)
	g := gate(t, q)
	told := 0
	recordOn(t, q, newEvent(t, e)).OnDone(func(error) {
		told++
		for name, query := range map[string]func() (bool, error){
			"queue": q.Query, "engine": e.Query, "default queue": e.Default().Query,
		} {
			done, err := query()
			assert.NoError(t, err, name)
			assert.True(t, done, name)
		}
		m, err := q.Mark()
		assert.NoError(t, err)
		assert.True(t, isDone(t, m))
	})
	g.Open()
	assert.Equal(t, 1, told)
}

func TestFailFromWithin(t *testing.T) {
	t.Parallel()
	for name, where := range map[string]func(q *Queue, fail func()) error{
		"function": func(q *Queue, fail func()) error {
			return q.Do(func() error { fail(); return nil })
		},
		"callback": func(q *Queue, fail func()) error {
			m, err := q.Mark()
			m.OnDone(func(error) { fail() })
			return err
		},
		"panicking function": func(q *Queue, fail func()) error {
			return q.Do(func() error { fail(); panic("late") })
		},
		"function that ends in Goexit": func(q *Queue, fail func()) error {
			return q.Do(func() error { fail(); runtime.Goexit(); return nil })
		},
	} {
		e := New(Options{Name: "dev"})
		q := newQueue(t, e)
		g := gate(t, q)
		require.NoError(t, where(q, func() { e.Fail(errTest) }), name)
		hold := gate(t, q)
		p := recordOn(t, q, newEvent(t, e))
		g.Open()
		assert.Equal(t, errTest, p.Sync(), name)
		assert.Equal(t, errTest, q.Err(), name)
		hold.Open()
	}
	e := New(Options{Name: "dev"})
	e.Fail(nil)
	assert.Equal(t, ErrDeviceFailed, e.Err())
}

func TestNames(t *testing.T) {
	t.Parallel()
	c := clock.NewManual()
	e := New(Options{Name: "dev", Clock: c})
	assert.Equal(t, "dev", e.Name())
	assert.Same(t, c, e.Clock())
	q := newQueue(t, e)
	assert.EqualValues(t, 1, q.ID())
	assert.Equal(t, "dev:queue1", q.String())
	assert.Equal(t, "dev:queue0", e.Default().String())
	assert.Same(t, e, q.Engine())
	assert.Equal(t, "host", New(Options{}).Name())
}

func TestFakeTimeOfTheTestingPackage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{})
		q, start, end := newQueue(t, e), newEvent(t, e), newEvent(t, e)
		recordOn(t, q, start)
		require.NoError(t, q.Delay(time.Hour))
		require.NoError(t, q.Do(func() error { time.Sleep(time.Minute); return nil }))
		recordOn(t, q, end)
		require.NoError(t, q.Sync())
		d, err := Elapsed(start, end)
		require.NoError(t, err)
		assert.Equal(t, 61*time.Minute, d)
	})
}
