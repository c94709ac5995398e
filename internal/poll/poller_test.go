package poll

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errBroken = errors.New("broken")

func unprepared() {}

func TestOnlyTheOldestOfALaneIsAskedFor(t *testing.T) {
	p := New(unprepared)
	var all []*task
	for i := range uint32(8) {
		all = append(all, newTask("lane", i, i))
		p.Add(&all[i].Item)
	}
	askedAgain(t, all[0])
	for _, later := range all[1:] {
		assert.Zero(t, later.asked.Load())
	}
	all[0].finish(nil)
	require.NoError(t, receive(t, "the end", all[0].ended))
	askedAgain(t, all[1])
	assert.Zero(t, all[2].asked.Load())
	for _, it := range all[1:] {
		it.finish(nil)
	}
	for _, it := range all[1:] {
		require.NoError(t, receive(t, "the end", it.ended))
	}
	idle(t, p)
}

// A task that was handed over while another one was may be reached before it.
func TestOverlappingTasksAreAllAskedFor(t *testing.T) {
	p := New(unprepared)
	a, b, c := newTask("lane", 1, 2), newTask("lane", 2, 2), newTask("lane", 3, 3)
	for _, it := range []*task{a, b, c} {
		p.Add(&it.Item)
	}
	b.finish(nil)
	require.NoError(t, receive(t, "the end of the second", b.ended))
	askedAgain(t, a)
	assert.False(t, a.isOver())
	assert.Zero(t, c.asked.Load(), "it comes after both")
	a.finish(nil)
	c.finish(nil)
	require.NoError(t, receive(t, "the end of the first", a.ended))
	require.NoError(t, receive(t, "the end of the third", c.ended))
	idle(t, p)
}

// An older task that is added late is polled instead of those that it precedes.
func TestTasksComeInAnyOrder(t *testing.T) {
	p := New(unprepared)
	late, early := newTask("lane", 5, 5), newTask("lane", 1, 1)
	p.Add(&late.Item)
	askedAgain(t, late)
	p.Add(&early.Item)
	askedAgain(t, early)
	from := late.asked.Load()
	askedAgain(t, early)
	askedAgain(t, early)
	assert.LessOrEqual(t, late.asked.Load(), from+1)
	late.finish(nil)
	early.finish(nil)
	receive(t, "the end", early.ended)
	receive(t, "the end", late.ended)
	idle(t, p)
}

func TestNumbersWrapAround(t *testing.T) {
	p := New(unprepared)
	const top = ^uint32(0)
	a, b, c := newTask("lane", top-1, top-1), newTask("lane", top, 0), newTask("lane", 1, 1)
	for _, it := range []*task{c, b, a} {
		p.Add(&it.Item)
	}
	askedAgain(t, a)
	from := c.asked.Load()
	askedAgain(t, a)
	askedAgain(t, a)
	assert.LessOrEqual(t, c.asked.Load(), from+1)
	p.Passed("lane", 1) // a and b precede it
	require.NoError(t, receive(t, "the end", a.ended))
	require.NoError(t, receive(t, "the end", b.ended))
	askedAgain(t, c)
	assert.True(t, p.Remove(&c.Item))
	idle(t, p)
}

func TestPassedEndsWhatPrecedes(t *testing.T) {
	p := New(unprepared)
	var mu sync.Mutex
	var order []uint32
	var all []*task
	for i := range uint32(6) {
		it := newTask("lane", i, i)
		it.then = func(it *task) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, it.Order.Begin)
		}
		all = append(all, it)
		p.Add(&it.Item)
	}
	over := newTask("lane", 2, 9) // overlaps with all that come after it
	p.Add(&over.Item)
	p.Passed("other", 100)
	p.Passed("lane", 4)
	for _, it := range all[:4] {
		require.True(t, it.isOver(), "they have ended when Passed returns")
	}
	assert.False(t, all[4].isOver(), "the one with that number is the caller's")
	assert.False(t, over.isOver())
	p.Done(&all[5].Item)
	assert.True(t, all[4].isOver())
	assert.True(t, all[5].isOver())
	assert.False(t, over.isOver())
	mu.Lock()
	assert.Equal(t, []uint32{0, 1, 2, 3, 4, 5}, order)
	mu.Unlock()
	over.finish(nil)
	require.NoError(t, receive(t, "the end", over.ended))
	p.Done(&over.Item) // too late, and harmless
	assert.False(t, p.Remove(&over.Item))
	idle(t, p)
}

