package poll

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// counted is a task that is done once all are.
type counted struct {
	Item
	done *atomic.Bool
	left *atomic.Int64
}

func (c *counted) Query() (bool, error) { return c.done.Load(), nil }
func (c *counted) End(error)            { c.left.Add(-1) }

// orders are the orders in which tasks of a lane may come.
var orders = map[string]func(n int) []int{
	"in-order": func(n int) []int { return numbers(n) },
	"reverse":  func(n int) []int { all := numbers(n); slices.Reverse(all); return all },
	"random":   func(n int) []int { return rand.New(rand.NewPCG(1, 2)).Perm(n) },
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// release adds n tasks of one lane in the order, has them be done at once, and returns what that
// took.
func release(tb testing.TB, order []int) (adding, ending time.Duration) {
	p := New(unprepared)
	var done atomic.Bool
	var left atomic.Int64
	left.Store(int64(len(order)))
	began := time.Now()
	for _, i := range order {
		c := &counted{done: &done, left: &left}
		c.Task, c.Order = c, Order{"lane", uint32(i), uint32(i)}
		p.Add(&c.Item)
	}
	adding = time.Since(began)
	began = time.Now()
	done.Store(true)
	for left.Load() > 0 {
		if time.Since(began) > 5*testPatience {
			require.FailNow(tb, "the end did not happen")
		}
		runtime.Gosched()
	}
	return adding, time.Since(began)
}

// TestLaneOfManyTasks shows that a lane is not quadratic: at 100,000 tasks that would take minutes.
func TestLaneOfManyTasks(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	for name, order := range orders {
		adding, ending := release(t, order(n))
		t.Logf("%s: %d tasks added in %v, ended in %v", name, n, adding, ending)
		require.Less(t, adding+ending, 30*time.Second)
	}
}

func BenchmarkLane(b *testing.B) {
	for name, order := range orders {
		b.Run(name, func(b *testing.B) { release(b, order(b.N)) })
	}
}
