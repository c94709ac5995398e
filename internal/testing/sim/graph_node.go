package sim

import (
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/host"
)

// node is one piece of work of a graph. The face's captureMu guards what changes.
type node struct {
	object            // its handle, if one was asked for
	id       int      // of an executable graph's node: its place
	local    uint32   // its number in its graph
	graph    *graph   // of a captured one nil, until the graph is asked for
	context  *context // nil: that of the stream where it is launched
	after    []*node
	what     nodeType
	memory   memoryStep
	child    *graph  // of a child graph node
	choice   *choice // of a conditional node
	bodies   []*graph
	handles  []uintptr // of the bodies, for C
	source   *node     // in an executable graph or a clone: the node that it was made from
	disabled atomic.Bool
	spec     atomic.Pointer[nodeSpec]
}

// nodeSpec is the work of a node, which can be replaced. It never changes.
type nodeSpec struct {
	lay    func(*host.Queue) error
	kernel *kernelLaunch // of a kernel node
	event  *event        // that it records or waits for; the graph does not keep it alive
	params any           // as the node was given them: a *copyNode, *fillNode, *hostNode or *allocNode
}

func newNode(what nodeType, spec nodeSpec) *node {
	n := &node{what: what}
	n.spec.Store(&spec)
	return n
}

func emptyNode() *node { return newNode(emptyNodeType, nodeSpec{lay: pass}) }

// pass is work that does nothing.
func pass(q *host.Queue) error { return q.Delay(0) }

// put puts the node's work on a queue.
func (n *node) put(q *host.Queue) error {
	if n.disabled.Load() {
		return pass(q)
	}
	return n.spec.Load().lay(q)
}

// engine returns the device that works for the node when it is launched on s.
func (n *node) engine(s *stream) *host.Engine {
	if n.context == nil {
		return s.context.engine
	}
	return n.context.engine
}

// recordSpec records an event at every launch.
func recordSpec(e *event) nodeSpec {
	return nodeSpec{event: e, lay: func(q *host.Queue) error {
		e.place.Store(nil)
		return e.record(q)
	}}
}

// waitSpec waits at every launch for what the event's newest record is then.
func waitSpec(e *event) nodeSpec {
	return nodeSpec{event: e, lay: e.wait}
}

func recordNode(e *event) *node { return newNode(recordNodeType, recordSpec(e)) }

func waitNode(e *event) *node { return newNode(waitNodeType, waitSpec(e)) }

// nodeType has the numbers that both vendors use.
type nodeType int32

const (
	kernelNodeType nodeType = 0
	memcpyNodeType nodeType = 1
	memsetNodeType nodeType = 2
	hostNodeType   nodeType = 3
	childNodeType  nodeType = 4
	emptyNodeType  nodeType = 5 // also what tests give a stream to do
	waitNodeType   nodeType = 6
	recordNodeType nodeType = 7
	allocNodeType  nodeType = 10
	freeNodeType   nodeType = 11

	conditionalNodeType nodeType = 13 // CUDA's alone
)

// nodeHandle returns the handle of a graph's node, which gets it when somebody asks. The caller
// holds captureMu.
func (f *face) nodeHandle(n *node) uintptr {
	if n.handle == 0 {
		n.object.node = n
		f.begin(&n.object, nodeKind)
	}
	return n.handle
}

// forget ends the handles of nodes.
func (f *face) forget(nodes []*node) {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	f.forgetLocked(nodes)
}

func (f *face) forgetLocked(nodes []*node) {
	for _, n := range nodes {
		if n.handle != 0 {
			f.end(&n.object)
		}
		for _, g := range n.inner() {
			f.forgetLocked(g.nodes)
			f.letGo(g)
			if g.handle != 0 {
				f.end(&g.object)
			}
		}
	}
}

// inner returns the graphs that are part of a node.
func (n *node) inner() []*graph {
	if n.child != nil {
		return []*graph{n.child}
	}
	return n.bodies
}

// graphOf returns the graph of a capture's nodes. The caller holds captureMu.
func (f *face) graphOf(c *capture) *graph {
	if c.graph == nil {
		c.graph = f.newGraph(c.origin.context)
		c.graph.capture = c
		f.begin(&c.graph.object, graphKind)
	}
	g := c.graph
	g.nodes = c.nodes
	first := len(g.nodes)
	for first > 0 && g.nodes[first-1].graph != g {
		first--
	}
	for _, n := range g.nodes[first:] {
		g.own(n)
	}
	return g
}

// discard ends the handles of a capture that has failed. The caller holds captureMu.
func (f *face) discard(c *capture) {
	if c.given { // what was captured until then stays in it
		return
	}
	f.forgetLocked(c.nodes)
	if c.graph != nil {
		f.end(&c.graph.object)
		f.letGo(c.graph)
	}
}

// nodesOf returns the nodes that a graph has now.
func (f *face) nodesOf(g *graph) []*node {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	return g.nodes
}

// node resolves the handle of a graph's node.
func (f *face) node(call string, h uintptr) (*node, code) {
	if o := f.handles.find(h); o != nil && o.node != nil {
		return o.node, success
	}
	return nil, f.dead(call, h, nodeKind)
}

func (f *face) graphNodes(call string, h uintptr, nodes *uintptr, n *uintptr) code {
	return f.listOf(call, h, nodes, n, func(g *graph) []*node { return g.nodes })
}

func (f *face) graphNodeType(call string, h uintptr, out *nodeType) code {
	n, fault := f.node(call, h)
	switch {
	case fault != success:
		return fault
	case out == nil:
		return invalidValue
	}
	*out = n.what
	return success
}
