package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// graph is the result of a capture, or an executable graph. Its nodes never change.
type graph struct {
	object
	nodes    []*node
	autoFree bool // a launch frees what the one before has allocated
}

// node is one piece of captured work.
type node struct {
	id      int // its place in the graph, behind all that it depends on
	context *context
	after   []*node
	event   *event // that it records or waits for; the graph does not keep it alive
	memory  memoryStep
	lay     func(*host.Queue) error
}

// recordNode records an event at every launch.
func recordNode(e *event) *node {
	return &node{event: e, lay: func(q *host.Queue) error {
		e.place.Store(nil)
		_, err := q.Record(e.event)
		return err
	}}
}

// waitNode waits at every launch for what the event's newest record is then.
func waitNode(e *event) *node {
	return &node{event: e, lay: func(q *host.Queue) error { return q.WaitEvent(e.event) }}
}

// launch puts nodes on queues of their own, one per branch, that begin when s comes to it. The next
// work of s waits for all of them, and fails if they do.
func launch(nodes []*node, s *stream) error {
	if err := s.queue.Delay(0); err != nil { // adds the order with the legacy stream
		return err
	}
	start, err := s.queue.Mark()
	if err != nil {
		return err
	}
	hold := host.NewGate()
	ends, err := lay(nodes, s, start, hold.Point())
	if err != nil {
		hold.Fail(err)
		return err
	}
	for _, p := range ends {
		if err == nil {
			err = s.queue.Wait(p)
		}
	}
	hold.Open()
	return err
}

// lay puts the nodes on queues, behind the points given. It returns the ends of the branches.
func lay(nodes []*node, s *stream, begin ...host.Point) (ends []host.Point, err error) {
	type lane struct {
		queue *host.Queue
		tail  *node
	}
	laneOf := make([]*lane, len(nodes))
	after := make([]host.Point, len(nodes))
	inner := make([]bool, len(nodes)) // something depends on it
	for i, n := range nodes {
		var l *lane
		for _, d := range n.after {
			inner[d.id] = true
			on := laneOf[d.id]
			if l == nil && on.tail == d && on.queue.Engine() == n.context.engine {
				l = on
			}
		}
		var waits []host.Point
		if l == nil {
			l, waits = &lane{}, begin
			o := host.QueueOptions{NonBlocking: true, Priority: s.priority}
			if l.queue, err = n.context.engine.NewQueue(o); err != nil {
				return nil, err
			}
		}
		for _, d := range n.after {
			if laneOf[d.id] != l {
				waits = append(waits[:len(waits):len(waits)], after[d.id])
			}
		}
		for _, p := range waits {
			if err := l.queue.Wait(p); err != nil {
				return nil, err
			}
		}
		l.tail, laneOf[i] = n, l
		if err := n.lay(l.queue); err != nil {
			return nil, err
		}
		if after[i], err = l.queue.Mark(); err != nil {
			return nil, err
		}
	}
	for i := range nodes {
		if !inner[i] {
			ends = append(ends, after[i])
		}
	}
	return ends, nil
}

// embed adds nodes to the capture that s is in, behind what s has done there.
func (f *face) embed(c *capture, s *stream, nodes []*node) code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if fault := c.refuses(); fault != success || len(nodes) == 0 {
		return fault
	}
	copies := make([]*node, len(nodes))
	inner := make([]bool, len(nodes))
	for i, n := range nodes {
		m := &node{id: len(c.nodes), context: n.context, event: n.event, lay: n.lay}
		for _, d := range n.after {
			inner[d.id] = true
			m.after = append(m.after, copies[d.id])
		}
		if len(n.after) == 0 {
			m.after = c.tails[s]
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
	c.tails[s] = tail
	return success
}

// graph resolves a handle of a graph, or of an executable one.
func (f *face) graph(call string, h uintptr, k kind) (*graph, code) {
	if o := f.handles.find(h); o != nil && o.kind == k {
		return o.graph, success
	}
	return nil, f.dead(call, h, k)
}

func (f *face) graphInstantiate(call string, out *uintptr, h uintptr, flags uint64) code {
	if out == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return fault
	}
	if f.instantiated(g) {
		return notSupported
	}
	f.joinGraph(g.nodes)
	x := &graph{nodes: g.nodes, autoFree: flags&graphAutoFree != 0}
	x.object.graph = x
	*out = f.begin(&x.object, execKind)
	return success
}

func (f *face) graphLaunch(call string, h, s uintptr) code {
	x, fault := f.graph(call, h, execKind)
	if fault != success {
		return fault
	}
	st, fault := f.stream(call, s)
	if fault != success {
		return fault
	}
	for _, n := range x.nodes {
		if n.event != nil && f.handles.find(n.event.handle) != &n.event.object {
			return f.dead(call, n.event.handle, eventKind)
		}
	}
	if c := st.capture.Load(); c != nil {
		if hasMemory(x.nodes) { // no graph that allocates can be part of another
			return notSupported
		}
		return f.embed(c, st, x.nodes)
	}
	if c := f.legacyMayWork(st); c != success {
		return c
	}
	st.tells()
	if c := f.launchMemory(call, x); c != success {
		return c
	}
	return codeOf(launch(x.nodes, st))
}

func (f *face) graphDestroy(call string, h uintptr, k kind) code {
	g, fault := f.graph(call, h, k)
	if fault != success {
		return fault
	}
	if f.end(&g.object) {
		f.leaveGraph(g.nodes)
	}
	return success
}

func (f *face) graphNodes(call string, h uintptr, nodes *uintptr, n *uintptr) code {
	if n == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return fault
	}
	all := len(g.nodes)
	if nodes == nil {
		*n = uintptr(all)
		return success
	}
	out := unsafe.Slice(nodes, *n)
	for i := range out { // nulls beyond the last; no function here takes a node
		if out[i] = 0; i < all {
			out[i] = uintptr(unsafe.Pointer(g.nodes[i]))
		}
	}
	*n = min(*n, uintptr(all))
	return success
}
