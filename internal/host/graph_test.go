package host

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// capturing captures what f queues on a new queue.
func capturing(t testing.TB, e *Engine, f func(*Queue)) *Graph {
	t.Helper()
	q := newQueue(t, e)
	begin(t, q)
	f(q)
	return end(t, q)
}

// branches captures functions that run concurrently, and one that follows them.
func branches(t testing.TB, e *Engine, last func() error, fs ...func() error) *Graph {
	return capturing(t, e, func(q *Queue) {
		fork := newEvent(t, e)
		_, err := q.Record(fork)
		require.NoError(t, err)
		for _, f := range fs {
			b := newQueue(t, e)
			require.NoError(t, b.WaitEvent(fork))
			require.NoError(t, b.Do(f))
			require.NoError(t, q.WaitQueue(b))
		}
		if last != nil {
			require.NoError(t, q.Do(last))
		}
	})
}

func TestGraphRunsAtEachLaunch(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	var got []int
	g := capturing(t, e, func(q *Queue) {
		for i := range 3 {
			require.NoError(t, q.Do(func() error { got = append(got, i); return nil }))
		}
	})
	assert.Equal(t, 3, g.Len())
	q := newQueue(t, e)
	require.NoError(t, q.Do(func() error { got = append(got, 10); return nil }))
	for range 2 {
		require.NoError(t, g.Launch(q))
	}
	require.NoError(t, q.Do(func() error { got = append(got, 11); return nil }))
	require.NoError(t, q.Sync())
	assert.Equal(t, []int{10, 0, 1, 2, 0, 1, 2, 11}, got)
}

func TestEmptyGraph(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	g, q := capturing(t, e, func(*Queue) {}), newQueue(t, e)
	require.NoError(t, g.Launch(q))
	assert.True(t, isDone(t, recordOn(t, q, newEvent(t, e))))
	begin(t, q)
	require.NoError(t, g.Launch(q))
	assert.Zero(t, end(t, q).Len())
}

func TestBranchesRunConcurrently(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	var meet sync.WaitGroup
	meet.Add(3)
	together := func() error { meet.Done(); meet.Wait(); return nil }
	var ran atomic.Bool
	g := branches(t, e, func() error { ran.Store(true); return nil }, together, together, together)
	q := newQueue(t, e)
	require.NoError(t, g.Launch(q))
	require.NoError(t, q.Sync())
	assert.True(t, ran.Load())
}

func TestLaunchesOfOneGraphRunOneAfterTheOther(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	var inside, runs atomic.Int32
	alone := func() error {
		assert.EqualValues(t, 1, inside.Add(1))
		runtime.Gosched()
		inside.Add(-1)
		runs.Add(1)
		return nil
	}
	g := capturing(t, e, func(q *Queue) { require.NoError(t, q.Do(alone)) })
	var all sync.WaitGroup
	for range 8 {
		q := newQueue(t, e)
		all.Go(func() {
			for range 50 {
				assert.NoError(t, g.Launch(q))
			}
			assert.NoError(t, q.Sync())
		})
	}
	all.Wait()
	assert.EqualValues(t, 400, runs.Load())
}

// Launches on several queues that wait for each other and for the same graphs never wait in a
// circle.
func TestLaunchesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	graphs := []*Graph{}
	for range 3 {
		graphs = append(graphs, branches(t, e, nothing, nothing, nothing))
	}
	queues := []*Queue{newQueue(t, e), newQueue(t, e), newQueue(t, e)}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for k := range 100 {
				q := queues[(i+k)%3]
				assert.NoError(t, graphs[(i*k)%3].Launch(q))
				assert.NoError(t, q.WaitQueue(queues[k%3]))
			}
		})
	}
	all.Wait()
	require.NoError(t, e.Sync())
}

