package poll

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// collected waits until the garbage collector has found the task.
func collected(tb testing.TB, p *Poller, it weak.Pointer[task]) {
	tb.Helper()
	eventually(tb, "the collection of a removed task", func() bool {
		runtime.GC()
		return it.Value() == nil
	})
	runtime.KeepAlive(p)
}

// removed returns a task that was added to a poller and removed again.
func removed(p *Poller, lane any) weak.Pointer[task] {
	it := newTask(lane, 1, 1)
	p.Add(&it.Item)
	p.Remove(&it.Item)
	return weak.Make(it)
}

// A runner whose time is up ends without another look at fresh items.
func TestEndingRunnerKeepsNoRemovedTask(t *testing.T) {
	t.Parallel()
	for _, lane := range []any{nil, "lane"} {
		p := New(unprepared)
		r := &runner{poller: p}
		p.runner = r // it lingers
		it := removed(p, lane)
		require.True(t, r.end())
		collected(t, p, it)
	}
}

// A query that hangs keeps its own task only, not those that were to be queried after it.
func TestHangingQueryKeepsNoOtherTask(t *testing.T) {
	t.Parallel()
	p := New(unprepared)
	stuck := newTask(nil, 0, 0)
	entered, open := stuck.hold()
	p.mu.Lock() // one round for both
	p.addTo(p.lane(nil), &stuck.Item)
	it := newTask(nil, 0, 0)
	p.addTo(p.lane(nil), &it.Item)
	p.start()
	p.mu.Unlock()
	receive(t, "the query", entered)
	askedAgain(t, it) // by another runner
	assert.True(t, p.Remove(&it.Item))
	gone := weak.Make(it)
	it = nil
	collected(t, p, gone)
	stuck.finish(nil)
	open()
	receive(t, "the end", stuck.ended)
	idle(t, p)
}

// Nor does a runner that waits for work keep what it queried last.
func TestLingeringRunnerKeepsNoTask(t *testing.T) {
	t.Parallel()
	p := New(unprepared)
	r := &runner{poller: p}
	p.runner = r
	it := newTask("lane", 1, 1)
	p.Add(&it.Item)
	_, next := r.take(0, 0, 0)
	require.NotEqual(t, never, next)
	r.ask()
	assert.True(t, p.Remove(&it.Item))
	r.take(0, 0, 0)
	gone := weak.Make(it)
	it = nil
	collected(t, p, gone)
	runtime.KeepAlive(r)
}

// The same from outside: tasks come while the goroutine is about to end.
func TestRemovedTasksAreCollected(t *testing.T) {
	t.Parallel()
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	p := New(unprepared)
	for range rounds {
		first := newTask("lane", 1, 1)
		first.finish(nil)
		p.Add(&first.Item)
		receive(t, "the end", first.ended)
		time.Sleep(linger) // moves the next task to the runner's end; the result does not depend on it
		collected(t, p, removed(p, "lane"))
	}
	idle(t, p)
}
