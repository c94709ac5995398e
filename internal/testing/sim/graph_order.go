package sim

import "maps"

// inOrder returns nodes in an order in which each follows all that it depends on, and that of the
// slice where that allows. It reports whether there is one.
func inOrder(nodes []*node) ([]*node, bool) {
	place := make(map[*node]int, len(nodes))
	sorted := true
	for i, n := range nodes {
		for _, d := range n.after {
			if _, ok := place[d]; !ok {
				sorted = false
			}
		}
		place[n] = i
	}
	if sorted {
		return nodes, true
	}
	waits := make([]int, len(nodes)) // for how many nodes
	next := make([][]int, len(nodes))
	var ready []int
	for i, n := range nodes {
		for _, d := range n.after {
			next[place[d]] = append(next[place[d]], i)
		}
		if waits[i] = len(n.after); waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	ordered := make([]*node, 0, len(nodes))
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		ordered = append(ordered, nodes[i])
		for _, j := range next[i] {
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return ordered, len(ordered) == len(nodes)
}

// copies returns nodes like these, in order, which depend on each other in the same way. Those that
// depend on none depend on begin.
func copies(nodes, begin []*node) []*node {
	nodes, _ = inOrder(nodes)
	made := make([]*node, len(nodes))
	twins := make(map[*node]*node, len(nodes))
	for i, n := range nodes {
		m := n.copy()
		m.id = i
		for _, d := range n.after {
			m.after = append(m.after, twins[d])
		}
		if len(n.after) == 0 {
			m.after = begin
		}
		made[i], twins[n] = m, m
	}
	return made
}

// copy returns a node with the same work that depends on none.
func (n *node) copy() *node {
	m := &node{local: n.local, context: n.context, what: n.what, memory: n.memory,
		choice: n.choice, source: n}
	m.spec.Store(n.spec.Load())
	m.disabled.Store(n.disabled.Load())
	if n.child != nil {
		m.child = n.child.partOf(m)
	}
	for _, body := range n.bodies {
		m.bodies = append(m.bodies, body.partOf(m))
	}
	return m
}

// partOf returns a graph like g that is part of a node.
func (g *graph) partOf(n *node) *graph {
	part := &graph{origin: g.origin, parent: n, choices: g.choices}
	part.object.graph = part
	part.take(g)
	return part
}

// take fills a graph with copies of another's nodes.
func (g *graph) take(from *graph) {
	g.nodes, g.lastLocal = copies(from.nodes, nil), from.lastLocal
	g.clones = make(map[*node]*node, len(g.nodes))
	for _, m := range g.nodes {
		m.graph = g
		g.clones[m.source] = m
	}
}

// index fills bySource, with the nodes of inner graphs too.
func (x *graph) index() {
	x.bySource = make(map[*node]*node, len(x.nodes))
	x.indexNodes(x.nodes)
}

func (x *graph) indexNodes(nodes []*node) {
	for _, n := range nodes {
		x.bySource[n.source] = n
		for _, g := range n.inner() {
			x.indexNodes(g.nodes)
		}
	}
}

// madeFrom returns the node of an executable graph that was made from n, or nil.
func (f *face) madeFrom(x *graph, n *node) *node {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	return x.bySource[n]
}

// expand returns the nodes of an executable graph with those of inner graphs in place of the nodes
// that have them. A conditional node takes the value that its handle has by default, since no
// kernel sets another. The body of a loop runs once: what would end it is in a kernel.
func expand(nodes []*node) []*node {
	flat := true
	for _, n := range nodes {
		flat = flat && n.child == nil && n.choice == nil
	}
	if flat {
		return nodes
	}
	e := expansion{ends: map[*node][]*node{}}
	e.add(nodes, nil)
	return e.nodes
}

type expansion struct {
	nodes []*node
	ends  map[*node][]*node // what to wait for in place of a node
}

// add adds nodes behind others. It returns what to wait for in place of them all.
func (e *expansion) add(nodes, begin []*node) (ends []*node) {
	inner := map[*node]bool{}
	for _, n := range nodes {
		after := begin
		if len(n.after) > 0 {
			after = nil
		}
		for _, d := range n.after {
			inner[d] = true
			after = union(after, e.ends[d])
		}
		switch body := n.body(); {
		case n.child == nil && n.choice == nil:
			m := &node{id: len(e.nodes), context: n.context, after: after, what: n.what,
				memory: n.memory, source: n.source}
			m.spec.Store(n.spec.Load())
			m.disabled.Store(n.disabled.Load())
			e.nodes = append(e.nodes, m)
			e.ends[n] = []*node{m}
		case body == nil || len(body.nodes) == 0:
			e.ends[n] = after
		default:
			e.ends[n] = e.add(body.nodes, after)
		}
	}
	for _, n := range nodes {
		if !inner[n] {
			ends = union(ends, e.ends[n])
		}
	}
	return ends
}

// body returns the inner graph that a launch runs, or nil.
func (n *node) body() *graph {
	if n.choice == nil {
		return n.child
	}
	if i := n.choice.body(); i >= 0 && i < len(n.bodies) {
		return n.bodies[i]
	}
	return nil
}

// graphClone copies a graph. Copies of one that allocates have the same memory, where they are
// possible.
func (f *face) graphClone(call string, out *uintptr, h uintptr) code {
	if out == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return fault
	case hasMemory(f.nodesOf(g)) && !f.plays(amdMemoryGraphIsCloned):
		return notSupported
	}
	made := f.newGraph(g.origin)
	f.captureMu.Lock()
	if _, ok := inOrder(g.nodes); !ok {
		f.captureMu.Unlock()
		return invalidValue
	}
	made.take(g)
	made.choices = maps.Clone(g.choices)
	f.captureMu.Unlock()
	f.joinGraph(made.nodes)
	f.keepToo(made, g)
	*out = f.begin(&made.object, graphKind)
	return success
}

// findInClone returns the node of a clone that was made from a node.
func (f *face) findInClone(call string, out *uintptr, h, clone uintptr) code {
	n, fault := f.node(call, h)
	if fault != success {
		return fault
	}
	g, fault := f.graph(call, clone, graphKind)
	switch {
	case fault != success:
		return fault
	case out == nil:
		return invalidValue
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	m := g.clones[n]
	if m == nil {
		return invalidValue
	}
	*out = f.nodeHandle(m)
	return success
}
