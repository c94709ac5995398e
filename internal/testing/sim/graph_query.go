package sim

import (
	"slices"
	"unsafe"
)

// fillNodes writes as many handles as there is room for, and nulls behind the last. Without an
// array it only counts. The caller holds captureMu.
func (f *face) fillNodes(nodes []*node, out, n *uintptr) {
	all := uintptr(len(nodes))
	if out == nil {
		*n = all
		return
	}
	array := unsafe.Slice(out, *n)
	for i := range array {
		if array[i] = 0; i < len(nodes) {
			array[i] = f.nodeHandle(nodes[i])
		}
	}
	*n = min(*n, all)
}

// listOf returns nodes of a graph to C.
func (f *face) listOf(call string, h uintptr, out, n *uintptr,
	choose func(*graph) []*node) code {
	if n == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	f.fillNodes(choose(g), out, n)
	return success
}

// roots are the nodes that depend on none.
func (g *graph) roots() (found []*node) {
	for _, n := range g.nodes {
		if len(n.after) == 0 {
			found = append(found, n)
		}
	}
	return found
}

// neighbours returns what a node depends on, or what depends on it.
func (f *face) neighbours(call string, h uintptr, out, n *uintptr, dependents bool) code {
	if n == nil {
		return invalidValue
	}
	at, fault := f.node(call, h)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	found := at.after
	if dependents {
		found = nil
		for _, o := range at.graph.all() {
			if slices.Contains(o.after, at) {
				found = append(found, o)
			}
		}
	}
	f.fillNodes(found, out, n)
	return success
}

// all returns the nodes of a graph, none of none.
func (g *graph) all() []*node {
	if g == nil {
		return nil
	}
	return g.nodes
}

// graphEdges returns the edges of a graph as two arrays.
func (f *face) graphEdges(call string, h uintptr, from, to, n *uintptr) code {
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return fault
	case n == nil || (from == nil) != (to == nil):
		return invalidValue
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	var begins, ends []*node
	for _, e := range g.nodes {
		for _, b := range e.after {
			begins, ends = append(begins, b), append(ends, e)
		}
	}
	room := *n
	f.fillNodes(begins, from, n)
	f.fillNodes(ends, to, &room)
	return success
}

// edgeData is what programs can say about an edge. No simulated edge has any.
type edgeData [8]byte

// plainEdges reports whether edges have no data.
func plainEdges(edges *edgeData, n uintptr) bool {
	return edges == nil || !slices.ContainsFunc(unsafe.Slice(edges, n),
		func(e edgeData) bool { return e != edgeData{} })
}

// clearEdges says that edges have no data.
func clearEdges(edges *edgeData, n *uintptr) {
	if edges != nil && n != nil {
		clear(unsafe.Slice(edges, *n))
	}
}
