package sim

import (
	"slices"
	"unsafe"
)

// captureGraph tells of a capture in progress what cuStreamGetCaptureInfo_v2 does: also its graph,
// and the nodes that the stream's next one will depend on. The array of these lives until the next
// such call on the stream.
func (f *face) captureGraph(call string, h uintptr, status *captureStatus, id *uint64,
	graph *uintptr, nodes **uintptr, n *uintptr) code {
	if c := f.captureInfo(call, h, status, id); c != success || *status != captureActive {
		return c
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	c := s.capture.Load()
	if c == nil { // ended by another thread just now
		*status = captureNone
		return success
	}
	if graph != nil {
		*graph = f.graphOf(c).handle
	}
	tail := c.tails[s]
	if n != nil {
		*n = uintptr(len(tail))
	}
	if nodes == nil {
		return success
	}
	s.deps = make([]uintptr, len(tail), len(tail)+1)
	for i, d := range tail {
		s.deps[i] = f.nodeHandle(d)
	}
	*nodes = unsafe.SliceData(s.deps)
	return success
}

// captureEdges is captureGraph with the data of the edges, of which there are as many as nodes.
func (f *face) captureEdges(call string, h uintptr, status *captureStatus, id *uint64,
	graph *uintptr, nodes **uintptr, edges **edgeData, n *uintptr) code {
	var count uintptr
	fault := f.captureGraph(call, h, status, id, graph, nodes, &count)
	if fault != success || *status != captureActive {
		return fault
	}
	if n != nil {
		*n = count
	}
	if edges == nil {
		return success
	}
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	s.edges = make([]edgeData, count, count+1)
	*edges = unsafe.SliceData(s.edges)
	return success
}

const dependenciesAdd, dependenciesSet = 0, 1

// updateDependencies changes what the stream's next node depends on.
func (f *face) updateDependencies(call string, h uintptr, nodes *uintptr, n uintptr,
	flags uint32) code {
	s, fault := f.stream(call, h)
	switch {
	case fault != success:
		return fault
	case flags > dependenciesSet || nodes == nil && n > 0:
		return invalidValue
	}
	var given []*node
	for _, handle := range unsafe.Slice(nodes, n) {
		d, fault := f.node(call, handle)
		if fault != success {
			return fault
		}
		given = append(given, d)
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	c := s.capture.Load()
	if c == nil {
		return illegalState
	}
	if fault := c.refuses(); fault != success {
		return fault
	}
	for _, d := range given {
		if !slices.Contains(c.nodes, d) {
			return invalidValue
		}
	}
	if flags == dependenciesAdd {
		given = union(c.tails[s], given)
	}
	c.tails[s] = given
	return success
}
