package host

import (
	"fmt"
	"slices"
	"sync"
)

// Graph is the work of a capture, ready to be launched any number of times. It keeps alive what its
// nodes refer to.
type Graph struct {
	capture *capture // whose nodes these are
	plan    plan

	mu    sync.Mutex // taken before an event's and a queue's lock
	nodes []node     // their order is constant: behind all that they follow
	last  []*record  // the ends of the last launch's lanes
}

// node is one operation of a graph.
type node struct {
	op    op
	ev    *Event // to record or to wait for at each launch
	eng   *Engine
	after []int // the nodes it follows
}

// Node is a function of a graph, or of a capture in progress. The zero Node is none.
type Node struct {
	capture *capture
	id      int
}

func newGraph(c *capture, nodes []node) *Graph {
	return &Graph{capture: c, nodes: nodes, plan: planOf(nodes)}
}

// Len returns the number of operations in the graph.
func (g *Graph) Len() int { return len(g.nodes) }

// LastNode returns the node of the last function that was queued with Do on this queue in the
// capture in progress. It returns false if there is none.
func (q *Queue) LastNode() (Node, bool) {
	if q == nil {
		return Node{}, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.lockCapture()
	if c == nil {
		return Node{}, false
	}
	defer c.mu.Unlock()
	last := c.queues[q].lastDo
	if last == 0 {
		return Node{}, false
	}
	return Node{c, last - 1}, true
}

// Replace makes later launches run f in place of the node's function. Launches that are pending
// keep the one before. A graph's node is not a node of graphs that it was launched into.
func (g *Graph) Replace(n Node, f func() error) error {
	if g == nil || f == nil {
		return ErrNil
	}
	if n.capture != g.capture || n.capture == nil {
		return ErrNode
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.nodes[n.id].op.fn = f
	return nil
}

// Update makes later launches do what from does. The graphs must have the same shape: operations of
// the same kinds on the same engines, captured in the same order, that follow each other in the
// same way. Nodes of g stay nodes of g.
func (g *Graph) Update(from *Graph) error {
	if g == nil || from == nil {
		return ErrNil
	}
	from.mu.Lock()
	nodes := slices.Clone(from.nodes)
	from.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(nodes) != len(g.nodes) {
		return fmt.Errorf("%w: %d operations, not %d", ErrShape, len(nodes), len(g.nodes))
	}
	for i := range nodes {
		if !nodes[i].like(&g.nodes[i]) {
			return fmt.Errorf("%w: operation %d", ErrShape, i)
		}
	}
	g.nodes = nodes
	return nil
}

// like reports whether two nodes differ at most in what they work on.
func (n *node) like(m *node) bool {
	return n.op.kind == m.op.kind && n.op.gate == m.op.gate && n.eng == m.eng &&
		slices.Equal(n.after, m.after)
}
