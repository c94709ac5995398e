package sim

// kernelNode resolves the handle of a graph's node that launches a kernel.
func (f *face) kernelNode(call string, h uintptr) (*node, *kernelLaunch, code) {
	n, fault := f.node(call, h)
	if fault != success {
		return nil, nil, fault
	}
	l := n.spec.Load().kernel
	switch {
	case l == nil:
		return nil, nil, invalidValue
	case !l.alive():
		return nil, nil, f.dead(call, l.entry.handle, functionKind)
	}
	return n, l, success
}

// execSetKernel changes what a node of an executable graph launches, from the next launch of the
// graph on. The node is given by the one in the graph that the executable one was made from.
func (f *face) execSetKernel(call string, x, h, fn uintptr, r *launchRequest) code {
	exec, fault := f.graph(call, x, execKind)
	if fault != success {
		return fault
	}
	n, old, fault := f.kernelNode(call, h)
	if fault != success {
		return fault
	}
	m := f.madeFrom(exec, n)
	if m == nil {
		return invalidValue
	}
	e, fault := f.entry(call, fn)
	switch {
	case fault != success:
		return fault
	case e.module.home != old.entry.module.home:
		return invalidValue
	}
	l, fault := f.prepare(call, e, r)
	if fault != success {
		return fault
	}
	l.asked = fn
	m.spec.Store(&nodeSpec{kernel: l, lay: l.lay})
	return success
}

// updateResult has CUDA's numbers, which are HIP's.
type updateResult int32

const (
	updateFine            updateResult = 0
	updateTopologyChanged updateResult = 2
	updateTypeChanged     updateResult = 3
	updateFunctionChanged updateResult = 4
	updateUnsupported     updateResult = 6
)

// execUpdate makes an executable graph do what a graph does, if that has the same shape. It returns
// the first node of the graph that does not fit.
func (f *face) execUpdate(call string, x, g uintptr) (*node, updateResult, code) {
	exec, fault := f.graph(call, x, execKind)
	if fault != success {
		return nil, 0, fault
	}
	from, fault := f.graph(call, g, graphKind)
	if fault != success {
		return nil, 0, fault
	}
	nodes, others := f.nodesOf(exec), f.nodesOf(from)
	switch {
	case len(nodes) != len(others):
		return nil, updateTopologyChanged, graphUpdateFailed
	case hasMemory(nodes) || hasMemory(others):
		return nil, updateUnsupported, graphUpdateFailed
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if _, ok := inOrder(others); !ok {
		return nil, updateTopologyChanged, graphUpdateFailed
	}
	renewed := copies(others, nil)
	if wrong, why := differ(nodes, renewed); why != updateFine {
		if wrong != nil {
			wrong = wrong.source
		}
		return wrong, why, graphUpdateFailed
	}
	exec.nodes = renewed
	exec.index()
	return nil, updateFine, success
}

// differ returns the first node that can't take the place of the one before, and why. Nodes that
// can take their sources over.
func differ(old, nodes []*node) (*node, updateResult) {
	if len(old) != len(nodes) {
		return nil, updateTopologyChanged
	}
	for i, n := range nodes {
		if why := differs(old[i], n); why != updateFine {
			return n, why
		}
		before, after := old[i].inner(), n.inner()
		if len(before) != len(after) {
			return n, updateTopologyChanged
		}
		for j := range after {
			if _, why := differ(before[j].nodes, after[j].nodes); why != updateFine {
				return n, why
			}
		}
	}
	for i, n := range nodes {
		n.source = old[i].source
		n.disabled.Store(old[i].disabled.Load())
	}
	return nil, updateFine
}

// differs returns why a node can't do what another one does.
func differs(old, n *node) updateResult {
	a, b := old.spec.Load().kernel, n.spec.Load().kernel
	switch {
	case old.what != n.what || (a == nil) != (b == nil):
		return updateTypeChanged
	case !sameIDs(old.after, n.after):
		return updateTopologyChanged
	case a != nil && a.entry.module.home != b.entry.module.home:
		return updateFunctionChanged
	}
	return updateFine
}

func sameIDs(a, b []*node) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].id != b[i].id {
			return false
		}
	}
	return true
}
