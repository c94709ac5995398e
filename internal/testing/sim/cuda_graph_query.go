package sim

func defineCUDAGraphQueries(a *api) {
	def5(a, "cuGraphGetEdges_v2", "12.3", wantsThread,
		func(f *face, g uintptr, from, to *uintptr, edges *edgeData, n *uintptr) code {
			c := f.graphEdges("cuGraphGetEdges_v2", g, from, to, n)
			if c == success && from != nil {
				clearEdges(edges, n)
			}
			return c
		})
	for name, dependents := range map[string]bool{
		"cuGraphNodeGetDependencies": false, "cuGraphNodeGetDependentNodes": true,
	} {
		v2 := name + "_v2"
		def4(a, v2, "12.3", wantsThread,
			func(f *face, at uintptr, nodes *uintptr, edges *edgeData, n *uintptr) code {
				c := f.neighbours(v2, at, nodes, n, dependents)
				if c == success && nodes != nil {
					clearEdges(edges, n)
				}
				return c
			})
	}
	for name, add := range map[string]bool{
		"cuGraphAddDependencies": true, "cuGraphRemoveDependencies": false,
	} {
		v2 := name + "_v2"
		def5(a, v2, "12.3", wantsThread,
			func(f *face, g uintptr, from, to *uintptr, edges *edgeData, n uintptr) code {
				if !plainEdges(edges, n) {
					return notSupported
				}
				return f.changeEdges(v2, g, from, to, n, add)
			})
	}
	def2(a, "cuGraphGetId", "13.1", wantsThread, func(f *face, g uintptr, out *uint32) code {
		return f.graphID("cuGraphGetId", g, out, graphKind)
	})
	def2(a, "cuGraphExecGetId", "13.1", wantsThread, func(f *face, x uintptr, out *uint32) code {
		return f.graphID("cuGraphExecGetId", x, out, execKind)
	})
	def2(a, "cuGraphExecGetFlags", "12.0", wantsThread, func(f *face, x uintptr, out *uint64) code {
		g, fault := f.graph("cuGraphExecGetFlags", x, execKind)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = g.flags
		return success
	})
	def2(a, "cuGraphNodeGetLocalId", "13.1", wantsThread, func(f *face, n uintptr, out *uint32) code {
		at, fault := f.node("cuGraphNodeGetLocalId", n)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = at.local
		return success
	})
	def2(a, "cuGraphNodeGetToolsId", "13.1", wantsThread, func(f *face, n uintptr, out *uint64) code {
		at, fault := f.node("cuGraphNodeGetToolsId", n)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		f.captureMu.Lock()
		defer f.captureMu.Unlock()
		*out = uint64(at.local)
		if at.graph != nil {
			*out |= uint64(at.graph.id) << 32
		}
		return success
	})
	def2(a, "cuGraphNodeGetContainingGraph", "13.1", wantsThread,
		func(f *face, n uintptr, out *uintptr) code {
			return f.containingGraph("cuGraphNodeGetContainingGraph", n, out)
		})
}

func (f *face) graphID(call string, h uintptr, out *uint32, k kind) code {
	g, fault := f.graph(call, h, k)
	switch {
	case fault != success:
		return fault
	case out == nil:
		return invalidValue
	}
	*out = g.id
	return success
}

func (f *face) containingGraph(call string, h uintptr, out *uintptr) code {
	n, fault := f.node(call, h)
	switch {
	case fault != success:
		return fault
	case out == nil || n.graph == nil:
		return invalidValue
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if n.graph.handle == 0 {
		f.begin(&n.graph.object, graphKind)
	}
	*out = n.graph.handle
	return success
}
