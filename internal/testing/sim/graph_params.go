package sim

// copySide is one side of a copy in up to three dimensions.
type copySide struct {
	address       uintptr
	x, y, z       uintptr // of the first byte, row and slice
	pitch, height uintptr // bytes from row to row, and rows from slice to slice
	known         bool    // it must be memory that the driver knows
}

func (s copySide) row(y, z uintptr) uintptr {
	return s.address + s.x + (s.y+y)*s.pitch + (s.z+z)*s.pitch*s.height
}

// copyNode is what a node copies.
type copyNode struct {
	to, from             copySide
	width, height, depth uintptr
	asked                any // the vendor's parameters
}

// copySpec returns the work of a node that copies. A copy of nothing is allowed.
func (f *face) copySpec(call string, c *context, p *copyNode) (nodeSpec, code) {
	if p.width == 0 {
		return nodeSpec{lay: pass, params: p}, success
	}
	rows, slices := max(p.height, 1), max(p.depth, 1)
	var fault code
	end := func(s copySide) (e copyEnd) {
		first := s.row(0, 0)
		last := s.row(rows-1, slices-1)
		if fault == success {
			e, fault = f.copyEnd(call, first, last-first+p.width, s.known)
		}
		return e
	}
	to, from := end(p.to), end(p.from)
	if fault != success {
		return nodeSpec{}, fault
	}
	at := func(e copyEnd, address uintptr) copyEnd {
		if e.address = address; e.host != nil {
			e.host = pointerTo(address)
		}
		return e
	}
	return nodeSpec{params: p, lay: do(func() error {
		for z := range slices {
			for y := range rows {
				row := copying{call: call, size: p.width, to: at(to, p.to.row(y, z)),
					from: at(from, p.from.row(y, z))}
				if err := row.now(f, c); err != nil {
					return err
				}
			}
		}
		return nil
	})}, success
}

// fillNode is what a node fills: rows of elements.
type fillNode struct {
	address, pitch  uintptr
	value           uint32
	size            uintptr // of an element
	elements, lines uintptr
}

func (f *face) fillSpec(call string, c *context, p *fillNode) (nodeSpec, code) {
	lines := max(p.lines, 1)
	width := p.elements * p.size
	switch {
	case p.size != 1 && p.size != 2 && p.size != 4, p.elements == 0,
		p.elements > ^uintptr(0)/p.size,
		lines > 1 && p.pitch < width,
		p.address == 0 || p.address%p.size != 0 && f.plays(cudaFillAligned):
		return nodeSpec{}, invalidValue
	}
	if f.known(call, p.address, (lines-1)*p.pitch+width) == nil {
		return nodeSpec{}, invalidValue
	}
	return nodeSpec{params: p, lay: do(func() error {
		for line := range lines {
			at, err := f.lease(call, c, p.address+line*p.pitch, width)
			if err != nil {
				return err
			}
			repeat(at.bytes, p.value, p.size)
			f.endLease(at)
		}
		return nil
	})}, success
}

// hostNode is what a node calls.
type hostNode struct{ fn, data uintptr }

func (f *face) hostSpec(p *hostNode) (nodeSpec, code) {
	if p.fn == 0 {
		return nodeSpec{}, invalidValue
	}
	return nodeSpec{params: p, lay: do(func() error {
		f.hostFunc(func() { f.callBack(p.fn, p.data) })
		return nil
	})}, success
}

// kernelSpec returns the work of a node that launches a kernel, and where.
func (f *face) kernelSpec(call string, fn uintptr, r *launchRequest) (nodeSpec, *context, code) {
	e, fault := f.entry(call, fn)
	if fault != success {
		return nodeSpec{}, nil, fault
	}
	l, fault := f.prepare(call, e, r)
	if fault != success {
		return nodeSpec{}, nil, fault
	}
	l.asked = fn
	return nodeSpec{kernel: l, lay: l.lay}, e.module.home, success
}

// eventSpec returns the work of a node for an event.
func (f *face) eventSpec(call string, h uintptr, spec func(*event) nodeSpec) (nodeSpec, *context,
	code) {
	e, fault := f.event(call, h)
	if fault != success {
		return nodeSpec{}, nil, fault
	}
	return spec(e), e.context, success
}

// newChild returns a node that does what a graph does now. It can't contain allocations.
func (f *face) newChild(call string, h uintptr, move bool) (*node, code) {
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return nil, fault
	case g.parent != nil && move:
		return nil, invalidValue
	case hasMemory(f.nodesOf(g)) && !move:
		return nil, invalidValue
	}
	n := newNode(childNodeType, nodeSpec{lay: pass})
	n.context = g.origin
	f.captureMu.Lock()
	if move {
		g.parent, n.child = n, g
		f.captureMu.Unlock()
		return n, success
	}
	if _, ok := inOrder(g.nodes); !ok {
		f.captureMu.Unlock()
		return nil, invalidValue
	}
	n.child = g.partOf(n)
	n.child.id = uint32(f.ids.Add(1))
	f.captureMu.Unlock()
	f.keepToo(n.child, g)
	return n, success
}

