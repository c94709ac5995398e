package sim

import (
	"slices"
	"unsafe"
)

// newGraph returns a graph without a handle.
func (f *face) newGraph(origin *context) *graph {
	g := &graph{origin: origin, id: uint32(f.ids.Add(1))}
	g.object.graph = g
	return g
}

func (f *face) graphCreate(out *uintptr, flags uint32) code {
	if out == nil || flags != 0 {
		return invalidValue
	}
	*out = f.begin(&f.newGraph(nil).object, graphKind)
	return success
}

// own makes a graph the owner of a node. The caller holds captureMu.
func (g *graph) own(n *node) {
	g.lastLocal++
	n.graph, n.local = g, g.lastLocal
}

// dependencies are the arguments of a function that adds a node.
type dependencies struct {
	nodes *uintptr
	n     uintptr
}

// addToGraph adds a node to a graph. what makes the node when all else is checked.
func (f *face) addToGraph(call string, out *uintptr, h uintptr, d dependencies,
	what func() (*node, code)) code {
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return fault
	case out == nil || d.nodes == nil && d.n > 0:
		return invalidValue
	}
	after, fault := f.nodesGiven(call, unsafe.Slice(d.nodes, d.n))
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	for i, a := range after {
		if a.graph != g || slices.Contains(after[:i], a) {
			f.captureMu.Unlock()
			return invalidValue
		}
	}
	f.captureMu.Unlock()
	n, fault := what()
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	n.after = after
	n.id = len(g.nodes)
	g.own(n)
	g.nodes = append(slices.Clip(g.nodes), n)
	if g.capture != nil {
		g.capture.nodes = g.nodes
	}
	if e := n.spec.Load().event; e != nil {
		e.noded.Store(true)
	}
	*out = f.nodeHandle(n)
	return success
}

// nodesGiven resolves an array of nodes.
func (f *face) nodesGiven(call string, handles []uintptr) ([]*node, code) {
	nodes := make([]*node, len(handles))
	for i, h := range handles {
		n, fault := f.node(call, h)
		if fault != success {
			return nil, fault
		}
		nodes[i] = n
	}
	return nodes, success
}

// changeEdges adds or removes edges. CUDA removes none of a graph that allocates.
func (f *face) changeEdges(call string, h uintptr, from, to *uintptr, n uintptr, add bool) code {
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return fault
	case n == 0:
		return success
	case from == nil || to == nil:
		return invalidValue
	case !add && !f.hip() && hasMemory(f.nodesOf(g)): // fact: cuda-memory-graph-is-fixed
		return notSupported
	}
	begins, fault := f.nodesGiven(call, unsafe.Slice(from, n))
	if fault != success {
		return fault
	}
	ends, fault := f.nodesGiven(call, unsafe.Slice(to, n))
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	for i, b := range begins {
		if b.graph != g || ends[i].graph != g || b == ends[i] ||
			slices.Contains(ends[i].after, b) == add {
			return invalidValue
		}
	}
	for i, b := range begins {
		if e := ends[i]; add {
			e.after = append(slices.Clip(e.after), b)
		} else {
			e.after = without(e.after, b)
		}
	}
	return success
}

func without(nodes []*node, n *node) []*node {
	return slices.DeleteFunc(slices.Clone(nodes), func(o *node) bool { return o == n })
}

// destroyNode removes a node and its edges from its graph. CUDA removes none of a graph that
// allocates.
func (f *face) destroyNode(call string, h uintptr) code {
	n, fault := f.node(call, h)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	g := n.graph
	switch {
	case g == nil:
		return invalidValue
	case !f.hip() && hasMemory(g.nodes): // fact: cuda-memory-graph-is-fixed
		return notSupported
	}
	f.leaveGraph([]*node{n})
	g.nodes = without(g.nodes, n)
	if g.capture != nil {
		g.capture.nodes = g.nodes
	}
	for _, o := range g.nodes {
		if slices.Contains(o.after, n) {
			o.after = without(o.after, n)
		}
	}
	f.forgetLocked([]*node{n})
	return success
}

// captureToGraph begins a capture that adds to a graph.
func (f *face) captureToGraph(call string, s, h uintptr, d dependencies, edges *edgeData,
	mode captureMode) code {
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return fault
	case d.nodes == nil && d.n > 0:
		return invalidValue
	case !plainEdges(edges, d.n):
		return notSupported
	}
	after, fault := f.nodesGiven(call, unsafe.Slice(d.nodes, d.n))
	if fault != success {
		return fault
	}
	for _, n := range after {
		if n.graph != g {
			return invalidValue
		}
	}
	return f.beginCaptureTo(call, s, mode, g, after)
}
