package poll

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHangingQuestionHoldsUpItsOwnTaskOnly(t *testing.T) {
	var prepared atomic.Int64
	p := New(func() { prepared.Add(1) })
	stuck, behind := newTask("stuck", 1, 1), newTask("stuck", 2, 2)
	entered, open := stuck.hold()
	p.Add(&stuck.Item)
	p.Add(&behind.Item)
	receive(t, "the question", entered)
	other, loose := newTask("other", 1, 1), newTask(nil, 0, 0)
	other.finish(nil)
	loose.finish(errBroken)
	p.Add(&other.Item)
	p.Add(&loose.Item)
	require.NoError(t, receive(t, "the end", other.ended))
	require.ErrorIs(t, receive(t, "the end", loose.ended), errBroken)
	assert.EqualValues(t, 2, prepared.Load(), "a second goroutine carries on")
	assert.False(t, stuck.isOver())
	assert.True(t, p.Busy())
	stuck.finish(nil)
	behind.finish(nil)
	open() // the answer of the replaced goroutine counts
	require.NoError(t, receive(t, "the end", stuck.ended))
	require.NoError(t, receive(t, "the end", behind.ended))
	assert.False(t, stuck.twice.Load())
	idle(t, p)
}

func TestManyQuestionsMayHang(t *testing.T) {
	p := New(unprepared)
	var opens []func()
	var stuck []*task
	for range 5 {
		it := newTask(new(int), 1, 1) // in a lane of its own
		entered, open := it.hold()
		p.Add(&it.Item)
		receive(t, "the question", entered)
		opens, stuck = append(opens, open), append(stuck, it)
	}
	free := newTask("free", 1, 1)
	free.finish(nil)
	p.Add(&free.Item)
	require.NoError(t, receive(t, "the end", free.ended))
	for i, open := range opens {
		stuck[i].finish(nil)
		open()
	}
	for _, it := range stuck {
		require.NoError(t, receive(t, "the end", it.ended))
	}
	idle(t, p)
	eventually(t, "the end of all goroutines", func() bool { return runners() == 0 })
}

func TestRemovedWhileItIsAskedFor(t *testing.T) {
	for _, lane := range []any{nil, "lane"} {
		p := New(unprepared)
		it, next := newTask(lane, 1, 1), newTask(lane, 2, 2)
		entered, open := it.hold()
		it.finish(nil)
		p.Add(&it.Item)
		receive(t, "the question", entered)
		p.Add(&next.Item)
		assert.True(t, p.Remove(&it.Item))
		assert.False(t, p.Remove(&it.Item))
		askedAgain(t, next) // though the other question still hangs
		open()
		next.finish(nil)
		require.NoError(t, receive(t, "the end", next.ended))
		idle(t, p)
		assert.False(t, it.isOver(), "its End is not called")
	}
}

func TestDoneAndLoosenedWhileAskedFor(t *testing.T) {
	p := New(unprepared)
	it := newTask("lane", 1, 1)
	entered, open := it.hold()
	p.Add(&it.Item)
	receive(t, "the question", entered)
	p.Loosen(&it.Item)
	p.Done(&it.Item)
	require.NoError(t, receive(t, "the end", it.ended), "the question still hangs")
	it.finish(errBroken)
	open()
	idle(t, p)
	assert.False(t, it.isOver(), "it ends once")
}

// End may add and remove tasks, and tell what has passed.
func TestEndMayUseThePoller(t *testing.T) {
	p := New(unprepared)
	a, b, c := newTask("lane", 1, 1), newTask("lane", 2, 2), newTask("lane", 3, 3)
	a.then = func(*task) {
		p.Add(&c.Item)
		p.Passed("lane", 3)
	}
	p.Add(&a.Item)
	p.Add(&b.Item)
	a.finish(nil)
	require.NoError(t, receive(t, "the end", a.ended))
	require.NoError(t, receive(t, "the end", b.ended))
	assert.True(t, p.Remove(&c.Item))
	idle(t, p)
}

func TestGoroutineEndsWhenThereIsNothingToAskFor(t *testing.T) {
	var prepared atomic.Int64
	p := New(func() { prepared.Add(1) })
	assert.False(t, p.Busy())
	for range 3 {
		it := newTask("lane", 1, 1)
		p.Add(&it.Item)
		askedAgain(t, it)
		it.finish(nil)
		require.NoError(t, receive(t, "the end", it.ended))
		idle(t, p)
		eventually(t, "the end of the goroutine", func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.runner == nil
		})
	}
	assert.EqualValues(t, 3, prepared.Load())
	eventually(t, "the end of all goroutines", func() bool { return runners() == 0 })
}

// Slow queries are made seldom: the poller rests nine times as long as it has worked.
func TestSlowQuestionsLeaveTheProcessor(t *testing.T) {
	p := New(unprepared)
	it := newTask("lane", 1, 1)
	slow := func() {
		for began := time.Now(); time.Since(began) < 2*time.Millisecond; { // busy, as a driver is
		}
	}
	it.before.Store(&slow)
	p.Add(&it.Item)
	eventually(t, "a question", func() bool { return it.asked.Load() > 0 })
	from, began := it.asked.Load(), time.Now()
	eventually(t, "questions", func() bool { return it.asked.Load() >= from+5 })
	took := time.Since(began)
	t.Logf("5 questions of 2 ms took %v", took)
	assert.Greater(t, took, 45*time.Millisecond, "half of the aim")
	assert.True(t, p.Remove(&it.Item))
	idle(t, p)
}

// If a task is done, so are those before it, even one whose query hangs: they end in their order.
func TestOrderIsKeptWhereAQuestionHangs(t *testing.T) {
	p := New(unprepared)
	var order []string
	stuck, behind, last := newTask("lane", 1, 1), newTask("lane", 2, 2), newTask("lane", 3, 3)
	for name, it := range map[string]*task{"stuck": stuck, "behind": behind, "last": last} {
		it.then = func(*task) { order = append(order, name) } // one after the other
	}
	entered, open := stuck.hold()
	p.Add(&stuck.Item)
	receive(t, "the question", entered)
	p.Add(&behind.Item)
	p.Add(&last.Item)
	askedAgain(t, behind)
	behind.finish(nil)
	require.NoError(t, receive(t, "the end", stuck.ended))
	require.NoError(t, receive(t, "the end", behind.ended))
	last.finish(nil)
	require.NoError(t, receive(t, "the end", last.ended))
	open()
	idle(t, p)
	assert.Equal(t, []string{"stuck", "behind", "last"}, order)
	assert.Empty(t, stuck.ended, "it ends once")
}
