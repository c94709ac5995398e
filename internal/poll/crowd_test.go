package poll

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crowded returns a poller with n lanes whose tasks stay pending, after they have come to rest, and
// a function that removes them.
func crowded(t *testing.T, n int) (p *Poller, end func()) {
	p = New(unprepared)
	all := make([]*task, n)
	for i := range all {
		all[i] = newTask(i, 1, 1)
		p.Add(&all[i].Item)
	}
	eventually(t, "rest", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.agenda.seldom) == n
	})
	return p, func() {
		for _, it := range all {
			assert.True(t, p.Remove(&it.Item))
		}
		idle(t, p)
	}
}

// A round has few of many stuck tasks, so that one that ends has not to wait for all of them.
func TestStuckTasksDelayNoOther(t *testing.T) {
	const n = 10_000
	p, end := crowded(t, n)
	defer end()
	first := p.Stats().Queries // the round in which they came to the front may still go on
	eventually(t, "a cycle", func() bool { return p.Stats().Queries > first+n })
	p.mu.Lock()
	rounds, queries := p.stats.Rounds, p.stats.Queries
	p.mu.Unlock()
	eventually(t, "two cycles", func() bool { return p.Stats().Queries > queries+2*n })
	s := p.Stats()
	perRound := float64(s.Queries-queries) / float64(s.Rounds-rounds)
	assert.LessOrEqual(t, perRound, 65.0)
}

// How late an end of one lane is noticed beside many that are stuck; a figure, since machines with
// other work differ.
func TestDelayBesideStuckTasks(t *testing.T) {
	for _, n := range []int{0, 10_000} {
		p, end := crowded(t, n)
		var late []time.Duration
		for i := range 100 {
			it := newTask("active", uint32(i), uint32(i))
			p.Add(&it.Item)
			time.Sleep(2 * time.Millisecond)
			began := time.Now()
			it.finish(nil)
			require.NoError(t, receive(t, "the end", it.ended))
			late = append(late, time.Since(began))
		}
		slices.Sort(late)
		t.Logf("beside %d: median %v, 90 %% %v, longest %v", n, late[50], late[90], late[99])
		end()
	}
}

// Items that come without end keep no other from being queried.
func TestFreshItemsDelayNoOther(t *testing.T) {
	t.Parallel()
	for _, often := range []bool{true, false} {
		p := New(unprepared)
		r := &runner{poller: p}
		p.runner = r // which makes no queries
		old := newTask("old", 1, 1)
		p.Add(&old.Item)
		_, _ = r.take(0, 0, 0)
		require.Contains(t, r.items, &old.Item)
		if !often {
			old.lane.pace.often = false
			p.agenda.put(&old.lane.pace, 0)
		}
		taken := false
		for i := range uint32(3) {
			p.Add(&newTask(i, 1, 1).Item)
			_, _ = r.take(time.Second, 0, 0)
			taken = taken || slices.Contains(r.items, &old.Item)
		}
		assert.True(t, taken)
	}
}