func TestFailingNodeFailsTheQueue(t *testing.T) {
	t.Parallel()
	fail := func() error { return errTest }
	for name, f := range map[string]func() error{
		"error": fail,
		"panic": func() error { panic(errTest) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := New(Options{})
			var other atomic.Bool
			slow := func() error { time.Sleep(time.Millisecond); other.Store(true); return nil }
			g := branches(t, e, func() error { t.Error("it ran"); return nil }, f, slow)
			q, free := newQueue(t, e), newQueue(t, e)
			before := recordOn(t, q, newEvent(t, e))
			require.NoError(t, g.Launch(q))
			after, err := q.Mark()
			require.NoError(t, err)
			assert.ErrorIs(t, after.Sync(), errTest)
			assert.True(t, other.Load(), "the other branches have ended")
			assert.Equal(t, Done, before.State())
			assert.ErrorIs(t, g.Launch(q), errTest, "the queue is known to have failed")
			assert.ErrorIs(t, q.Reset(), errTest)
			require.NoError(t, free.Do(nothing))
			assert.NoError(t, free.Sync())

			// The next launch waits for this one and is not affected by its failure.
			quick := capturing(t, e, func(q *Queue) { require.NoError(t, q.Do(fail)) })
			require.NoError(t, quick.Launch(q))
			node := Node{quick.capture, 0}
			require.NoError(t, quick.Replace(node, nothing))
			require.NoError(t, quick.Launch(free))
			assert.NoError(t, free.Sync())
			assert.ErrorIs(t, q.Sync(), errTest)
		})
	}
}

func TestFailedQueueFailsThePendingLaunch(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev := newEvent(t, e)
	g := capturing(t, e, func(q *Queue) {
		require.NoError(t, q.Do(func() error { t.Error("it ran"); return nil }))
		require.NoError(t, q.RecordExternal(ev))
	})
	q := newQueue(t, e)
	held := gate(t, q)
	require.NoError(t, g.Launch(q))
	assert.Equal(t, Pending, ev.State())
	held.Fail(errTest)
	assert.ErrorIs(t, ev.Sync(), errTest)
	assert.ErrorIs(t, q.Sync(), errTest)
}

func TestEngineFailureEndsLaunches(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev, never := newEvent(t, e), NewGate()
	g := capturing(t, e, func(q *Queue) {
		require.NoError(t, q.WaitGate(never))
		require.NoError(t, q.RecordExternal(ev))
	})
	q := newQueue(t, e)
	require.NoError(t, g.Launch(q))
	done, err := e.Query()
	require.NoError(t, err)
	assert.False(t, done)
	e.Fail(errTest)
	assert.ErrorIs(t, ev.Sync(), errTest)
	assert.ErrorIs(t, g.Launch(q), errTest)
}

func TestExternalNodesRunAtEachLaunch(t *testing.T) {
	t.Parallel()
	e, c := manual()
	start, stop := newEvent(t, e), newEvent(t, e)
	awaited := newEvent(t, e)
	g := capturing(t, e, func(q *Queue) {
		require.NoError(t, q.WaitExternal(awaited))
		require.NoError(t, q.RecordExternal(start))
		require.NoError(t, q.Delay(time.Second))
		require.NoError(t, q.RecordExternal(stop))
	})
	assert.Equal(t, Unrecorded, start.State())
	q, other := newQueue(t, e), newQueue(t, e)
	for i := range 3 {
		held := gate(t, other)
		recordOn(t, other, awaited)
		require.NoError(t, g.Launch(q))
		assert.Equal(t, Pending, start.State())
		assert.EqualValues(t, i+1, stop.Generation())
		held.Open()
		assert.Equal(t, Done, start.State())
		assert.Equal(t, Pending, stop.State())
		c.Advance(time.Second)
		d, err := Elapsed(start, stop)
		require.NoError(t, err)
		assert.Equal(t, time.Second, d)
	}
}