func TestDoneOfATaskWithoutLane(t *testing.T) {
	p := New(unprepared)
	a, b := newTask(nil, 0, 0), newTask(nil, 0, 0)
	p.Add(&a.Item)
	p.Add(&b.Item)
	p.Done(&a.Item)
	require.NoError(t, receive(t, "the end", a.ended))
	askedAgain(t, b)
	assert.False(t, b.isOver())
	assert.True(t, p.Remove(&b.Item))
	idle(t, p)
}

func TestFailureEndsOnlyItsTask(t *testing.T) {
	p := New(unprepared)
	a, b := newTask("lane", 1, 1), newTask("lane", 2, 2)
	p.Add(&a.Item)
	p.Add(&b.Item)
	a.finish(errBroken)
	require.ErrorIs(t, receive(t, "the end", a.ended), errBroken)
	askedAgain(t, b)
	assert.False(t, b.isOver())
	b.finish(nil)
	require.NoError(t, receive(t, "the end", b.ended))
	idle(t, p)
}

func TestLoosenedTaskIsAskedFor(t *testing.T) {
	p := New(unprepared)
	a, b, c := newTask("lane", 1, 1), newTask("lane", 2, 2), newTask("lane", 3, 3)
	for _, it := range []*task{a, b, c} {
		p.Add(&it.Item)
	}
	askedAgain(t, a)
	assert.Zero(t, b.asked.Load())
	p.Loosen(&b.Item)
	askedAgain(t, b)
	assert.Zero(t, c.asked.Load())
	p.Passed("lane", 3)
	assert.True(t, a.isOver())
	assert.False(t, b.isOver(), "the order of the lane does not hold for it")
	b.finish(nil)
	require.NoError(t, receive(t, "the end", b.ended))
	p.Loosen(&b.Item) // too late, and harmless
	p.Loosen(&c.Item)
	p.Loosen(&c.Item)
	c.finish(nil)
	require.NoError(t, receive(t, "the end", c.ended))
	idle(t, p)
}

// The last of many tasks may be queried before its turn, which saves queries of the others.
func TestLastOfManyEndsAllBeforeIt(t *testing.T) {
	const n = 1000
	p := New(unprepared)
	var mu sync.Mutex
	var order []uint32
	all := make([]*task, n)
	for i := range all {
		all[i] = newTask("lane", uint32(i), uint32(i))
		all[i].then = func(it *task) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, it.Order.Begin)
		}
		p.Add(&all[i].Item)
	}
	for i := n - 1; i >= 0; i-- {
		all[i].finish(nil)
	}
	asked := int64(0)
	for _, it := range all {
		require.NoError(t, receive(t, "the end", it.ended))
		asked += it.asked.Load()
	}
	mu.Lock()
	defer mu.Unlock()
	for i, begin := range order {
		require.EqualValues(t, i, begin)
	}
	t.Logf("%d questions for %d tasks", asked, n)
	assert.Less(t, asked-all[0].asked.Load(), int64(n/10))
	idle(t, p)
}

// Goroutines add, end and remove tasks of a few lanes whose work is done in order. Each task ends
// once or is removed, and those of a lane end in order unless they overlap.
func TestLanesAtRandom(t *testing.T) {
	const lanes, each, workers = 4, 400, 4
	p := New(unprepared)
	type order struct {
		sync.Mutex
		ends   []Order
		inside atomic.Int32
	}
	orders := make([]order, lanes)
	var removed, added atomic.Int64
	var wg sync.WaitGroup
	var mu [lanes]sync.Mutex
	var counter [lanes]uint32
	for w := range workers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(w)))
			for range each {
				n := random.IntN(lanes)
				o := &orders[n]
				mu[n].Lock()
				counter[n]++
				begin := counter[n]
				counter[n] += uint32(random.IntN(2))
				it := newTask(n, begin, counter[n])
				mu[n].Unlock()
				it.then = func(it *task) {
					assert.EqualValues(t, 1, o.inside.Add(1), "one End at a time")
					o.Lock()
					o.ends = append(o.ends, it.Order)
					o.Unlock()
					o.inside.Add(-1)
				}
				it.finish(nil)
				added.Add(1)
				p.Add(&it.Item)
				switch random.IntN(4) {
				case 0:
					if p.Remove(&it.Item) {
						removed.Add(1)
						continue
					}
				case 1:
					p.Done(&it.Item)
				case 2:
					p.Passed(n, begin)
				}
				assert.NoError(t, receive(t, "the end", it.ended))
				assert.False(t, it.twice.Load())
			}
		})
	}
	wg.Wait()
	ends := 0
	for i := range orders {
		ends += len(orders[i].ends)
	}
	assert.EqualValues(t, added.Load(), int64(ends)+removed.Load())
	idle(t, p)
}
