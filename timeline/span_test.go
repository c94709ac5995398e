package timeline

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

func TestSpansOnTheHost(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	s := stream(t, hostDevice(t))
	require.NoError(t, tl.NameStream(s, "load"))
	outer := tl.Begin(s, "outer", Int("n", 3), String("text", "x"))
	var began, ended time.Time
	require.NoError(t, s.HostFunc(func() error { began = time.Now(); return nil }))
	inner := outer.Begin("inner")
	require.NoError(t, inner.End())
	require.NoError(t, s.HostFunc(func() error { ended = time.Now(); return nil }))
	require.NoError(t, outer.End())
	require.NoError(t, tl.Mark(s, "mark", Bool("ok", true)))
	tl.Counter("queue", 3)
	require.NoError(t, tl.CounterOn(s, "bytes", 7))

	shot := flushed(t, tl)
	require.Len(t, shot.Items, 5)
	o, i := named(shot, "outer")[0], named(shot, "inner")[0]
	assert.Equal(t, []Attr{Int("n", 3), String("text", "x")}, o.Attrs)
	assert.Equal(t, "load", o.Lane.Name)
	assert.Equal(t, o.ID, i.Parent)
	assert.False(t, o.Start.Add(-o.Bound).After(began), "%v, work began %v", o, began)
	assert.False(t, o.End.Add(o.Bound).Before(ended), "%v, work ended %v", o, ended)
	assert.Less(t, o.Bound, time.Second)
	assert.GreaterOrEqual(t, o.Duration(), ended.Sub(began))
	assert.LessOrEqual(t, i.Duration(), o.Duration())
	assert.Equal(t, KindMark, named(shot, "mark")[0].Kind)
	assert.Equal(t, 7.0, named(shot, "bytes")[0].Value)
	assert.Nil(t, named(shot, "queue")[0].Lane)
	assert.Equal(t, Stats{Begun: 5, Finished: 5}, tl.Stats())
}

func TestAsynchronousSpans(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	a, b := stream(t, hostDevice(t)), stream(t, hostDevice(t))
	gate := make(chan struct{})
	require.NoError(t, a.HostFunc(func() error { <-gate; return nil }))
	late := tl.Begin(a, "its begin is reached after its end")
	require.NoError(t, late.EndOn(b))
	async := tl.BeginAsync(b, "from another goroutine")
	done := make(chan error)
	go func() { done <- async.End() }()
	require.NoError(t, <-done)
	require.NoError(t, b.Sync())
	close(gate)

	shot := flushed(t, tl)
	require.Len(t, shot.Items, 2)
	it := named(shot, "its begin is reached after its end")[0]
	assert.Equal(t, KindAsync, it.Kind)
	assert.NotEqual(t, it.Lane.ID, it.EndLane.ID)
	assert.Negative(t, it.Duration())
	assert.Equal(t, KindAsync, named(shot, "from another goroutine")[0].Kind)
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	s, other := stream(t, hostDevice(t)), stream(t, hostDevice(t))
	assert.ErrorIs(t, Span{}.End(), ErrNoSpan)
	assert.ErrorIs(t, Span{}.Begin("x").Err(), ErrNoSpan)
	assert.ErrorIs(t, tl.Begin(nil, "x").End(), event.ErrNilStream)
	assert.ErrorIs(t, tl.Mark(nil, "x"), event.ErrNilStream)
	assert.ErrorIs(t, tl.Wait(s, Span{}), ErrNoSpan)
	sp := tl.Begin(s, "x")
	assert.ErrorIs(t, tl.Wait(other, sp), ErrOpen)
	assert.NoError(t, sp.End())
	assert.ErrorIs(t, sp.End(), ErrEnded)
	assert.ErrorIs(t, sp.EndOn(other), ErrEnded)
	flushed(t, tl)
	assert.ErrorIs(t, sp.End(), ErrEnded, "also once the slot serves another span")
	again := tl.Begin(s, "y")
	assert.ErrorIs(t, sp.End(), ErrEnded)
	assert.NoError(t, again.End())
	assert.NoError(t, tl.Wait(other, sp), "its end has passed")

	require.NoError(t, other.Close())
	assert.ErrorIs(t, tl.Begin(other, "x").End(), event.ErrClosed)
	lost := tl.Begin(s, "x")
	require.NoError(t, s.Close())
	assert.ErrorIs(t, lost.End(), event.ErrClosed)
	_, err := New(Options{Spans: -1})
	assert.ErrorContains(t, err, "can't be negative")
}

func TestAttributesBeyondTheLimit(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{})
	s := stream(t, hostDevice(t))
	many := make([]Attr, MaxAttrs+2)
	require.NoError(t, tl.Begin(s, "x", many...).End())
	tl.MarkNow("y", many...)
	for _, it := range flushed(t, tl).Items {
		assert.Len(t, it.Attrs, MaxAttrs)
	}
	assert.EqualValues(t, 4, tl.Stats().AttrsLeftOut)
}

func TestFullOfUnfinishedSpans(t *testing.T) {
	t.Parallel()
	const pending = 8
	tl := open(t, Options{Pending: pending})
	s := stream(t, hostDevice(t))
	gate := make(chan struct{})
	require.NoError(t, s.HostFunc(func() error { <-gate; return nil }))
	for i := range 3 * pending { // none of these waits, though the stream does not move
		err := tl.Begin(s, "x").End()
		if i < pending {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrFull)
		}
	}
	assert.EqualValues(t, 2*pending, tl.Stats().Dropped)
	close(gate)
	assert.Len(t, flushed(t, tl).Items, pending)
	assert.NoError(t, tl.Begin(s, "x").End(), "there is room again")
}

func TestRingKeepsTheNewest(t *testing.T) {
	t.Parallel()
	tl := open(t, Options{Spans: 4})
	s := stream(t, hostDevice(t))
	for i := range 10 {
		require.NoError(t, tl.Begin(s, "x", Int("i", i)).End())
	}
	shot := flushed(t, tl)
	require.Len(t, shot.Items, 4)
	for k, it := range shot.Items {
		assert.Equal(t, []Attr{Int("i", 6+k)}, it.Attrs)
	}
	assert.Equal(t, Stats{Begun: 10, Finished: 10, Overwritten: 6}, shot.Stats)
}

func TestCallbacks(t *testing.T) {
	t.Parallel()
	errs := make(chan error, 9)
	tl := open(t, Options{OnError: func(err error) { errs <- err }})
	s := stream(t, hostDevice(t))
	var names []string
	stop := tl.OnFinish(func(it Item) {
		names = append(names, it.Name)
		switch it.Name {
		case "panics":
			panic("by request")
		case "leaves":
			runtime.Goexit()
		}
	})
	for _, name := range []string{"panics", "leaves", "last"} {
		require.NoError(t, tl.Begin(s, name).End())
	}
	flushed(t, tl)
	assert.Equal(t, []string{"panics", "leaves", "last"}, names)
	assert.ErrorContains(t, <-errs, "by request")
	assert.ErrorContains(t, <-errs, "Goexit")
	stop()
	require.NoError(t, tl.Begin(s, "unseen").End())
	flushed(t, tl)
	assert.Len(t, names, 3)
}