// childGraph returns the graph that is part of a node.
func (f *face) childGraph(call string, h uintptr, out *uintptr) code {
	n, fault := f.node(call, h)
	switch {
	case fault != success:
		return fault
	case out == nil || n.child == nil:
		return invalidValue
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if n.child.handle == 0 {
		f.begin(&n.child.object, graphKind)
	}
	*out = n.child.handle
	return success
}

// nodeOf resolves the handle of a node of a type.
func (f *face) nodeOf(call string, h uintptr, what nodeType) (*node, code) {
	n, fault := f.node(call, h)
	if fault == success && n.what != what {
		fault = invalidValue
	}
	return n, fault
}

// paramsOfNode returns a node's parameters, which are of the type that the node's type has.
func paramsOfNode[T any](f *face, call string, h uintptr) (p *T, fault code) {
	n, fault := f.node(call, h)
	if fault != success {
		return nil, fault
	}
	p, _ = n.spec.Load().params.(*T)
	if p == nil {
		return nil, invalidValue
	}
	return p, success
}

// setSpec gives a node of a type other work.
func (f *face) setSpec(call string, h uintptr, what nodeType, spec func() (nodeSpec, code)) code {
	n, fault := f.nodeOf(call, h, what)
	if fault != success {
		return fault
	}
	return replaceSpec(n, spec)
}

// execSetSpec gives a node of an executable graph other work, from the next launch on.
func (f *face) execSetSpec(call string, x, h uintptr, what nodeType,
	spec func() (nodeSpec, code)) code {
	exec, fault := f.graph(call, x, execKind)
	if fault != success {
		return fault
	}
	n, fault := f.nodeOf(call, h, what)
	if fault != success {
		return fault
	}
	m := f.madeFrom(exec, n)
	if m == nil {
		return invalidValue
	}
	return replaceSpec(m, spec)
}

func replaceSpec(n *node, spec func() (nodeSpec, code)) code {
	made, fault := spec()
	if fault != success {
		return fault
	}
	if made.event != nil {
		made.event.noded.Store(true)
	}
	n.spec.Store(&made)
	return success
}

// execSetChild makes a child graph's node of an executable graph do what a graph of the same shape
// does.
func (f *face) execSetChild(call string, x, h, child uintptr) code {
	exec, fault := f.graph(call, x, execKind)
	if fault != success {
		return fault
	}
	n, fault := f.nodeOf(call, h, childNodeType)
	if fault != success {
		return fault
	}
	g, fault := f.graph(call, child, graphKind)
	if fault != success {
		return fault
	}
	m := f.madeFrom(exec, n)
	if m == nil {
		return invalidValue
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	part := g.partOf(m)
	if _, why := differ(m.child.nodes, part.nodes); why != updateFine {
		return graphUpdateFailed
	}
	m.child = part
	exec.index()
	return success
}

// setEnabled turns a kernel, copy or fill of an executable graph on or off.
func (f *face) setEnabled(call string, x, h uintptr, on uint32) code {
	m, fault := f.switchable(call, x, h)
	if fault == success {
		m.disabled.Store(on == 0)
	}
	return fault
}

func (f *face) enabled(call string, x, h uintptr, out *uint32) code {
	m, fault := f.switchable(call, x, h)
	switch {
	case fault != success:
		return fault
	case out == nil:
		return invalidValue
	}
	*out = 1
	if m.disabled.Load() {
		*out = 0
	}
	return success
}

func (f *face) switchable(call string, x, h uintptr) (*node, code) {
	exec, fault := f.graph(call, x, execKind)
	if fault != success {
		return nil, fault
	}
	n, fault := f.node(call, h)
	if fault != success {
		return nil, fault
	}
	m := f.madeFrom(exec, n)
	if m == nil || m.what > memsetNodeType {
		return nil, invalidValue
	}
	return m, success
}

// dotPrint writes a graph to a file in the language of Graphviz.
func (f *face) dotPrint(call string, h uintptr, path *byte) code {
	g, fault := f.graph(call, h, graphKind)
	switch {
	case fault != success:
		return fault
	case path == nil:
		return invalidValue
	}
	f.captureMu.Lock()
	text := g.dot()
	f.captureMu.Unlock()
	if err := writeFile(goText(path), text); err != nil {
		return errorUnknown
	}
	return success
}
