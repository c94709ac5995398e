package host

import "fmt"

// NodeKind is what a node of a graph does.
type NodeKind uint8

// Kinds of nodes.
const (
	NodeDo     NodeKind = iota // run a function
	NodeDelay                  // let time pass
	NodeGate                   // wait for a gate
	NodeRecord                 // record an event
	NodeWait                   // wait for what an event's newest record is at the launch
)

var nodeNames = [...]string{"Do", "Delay", "Gate", "Record", "Wait"}

// String is the kind's name.
func (k NodeKind) String() string {
	if int(k) < len(nodeNames) {
		return nodeNames[k]
	}
	return fmt.Sprintf("NodeKind(%d)", uint8(k))
}

type node struct {
	id    int // its place in the graph, behind all that it depends on
	kind  NodeKind
	op    op
	event *Event
	deps  []*node
	eng   *Engine // of the queue where it was captured
}

// Node describes one operation of a graph.
type Node struct {
	ID    int
	Kind  NodeKind
	After []int  // the nodes that it depends on
	Event *Event // of Record and Wait
}

// Graph is the outcome of a capture: operations and what each depends on. It never changes and can be launched any number of times; launches
// are ordered by their queues only.
type Graph struct{ nodes []*node }

// Nodes lists the operations, each behind those that it depends on.
func (g *Graph) Nodes() []Node {
	out := make([]Node, len(g.nodes))
	for i, n := range g.nodes {
		out[i] = Node{ID: n.id, Kind: n.kind, Event: n.event}
		for _, d := range n.deps {
			out[i].After = append(out[i].After, d.id)
		}
	}
	return out
}

// Launch queues the whole graph on q: it begins when q comes to it, independent branches run beside each other, and what q has next waits
// for all of it. In a capture the graph's nodes become part of the one being made. A failure within the graph fails q.
func (g *Graph) Launch(q *Queue) error {
	if g == nil || q == nil {
		return ErrNil
	}
	for _, n := range g.nodes {
		if n.event != nil && n.event.closed.Load() {
			return fmt.Errorf("graph node %d (%s): %w", n.id, n.kind, ErrClosed)
		}
	}
	if err := q.implicit(); err != nil {
		return err
	}
	if c := q.capture.Load(); c != nil {
		return c.embed(q, g)
	}
	if err := q.usable(); err != nil {
		return err
	}
	joins := q.joins()
	start := newRecord()
	ends, err := g.lay(q, start)
	if err == nil {
		q.mu.Lock()
		if q.closed {
			err = ErrClosed
			q.mu.Unlock()
		}
	}
	if err != nil {
		var w wake
		start.complete(0, err, &w)
		w.flush()
		return err
	}
	q.pushJoins(joins)
	q.ops.push(op{kind: opRecord, rec: start})
	for _, p := range ends {
		q.ops.push(op{kind: opWait, rec: p.rec})
	}
	q.kick()
	return nil
}

// lay puts the nodes on queues of their own, one per branch, all waiting for start. It returns the ends of the branches.
func (g *Graph) lay(q *Queue, start *record) ([]Point, error) {
	type lane struct {
		queue *Queue
		tail  *node
	}
	laneOf := make([]*lane, len(g.nodes))
	after := make([]Point, len(g.nodes))
	inner := make([]bool, len(g.nodes)) // something depends on it
	for i, n := range g.nodes {
		var l *lane
		for _, d := range n.deps {
			inner[d.id] = true
			if l == nil && laneOf[d.id].tail == d && laneOf[d.id].queue.eng == n.eng {
				l = laneOf[d.id]
			}
		}
		if l == nil {
			l = &lane{queue: &Queue{eng: n.eng, id: q.id, priority: q.priority, nonBlocking: true}}
			if err := l.queue.Wait(Point{start}); err != nil {
				return nil, err
			}
		}
		for _, d := range n.deps {
			if laneOf[d.id] != l {
				if err := l.queue.Wait(after[d.id]); err != nil {
					return nil, err
				}
			}
		}
		l.tail, laneOf[i] = n, l
		if err := n.enqueue(l.queue); err != nil {
			return nil, err
		}
		after[i] = l.queue.mark()
	}
	var ends []Point
	for i := range g.nodes {
		if !inner[i] && after[i].rec != nil {
			ends = append(ends, after[i])
		}
	}
	return ends, nil
}

func (n *node) enqueue(q *Queue) error {
	switch n.kind {
	case NodeRecord:
		_, err := q.Record(n.event)
		return err
	case NodeWait:
		return q.WaitEvent(n.event)
	default:
		return q.submit(n.op, n.kind, nil)
	}
}

// embed adds the nodes of g to the capture, behind what q has done in it.
func (c *Capture) embed(q *Queue, g *Graph) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.check(); err != nil {
		return err
	}
	if len(g.nodes) == 0 {
		return nil
	}
	copies := make([]*node, len(g.nodes))
	inner := make([]bool, len(g.nodes))
	for i, n := range g.nodes {
		m := &node{id: len(c.nodes), kind: n.kind, op: n.op, event: n.event, eng: n.eng}
		for _, d := range n.deps {
			inner[d.id] = true
			m.deps = append(m.deps, copies[d.id])
		}
		if len(n.deps) == 0 {
			m.deps = c.tails[q]
		}
		copies[i] = m
		c.nodes = append(c.nodes, m)
	}
	var tail []*node
	for i, m := range copies {
		if !inner[i] {
			tail = append(tail, m)
		}
	}
	c.tails[q] = tail
	return nil
}

// WaitExternal is WaitEvent, but in a capture it becomes a node of the graph that waits at every launch for what the event's newest record is then.
func (q *Queue) WaitExternal(ev *Event) error {
	if q == nil || ev == nil {
		return ErrNil
	}
	q.mu.Lock()
	if c := q.capture.Load(); c != nil {
		defer q.mu.Unlock()
		if ev.closed.Load() {
			return ErrClosed
		}
		return c.append(q, NodeWait, op{}, ev)
	}
	q.mu.Unlock()
	return q.WaitEvent(ev)
}
