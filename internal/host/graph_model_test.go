package host

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program is a random sequence of operations on several queues: the first forks to the others and
// is joined by them. The same program runs directly and as a graph.
type program struct {
	queues int
	steps  []step
	inner  []*program // launched as graphs of their own
}

type step struct {
	queue int
	kind  string // "do", "record", "wait", "graph"
	arg   int    // number of the event or of the inner program
}

func randomProgram(r *rand.Rand, depth int) *program {
	p := &program{queues: 1 + r.IntN(4)}
	recorded := 0 // events 0 to recorded-1 are recorded
	add := func(q int, kind string, arg int) { p.steps = append(p.steps, step{q, kind, arg}) }
	record := func(q int) int { add(q, "record", recorded); recorded++; return recorded - 1 }
	for range r.IntN(3) {
		add(0, "do", 0)
	}
	fork := record(0)
	for q := 1; q < p.queues; q++ {
		add(q, "wait", fork)
	}
	for range r.IntN(25) {
		q := r.IntN(p.queues)
		switch n := r.IntN(10); {
		case n < 4:
			add(q, "do", 0)
		case n < 6:
			record(q)
		case n < 9:
			add(q, "wait", r.IntN(recorded))
		case depth > 0:
			p.inner = append(p.inner, randomProgram(r, depth-1))
			add(q, "graph", len(p.inner)-1)
		}
	}
	for q := 1; q < p.queues; q++ {
		add(0, "wait", record(q))
	}
	return p
}

// set is a set of the numbers of functions.
type set map[int]bool

func (s set) with(o set) set {
	u := set{}
	for _, from := range []set{s, o} {
		for i := range from {
			u[i] = true
		}
	}
	return u
}

// order is the model: it appends, for each function in the order of the program, all functions that
// it follows. It returns those that the program's end follows.
func (p *program) order(before set, follows []set) (set, []set) {
	passed := make([]set, p.queues)
	passed[0] = before
	events := map[int]set{}
	for _, s := range p.steps {
		at := &passed[s.queue]
		switch s.kind {
		case "do":
			follows = append(follows, *at)
			*at = at.with(set{len(follows) - 1: true})
		case "record":
			events[s.arg] = *at
		case "wait":
			*at = at.with(events[s.arg])
		case "graph":
			*at, follows = p.inner[s.arg].order(*at, follows)
		}
	}
	return passed[0], follows
}

// run queues the program's operations: on q and on new queues. Functions take their numbers from
// next.
func (p *program) run(t *testing.T, q *Queue, next *int, do func(int) func() error) {
	queues := []*Queue{q}
	for len(queues) < p.queues {
		queues = append(queues, newQueue(t, q.Engine()))
	}
	events := map[int]*Event{}
	for _, s := range p.steps {
		on := queues[s.queue]
		switch s.kind {
		case "do":
			require.NoError(t, on.Do(do(*next)))
			*next++
		case "record":
			events[s.arg] = newEvent(t, q.Engine())
			_, err := on.Record(events[s.arg])
			require.NoError(t, err)
		case "wait":
			require.NoError(t, on.WaitEvent(events[s.arg]))
		case "graph":
			require.NoError(t, p.inner[s.arg].capture(t, q.Engine(), next, do).Launch(on))
		}
	}
}

func (p *program) capture(t *testing.T, e *Engine, next *int, do func(int) func() error) *Graph {
	return capturing(t, e, func(q *Queue) { p.run(t, q, next, do) })
}

// trace checks the order of the functions as they run, and computes a result from it.
type trace struct {
	t       *testing.T
	follows []set
	runs    []atomic.Int64
	values  []atomic.Uint64
}

func newTrace(t *testing.T, follows []set) *trace {
	return &trace{t, follows, make([]atomic.Int64, len(follows)),
		make([]atomic.Uint64, len(follows))}
}

func (x *trace) do(i int) func() error {
	return func() error {
		value := uint64(i)*0x9e3779b97f4a7c15 + x.values[i].Load()
		n := x.runs[i].Load() + 1
		for d := range x.follows[i] {
			assert.Equal(x.t, n, x.runs[d].Load(), "%d follows %d", i, d)
			value += 31 * x.values[d].Load() // the order of the sum does not matter
		}
		x.values[i].Store(value)
		x.runs[i].Store(n)
		return nil
	}
}

func (x *trace) results() (all []uint64) {
	for i := range x.values {
		all = append(all, x.values[i].Load())
	}
	return all
}

// TestGraphsMatchTheModel runs random programs directly and as graphs. Both must respect the
// model's order and have the same results, and the graph must have no other order than the model.
func TestGraphsMatchTheModel(t *testing.T) {
	t.Parallel()
	const launches = 3
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := randomProgram(rand.New(rand.NewPCG(seed, 10)), 2)
			_, follows := p.order(set{}, nil)
			e := New(Options{})

			direct, q := newTrace(t, follows), newQueue(t, e)
			for range launches {
				n := 0
				p.run(t, q, &n, direct.do)
				require.Equal(t, len(follows), n)
			}
			require.NoError(t, q.Sync())

			captured, n := newTrace(t, follows), 0
			g := p.capture(t, e, &n, captured.do)
			assert.Equal(t, follows, orderOf(g))
			for i := range launches { // which may not overlap, though on several queues
				if i > 0 {
					q = newQueue(t, e)
				}
				require.NoError(t, g.Launch(q))
			}
			require.NoError(t, e.Sync())
			assert.Equal(t, direct.results(), captured.results())
		})
	}
}

// orderOf returns the nodes that each node runs behind, as its lanes and waits make it.
func orderOf(g *Graph) []set {
	var all []set
	last := make([]int, len(g.plan.lanes))
	for id := range g.nodes {
		at := g.plan.places[id]
		behind := set{}
		if n := last[at.lane]; n > 0 {
			behind = all[n-1].with(set{n - 1: true})
		}
		for _, d := range at.waits {
			behind = behind.with(all[d]).with(set{d: true})
		}
		last[at.lane] = id + 1
		all = append(all, behind)
	}
	return all
}
