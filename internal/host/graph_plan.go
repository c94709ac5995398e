package host

// plan says how a graph's nodes are distributed over lanes, which run concurrently.
type plan struct {
	lanes  []lane
	places []nodePlace // of each node
	leaves []int       // the nodes that nothing follows
}

// lane is a sequence of nodes that one queue runs.
type lane struct {
	eng   *Engine
	nodes []int
}

type nodePlace struct {
	lane   int
	waits  []int // the nodes of other lanes that it follows
	marked bool  // another lane follows it
	inner  bool  // something follows it
}

// planOf puts each node behind one that it follows, if that one is the last of its lane, and
// otherwise on a lane of its own. So work that was captured on one queue keeps one lane.
func planOf(nodes []node) plan {
	p := plan{places: make([]nodePlace, len(nodes))}
	for id, n := range nodes {
		at := &p.places[id]
		at.lane = -1
		for _, d := range n.after {
			before := &p.places[d]
			before.inner = true
			l := &p.lanes[before.lane]
			if at.lane < 0 && l.eng == n.eng && l.nodes[len(l.nodes)-1] == d {
				at.lane = before.lane
			}
		}
		if at.lane < 0 {
			at.lane = len(p.lanes)
			p.lanes = append(p.lanes, lane{eng: n.eng})
		}
		l := &p.lanes[at.lane]
		l.nodes = append(l.nodes, id)
		for _, d := range n.after {
			if p.places[d].lane != at.lane {
				at.waits = append(at.waits, d)
				p.places[d].marked = true
			}
		}
	}
	for id := range nodes {
		if !p.places[id].inner {
			p.leaves = append(p.leaves, id)
		}
	}
	return p
}
