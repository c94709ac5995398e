package sim

import "unsafe"

// nodeType has the numbers that both vendors use.
type nodeType int32

const (
	kernelNodeType nodeType = 0
	memcpyNodeType nodeType = 1
	memsetNodeType nodeType = 2
	hostNodeType   nodeType = 3
	emptyNodeType  nodeType = 5 // also what tests give a stream to do
	waitNodeType   nodeType = 6
	recordNodeType nodeType = 7
	allocNodeType  nodeType = 10
	freeNodeType   nodeType = 11
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
	}
}

// graphOf returns the graph of a capture's nodes. The caller holds captureMu.
func (f *face) graphOf(c *capture) *graph {
	if c.graph == nil {
		c.graph = &graph{origin: c.origin.context}
		c.graph.object.graph = c.graph
		f.begin(&c.graph.object, graphKind)
	}
	c.graph.nodes = c.nodes
	return c.graph
}

// discard ends the handles of a capture that has failed. The caller holds captureMu.
func (f *face) discard(c *capture) {
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
	if n == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	all := len(g.nodes)
	if nodes == nil {
		*n = uintptr(all)
		return success
	}
	out := unsafe.Slice(nodes, *n)
	for i := range out { // nulls beyond the last
		if out[i] = 0; i < all {
			out[i] = f.nodeHandle(g.nodes[i])
		}
	}
	*n = min(*n, uintptr(all))
	return success
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