// A wait in a graph is for the record that the same launch makes before it.
func TestExternalWaitFollowsTheRecordOfItsLaunch(t *testing.T) {
	t.Parallel()
	e, c := manual()
	ev, after := newEvent(t, e), newEvent(t, e)
	g := capturing(t, e, func(q *Queue) {
		fork := newEvent(t, e)
		_, err := q.Record(fork)
		require.NoError(t, err)
		b := newQueue(t, e)
		require.NoError(t, b.WaitEvent(fork))
		require.NoError(t, b.Delay(time.Second))
		require.NoError(t, b.RecordExternal(ev))
		require.NoError(t, q.WaitExternal(ev))
		require.NoError(t, q.RecordExternal(after))
		require.NoError(t, q.WaitQueue(b))
	})
	q := newQueue(t, e)
	for range 2 {
		require.NoError(t, g.Launch(q))
		assert.Equal(t, Pending, after.State())
		c.Advance(time.Second)
		assert.Equal(t, Done, after.State())
	}
}

func TestEmbeddedGraph(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	var order []string
	var mu sync.Mutex
	say := func(s string) func() error {
		return func() error { mu.Lock(); defer mu.Unlock(); order = append(order, s); return nil }
	}
	child := branches(t, e, nil, say("branch"), say("branch"))
	parent := capturing(t, e, func(q *Queue) {
		require.NoError(t, q.Do(say("first")))
		require.NoError(t, child.Launch(q))
		require.NoError(t, child.Launch(q))
		require.NoError(t, q.Do(say("last")))
	})
	assert.Equal(t, 6, parent.Len())
	require.NoError(t, child.Replace(Node{child.capture, 0}, say("replaced")))
	q := newQueue(t, e)
	require.NoError(t, parent.Launch(q))
	require.NoError(t, q.Sync())
	assert.Equal(t, []string{"first", "branch", "branch", "branch", "branch", "last"}, order,
		"the parent has the nodes as they were")
}

func TestNodesAreReplaced(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	var got []string
	say := func(s string) func() error { return func() error { got = append(got, s); return nil } }
	var node Node
	q := newQueue(t, e)
	_, ok := q.LastNode()
	assert.False(t, ok)
	begin(t, q)
	_, ok = q.LastNode()
	assert.False(t, ok)
	require.NoError(t, q.Do(say("a")))
	node, ok = q.LastNode()
	assert.True(t, ok)
	require.NoError(t, q.Do(say("b")))
	require.NoError(t, q.Delay(0))
	later, ok := q.LastNode()
	assert.True(t, ok)
	assert.NotEqual(t, node, later)
	g := end(t, q)
	_, ok = q.LastNode()
	assert.False(t, ok)

	held := gate(t, q)
	require.NoError(t, g.Launch(q))
	require.NoError(t, g.Replace(node, say("c")))
	require.NoError(t, g.Launch(q))
	held.Open()
	require.NoError(t, q.Sync())
	assert.Equal(t, []string{"a", "b", "c", "b"}, got, "a pending launch keeps its functions")

	other := capturing(t, e, func(q *Queue) { require.NoError(t, q.Do(nothing)) })
	assert.ErrorIs(t, other.Replace(node, nothing), ErrNode)
	assert.ErrorIs(t, other.Replace(Node{}, nothing), ErrNode)
	assert.ErrorIs(t, g.Replace(node, nil), ErrNil)
}

func TestGraphIsUpdated(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	var got []int
	do := func(i int) func() error { return func() error { got = append(got, i); return nil } }
	chain := func(is ...int) *Graph {
		return capturing(t, e, func(q *Queue) {
			for _, i := range is {
				require.NoError(t, q.Do(do(i)))
			}
		})
	}
	g := chain(1, 2)
	require.NoError(t, g.Update(chain(3, 4)))
	require.NoError(t, g.Replace(Node{g.capture, 1}, do(5)))
	require.NoError(t, g.Update(g))
	for name, other := range map[string]*Graph{
		"longer":   chain(1, 2, 3),
		"parallel": branches(t, e, nil, nothing, nothing),
		"another kind": capturing(t, e, func(q *Queue) {
			require.NoError(t, q.Do(nothing))
			require.NoError(t, q.Delay(0))
		}),
		"another engine": capturing(t, New(Options{}), func(q *Queue) {
			require.NoError(t, q.Do(nothing))
			require.NoError(t, q.Do(nothing))
		}),
	} {
		assert.ErrorIs(t, g.Update(other), ErrShape, name)
	}
	q := newQueue(t, e)
	require.NoError(t, g.Launch(q))
	require.NoError(t, q.Sync())
	assert.Equal(t, []int{3, 5}, got)
}

