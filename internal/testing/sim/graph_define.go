package sim

// graphSince are the releases in which a vendor's functions for graphs came.
type graphSince struct {
	first, update, events, upload, memory, dot, enabled string
}

// defineGraphs defines the functions for graphs that both vendors have with the same arguments.
func defineGraphs(a *api, prefix string, traits trait, since graphSince) {
	graph := prefix + "Graph"
	def2(a, graph+"Create", since.first, traits, (*face).graphCreate)
	clone := graph + "Clone"
	def2(a, clone, since.first, traits, func(f *face, out *uintptr, g uintptr) code {
		return f.graphClone(clone, out, g)
	})
	find := graph + "NodeFindInClone"
	def3(a, find, since.first, traits, func(f *face, out *uintptr, n, in uintptr) code {
		return f.findInClone(find, out, n, in)
	})
	destroy := graph + "DestroyNode"
	def1(a, destroy, since.first, traits|destroys, func(f *face, n uintptr) code {
		return f.destroyNode(destroy, n)
	})
	kindOf := graph + "NodeGetType"
	def2(a, kindOf, since.first, traits, func(f *face, n uintptr, out *nodeType) code {
		return f.graphNodeType(kindOf, n, out)
	})
	update := graph + "ExecUpdate"
	def4(a, update, since.update, traits,
		func(f *face, x, g uintptr, node *uintptr, result *updateResult) code {
			return f.execUpdateOut(update, x, g, node, result)
		})
	upload := graph + "Upload"
	def2(a, upload, since.upload, traits, func(f *face, x, s uintptr) code {
		if _, fault := f.graph(upload, x, execKind); fault != success {
			return fault
		}
		_, fault := f.stream(upload, s)
		return fault
	})
	dot := graph + "DebugDotPrint"
	def3(a, dot, since.dot, traits, func(f *face, g uintptr, path *byte, _ uint32) code {
		return f.dotPrint(dot, g, path)
	})
	set, get := graph+"NodeSetEnabled", graph+"NodeGetEnabled"
	def3(a, set, since.enabled, traits, func(f *face, x, n uintptr, on uint32) code {
		return f.setEnabled(set, x, n, on)
	})
	def3(a, get, since.enabled, traits, func(f *face, x, n uintptr, out *uint32) code {
		return f.enabled(get, x, n, out)
	})
	def3(a, prefix+"DeviceGetGraphMemAttribute", since.memory, 0, (*face).graphMemGet)
	def3(a, prefix+"DeviceSetGraphMemAttribute", since.memory, 0, (*face).graphMemSet)
	def1(a, prefix+"DeviceGraphMemTrim", since.memory, 0, (*face).graphMemTrim)
	defineGraphNodes(a, graph, traits, since)
	defineGraphEdges(a, graph, traits, since.first)
}

// defineGraphNodes defines the functions that add nodes whose parameter is a word, or none.
func defineGraphNodes(a *api, graph string, traits trait, since graphSince) {
	empty := graph + "AddEmptyNode"
	def4(a, empty, since.first, traits,
		func(f *face, out *uintptr, g uintptr, after *uintptr, n uintptr) code {
			return f.addToGraph(empty, out, g, dependencies{after, n},
				func() (*node, code) { return emptyNode(), success })
		})
	withWord := func(name, since string,
		build func(f *face, name string, word uintptr) (*node, code)) {
		def5(a, name, since, traits,
			func(f *face, out *uintptr, g uintptr, after *uintptr, n, word uintptr) code {
				return f.addToGraph(name, out, g, dependencies{after, n},
					func() (*node, code) { return build(f, name, word) })
			})
	}
	withWord(graph+"AddChildGraphNode", since.first,
		func(f *face, name string, child uintptr) (*node, code) { return f.newChild(name, child, false) })
	withWord(graph+"AddMemFreeNode", since.memory, (*face).newFree)
	withWord(graph+"AddEventRecordNode", since.events,
		func(f *face, name string, e uintptr) (*node, code) {
			spec, c, fault := f.eventSpec(name, e, recordSpec)
			return specNode(recordNodeType, spec, c, fault)
		})
	withWord(graph+"AddEventWaitNode", since.events,
		func(f *face, name string, e uintptr) (*node, code) {
			spec, c, fault := f.eventSpec(name, e, waitSpec)
			return specNode(waitNodeType, spec, c, fault)
		})
}

// defineGraphEdges defines the functions for edges without data.
func defineGraphEdges(a *api, prefix string, traits trait, since string) {
	roots, edges := prefix+"GetRootNodes", prefix+"GetEdges"
	def3(a, roots, since, traits, func(f *face, g uintptr, nodes, n *uintptr) code {
		return f.listOf(roots, g, nodes, n, (*graph).roots)
	})
	def4(a, edges, since, traits, func(f *face, g uintptr, from, to, n *uintptr) code {
		return f.graphEdges(edges, g, from, to, n)
	})
	for name, dependents := range map[string]bool{
		prefix + "NodeGetDependencies": false, prefix + "NodeGetDependentNodes": true,
	} {
		def3(a, name, since, traits, func(f *face, at uintptr, nodes, n *uintptr) code {
			return f.neighbours(name, at, nodes, n, dependents)
		})
	}
	for name, add := range map[string]bool{
		prefix + "AddDependencies": true, prefix + "RemoveDependencies": false,
	} {
		def4(a, name, since, traits, func(f *face, g uintptr, from, to *uintptr, n uintptr) code {
			return f.changeEdges(name, g, from, to, n, add)
		})
	}
}
