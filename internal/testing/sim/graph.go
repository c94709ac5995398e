package sim

import (
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/host"
)

// graph is the result of a capture, or an executable graph. Its nodes never change.
type graph struct {
	object
	origin   *context // where it was captured
	nodes    []*node
	autoFree bool // a launch frees what the one before has allocated
	keepers  keepers
}

// node is one piece of captured work.
type node struct {
	object      // its handle, if one was asked for
	id      int // its place in the graph, behind all that it depends on
	context *context
	after   []*node
	event   *event // that it records or waits for; the graph does not keep it alive
	what    nodeType
	memory  memoryStep
	lay     func(*host.Queue) error

	kernel atomic.Pointer[kernelLaunch] // in place of lay; only in an executable graph it changes
	source *node                        // in an executable graph: the node that it was made from
}

// put puts the node's work on a queue.
func (n *node) put(q *host.Queue) error {
	if l := n.kernel.Load(); l != nil {
		return l.lay(q)
	}
	return n.lay(q)
}

// copies returns nodes like these, which depend on each other in the same way. Those that depend on
// none depend on begin.
func copies(nodes, begin []*node) []*node {
	made := make([]*node, len(nodes))
	for i, n := range nodes {
		m := &node{id: i, context: n.context, event: n.event, what: n.what, lay: n.lay, memory: n.memory,
			source: n}
		m.kernel.Store(n.kernel.Load())
		for _, d := range n.after {
			m.after = append(m.after, made[d.id])
		}
		if len(n.after) == 0 {
			m.after = begin
		}
		made[i] = m
	}
	return made
}

// recordNode records an event at every launch.
func recordNode(e *event) *node {
	return &node{event: e, what: recordNodeType, lay: func(q *host.Queue) error {
		e.place.Store(nil)
		_, err := q.Record(e.event)
		return err
	}}
}

// waitNode waits at every launch for what the event's newest record is then.
func waitNode(e *event) *node {
	return &node{event: e, what: waitNodeType,
		lay: func(q *host.Queue) error { return q.WaitEvent(e.event) }}
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
		if err := n.put(l.queue); err != nil {
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
	made := copies(nodes, c.tails[s])
	inner := make([]bool, len(nodes))
	for i, n := range nodes {
		for _, d := range n.after {
			inner[d.id] = true
		}
		made[i].id, made[i].source = len(c.nodes), nil
		c.nodes = append(c.nodes, made[i])
	}
	var tail []*node
	for i, m := range made {
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
	f.joinGraph(f.nodesOf(g))
	x := &graph{origin: g.origin, nodes: copies(f.nodesOf(g), nil),
		autoFree: flags&graphAutoFree != 0}
	x.object.graph = x
	f.keepToo(x, g)
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
	nodes := f.nodesOf(x)
	for _, n := range nodes {
		if n.event != nil && f.handles.find(n.event.handle) != &n.event.object {
			return f.dead(call, n.event.handle, eventKind)
		}
		if l := n.kernel.Load(); l != nil && !l.alive() {
			return f.dead(call, l.entry.handle, functionKind)
		}
	}
	if c := st.capture.Load(); c != nil {
		if hasMemory(nodes) { // no graph that allocates can be part of another
			return notSupported
		}
		return f.embed(c, st, nodes)
	}
	if c := f.legacyMayWork(st); c != success {
		return c
	}
	st.tells()
	if c := f.launchMemory(call, x); c != success {
		return c
	}
	done := codeOf(launch(nodes, st))
	f.launchedGraph(x, st)
	return done
}

func (f *face) graphDestroy(call string, h uintptr, k kind) code {
	g, fault := f.graph(call, h, k)
	if fault != success {
		return fault
	}
	if f.end(&g.object) {
		f.captureMu.Lock()
		f.letGo(g)
		f.captureMu.Unlock()
		f.leaveGraph(f.nodesOf(g))
		if k == graphKind {
			f.forget(f.nodesOf(g))
		}
	}
	return success
}