// A launch keeps the order with the default queue that its queue has.
func TestLaunchKeepsTheLegacyOrder(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q, err := e.NewQueue(QueueOptions{})
	require.NoError(t, err)
	var got []int
	g := capturing(t, e, func(q *Queue) {
		require.NoError(t, q.Do(func() error { got = append(got, 1); return nil }))
	})
	held := gate(t, e.Default())
	require.NoError(t, e.Default().Do(func() error { got = append(got, 0); return nil }))
	require.NoError(t, g.Launch(q))
	require.NoError(t, e.Default().Do(func() error { got = append(got, 2); return nil }))
	held.Open()
	require.NoError(t, e.Default().Sync())
	assert.Equal(t, []int{0, 1, 2}, got)
}

func TestGraphOfTwoEngines(t *testing.T) {
	t.Parallel()
	e, f := New(Options{}), New(Options{})
	q, o, x, y := newQueue(t, e), newQueue(t, f), newEvent(t, e), newEvent(t, f)
	var ran atomic.Int32
	begin(t, q)
	_, err := q.Record(x)
	require.NoError(t, err)
	require.NoError(t, o.WaitEvent(x))
	require.NoError(t, o.Do(func() error { ran.Add(1); return nil }))
	_, err = o.Record(y)
	require.NoError(t, err)
	require.NoError(t, q.WaitEvent(y))
	require.NoError(t, q.Do(func() error { ran.Add(1); return nil }))
	g := end(t, q)
	require.NoError(t, g.Launch(q))
	require.NoError(t, q.Sync())
	assert.EqualValues(t, 2, ran.Load())
	f.Fail(errTest)
	require.NoError(t, g.Launch(q))
	assert.ErrorIs(t, q.Sync(), errTest)
	assert.EqualValues(t, 2, ran.Load())
}

// A callback of a launch may launch the graph again.
func TestCallbackLaunchesTheGraph(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev := newEvent(t, e)
	g := capturing(t, e, func(q *Queue) { require.NoError(t, q.RecordExternal(ev)) })
	q, other := newQueue(t, e), newQueue(t, e)
	held := gate(t, q)
	require.NoError(t, g.Launch(q))
	p, err := ev.Point()
	require.NoError(t, err)
	p.OnDone(func(error) { assert.NoError(t, g.Launch(other)) })
	held.Open()
	require.NoError(t, other.Sync())
	assert.EqualValues(t, 2, ev.Generation())
	assert.NoError(t, ev.Sync())
}

func TestGraphKeepsAliveWhatItRefersTo(t *testing.T) {
	e := New(Options{})
	q := newQueue(t, e)
	var collected atomic.Bool
	g := func() *Graph {
		value := new([1 << 16]byte)
		runtime.AddCleanup(value, func(struct{}) { collected.Store(true) }, struct{}{})
		begin(t, q)
		require.NoError(t, q.Do(func() error { value[0]++; return nil }))
		return end(t, q)
	}()
	runtime.GC()
	assert.False(t, collected.Load())
	require.NoError(t, g.Launch(q))
	require.NoError(t, q.Sync())
	g = nil
	assert.Eventually(t, func() bool { runtime.GC(); return collected.Load() },
		10*time.Second, time.Millisecond, "it is collected with the graph")
	assert.NoError(t, q.Sync())
}
