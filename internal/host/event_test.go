package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEventStates(t *testing.T) {
	t.Parallel()
	e, c := manual()
	q, ev := newQueue(t, e), newEvent(t, e)
	check := func(want State, gen uint64) {
		t.Helper()
		assert.Equal(t, want, ev.State(), want.String())
		assert.Equal(t, gen, ev.Generation())
		done, err := ev.Query()
		assert.Equal(t, want == Unrecorded || want == Done, done)
		assert.NoError(t, err)
	}
	check(Unrecorded, 0)
	assert.NoError(t, ev.Sync())
	assert.ErrorIs(t, second(ev.Point()), ErrNotRecorded)
	assert.True(t, ev.Timing())
	assert.Same(t, e, ev.Engine())

	c.Advance(time.Second)
	for gen := range uint64(3) { // seen and unseen records alike
		_, err := q.Record(ev)
		require.NoError(t, err)
		check(Done, gen+1)
	}
	g := gate(t, q)
	old := recordOn(t, q, ev)
	check(Pending, 4)
	fresh := recordOn(t, newQueue(t, e), ev)
	check(Done, 5)
	assert.NotEqual(t, old, fresh)
	assert.Equal(t, []uint64{4, 5}, []uint64{old.Generation(), fresh.Generation()})
	assert.False(t, isDone(t, old))
	g2 := gate(t, q)
	newest := recordOn(t, q, ev)
	g.Open()
	assert.True(t, isDone(t, old))
	check(Pending, 6) // the late completion of an old record marks no newer one
	g2.Open()
	check(Done, 6)
	assert.NoError(t, newest.Sync())

	require.NoError(t, ev.Close())
	require.NoError(t, ev.Close())
	assert.Equal(t, Closed, ev.State())
	for name, err := range map[string]error{
		"Record": second(q.Record(ev)), "Query": second(ev.Query()), "Sync": ev.Sync(),
		"Point": second(ev.Point()), "Wait": q.WaitEvent(ev),
	} {
		assert.ErrorIs(t, err, ErrClosed, name)
	}
	at, err := fresh.At()
	require.NoError(t, err, "points outlive the event")
	assert.Equal(t, time.Second, at)
	other, _ := manual()
	assert.ErrorIs(t, second(newQueue(t, other).Record(newEvent(t, e))), ErrOtherEngine)
	assert.Equal(t, "State(9)", State(9).String())
}

func TestReRecordOfUnseenPendingRecord(t *testing.T) {
	t.Parallel()
	e, c := manual()
	q, idle, ev := newQueue(t, e), newQueue(t, e), newEvent(t, e)
	g := gate(t, q)
	_, err := q.Record(ev)
	require.NoError(t, err)
	c.Advance(3)
	_, err = idle.Record(ev)
	require.NoError(t, err)
	c.Advance(4)
	g.Open()
	assert.Equal(t, Done, ev.State())
	p, err := ev.Point()
	require.NoError(t, err)
	at, err := p.At()
	require.NoError(t, err)
	assert.EqualValues(t, 3, at, "the old record's completion left the newer time alone")
}

func TestWaitKeepsItsPointWhenMemoryIsUsedAgain(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q, waiter, ev := newQueue(t, e), newQueue(t, e), newEvent(t, e)
	g, wg := gate(t, q), gate(t, waiter)
	_, err := q.Record(ev)
	require.NoError(t, err)
	require.NoError(t, waiter.WaitEvent(ev)) // queued behind wg, so not subscribed yet
	m, err := waiter.Mark()
	require.NoError(t, err)
	g.Open()
	g = gate(t, q)
	_, err = q.Record(ev)
	require.NoError(t, err)
	wg.Open()
	assert.True(t, isDone(t, m))
	assert.Equal(t, Pending, ev.State())
	g.Open()
}

func TestPointSubscriptions(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q := newQueue(t, e)
	g := gate(t, q)
	var got []string
	say := func(s string) func(error) {
		return func(err error) { got = append(got, fmt.Sprint(s, err)) }
	}
	var points []Point
	for range 3 {
		points = append(points, recordOn(t, q, newEvent(t, e)))
	}
	points[2].OnDone(say("2 "))
	points[0].OnDone(say("0a "))
	stopped := points[0].OnDone(say("stopped "))
	points[0].OnDone(say("0b "))
	first := points[1].OnDone(say("stopped "))
	points[1].OnDone(func(err error) {
		say("1 ")(err)
		recordOn(t, q, newEvent(t, e)).OnDone(say("3 ")) // callbacks may use everything
	})
	last := points[1].OnDone(say("stopped "))
	assert.True(t, stopped.Stop())
	assert.False(t, stopped.Stop())
	assert.True(t, first.Stop())
	assert.True(t, last.Stop())
	ch := points[1].Done()
	assert.Equal(t, ch, points[1].Done())
	select {
	case <-ch:
		t.Error("complete too early")
	default:
	}
	g.Open()
	<-ch
	<-points[1].Done()
	<-Point{}.Done()
	assert.Equal(t, []string{"0a <nil>", "0b <nil>", "1 <nil>", "2 <nil>", "3 <nil>"}, got)
	s := points[0].OnDone(say("late "))
	assert.Equal(t, "late <nil>", got[len(got)-1])
	assert.False(t, s.Stop())
	assert.False(t, Point{}.OnDone(say("none ")).Stop())
	assert.Equal(t, "none <nil>", got[len(got)-1])
}

func TestCallbacksKeepTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q := newQueue(t, e)
	var mu sync.Mutex
	var got []uint64
	ev := newEvent(t, e)
	for i := range uint64(500) {
		if i%5 == 0 {
			require.NoError(t, q.Do(func() error { return nil }))
		}
		g := gate(t, q)
		recordOn(t, q, ev).OnDone(func(error) { mu.Lock(); got = append(got, i); mu.Unlock() })
		go g.Open()
	}
	require.NoError(t, q.Sync())
	require.Len(t, got, 500)
	for i, v := range got {
		require.EqualValues(t, i, v)
	}
}

func TestPointWait(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	q := newQueue(t, e)
	g := gate(t, q)
	p := recordOn(t, q, newEvent(t, e))
	ctx, cancel := context.WithCancel(context.Background())
	results := make(chan error)
	const n = 100
	for range n {
		go func() { results <- p.Wait(ctx) }()
		go func() { results <- p.Wait(context.Background()) }()
	}
	cancel()
	for range n {
		assert.ErrorIs(t, <-results, context.Canceled)
	}
	assert.ErrorIs(t, p.Wait(ctx), context.Canceled)
	g.Open()
	for range n {
		assert.NoError(t, <-results)
	}
	assert.NoError(t, p.Wait(ctx), "a complete point beats a context that has ended")
	assert.Nil(t, p.rec.first, "nothing is left behind")
	assert.NoError(t, Point{}.Sync())
}

func TestElapsed(t *testing.T) {
	t.Parallel()
	e, c := manual()
	other, _ := manual()
	busy := newQueue(t, e)
	g := gate(t, busy)
	failed := newQueue(t, e)
	require.NoError(t, failed.WaitGate(func() *Gate { g := NewGate(); g.Fail(errTest); return g }()))

	make := map[string]func() *Event{
		"good":   func() *Event { ev := newEvent(t, e); recordOn(t, newQueue(t, e), ev); return ev },
		"closed": func() *Event { ev := newEvent(t, e); _ = ev.Close(); return ev },
		"other":  func() *Event { return newEvent(t, other) },
		"untimed": func() *Event {
			ev := e.NewEvent(EventOptions{})
			return ev
		},
		"unrecorded": func() *Event { return newEvent(t, e) },
		"failed":     func() *Event { ev := newEvent(t, e); recordOn(t, failed, ev); return ev },
		"pending":    func() *Event { ev := newEvent(t, e); recordOn(t, busy, ev); return ev },
	}
	order := []struct {
		kind string
		err  error
	}{
		{"closed", ErrClosed}, {"other", ErrOtherEngine}, {"untimed", ErrTimingDisabled},
		{"unrecorded", ErrNotRecorded},
		{"failed", errTest}, {"pending", ErrNotReady}, {"good", nil},
	}
	for i, a := range order { // each cause alone and in pairs: the earlier one is told
		for _, b := range order[i:] {
			for _, swap := range []bool{false, true} {
				start, end, which := make[a.kind](), make[b.kind](), "start"
				if swap {
					start, end, which = end, start, "end"
				}
				want := a.err
				if a.kind == b.kind {
					which = "both"
					if a.kind == "other" { // one engine, so the next cause
						want = ErrNotRecorded
					}
				}
				if a.kind == "other" && a.kind != b.kind {
					which = "both"
				}
				_, err := Elapsed(start, end)
				if want == nil {
					assert.NoError(t, err)
					continue
				}
				var el *ElapsedError
				require.ErrorAs(t, err, &el, "%s %s", a.kind, b.kind)
				assert.ErrorIs(t, err, want, "%s %s", a.kind, b.kind)
				assert.Equal(t, which, el.Which, "%s %s", a.kind, b.kind)
				assert.Contains(t, err.Error(), which)
			}
		}
	}

	first, q := make["good"](), newQueue(t, e)
	require.NoError(t, q.Delay(50*time.Millisecond))
	last := newEvent(t, e)
	recordOn(t, q, last)
	c.Advance(time.Second)
	d, err := Elapsed(first, last)
	require.NoError(t, err)
	assert.Equal(t, 50*time.Millisecond, d)
	d, err = Elapsed(last, first)
	require.NoError(t, err)
	assert.Equal(t, -50*time.Millisecond, d)
	d, err = Elapsed(last, last)
	require.NoError(t, err)
	assert.Zero(t, d)
	g.Open()
}

func TestPointAt(t *testing.T) {
	t.Parallel()
	e, c := manual()
	q := newQueue(t, e)
	untimed := e.NewEvent(EventOptions{})
	assert.ErrorIs(t, second(Point{}.At()), ErrTimingDisabled)
	assert.ErrorIs(t, second(recordOn(t, q, untimed).At()), ErrTimingDisabled)
	g := gate(t, q)
	p := recordOn(t, q, newEvent(t, e))
	assert.ErrorIs(t, second(p.At()), ErrNotReady)
	c.Advance(9)
	g.Open()
	at, err := p.At()
	require.NoError(t, err)
	assert.EqualValues(t, 9, at)
	g = gate(t, q)
	p = recordOn(t, q, newEvent(t, e))
	g.Fail(errTest)
	assert.ErrorIs(t, second(p.At()), errTest)
	assert.Zero(t, Point{}.Generation())
}

func TestManyEventsCloseAnytime(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	q := newQueue(t, e)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				ev := newEvent(t, e)
				if _, err := q.Record(ev); err != nil {
					t.Error(err)
				}
				go func() { _ = ev.Close() }()
				if err := ev.Sync(); err != nil && !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
				_, _ = ev.Query()
				_, _ = Elapsed(ev, ev)
			}
		})
	}
	wg.Wait()
}
