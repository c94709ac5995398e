package sim

import (
	"github.com/gpuevent/gpuevent/internal/host"
)

// graph is the result of a capture or of calls that add nodes, or an executable graph. The nodes of
// an executable graph are in an order in which each follows all that it depends on, and their ids
// are their places in it. The face's captureMu guards what changes.
type graph struct {
	object
	origin   *context // where it was captured; nil if it was not
	nodes    []*node
	autoFree bool   // a launch frees what the one before has allocated
	source   *graph // of an executable graph: what it was made from
	execs    int    // executable graphs that were made from it and are there
	keepers  keepers

	id        uint32
	flags     uint64             // of the instantiation
	parent    *node              // the node that it is part of; nil for most
	capture   *capture           // the capture in progress that adds to it; nil for most
	lastLocal uint32             // the newest node's local id
	bySource  map[*node]*node    // of an executable graph: its nodes by what they were made from
	clones    map[*node]*node    // of a clone: likewise
	choices   map[uint64]*choice // values of conditional nodes, by handle
}

// launch puts nodes on queues of their own, one per branch, that begin when s comes to it. The next
// work of s waits for all of them, and fails if they do.
func launch(nodes []*node, s *stream) error {
	nodes = expand(nodes)
	if err := s.queue.Delay(0); err != nil { // adds the order with the legacy stream
		return err
	}
	start, err := s.queue.Mark()
	if err != nil {
		return err
	}
	hold := host.NewGate()
	ends, err := lay(nodes, s, start, hold.Point())
	if err != nil {
		hold.Fail(err)
		return err
	}
	for _, p := range ends {
		if err == nil {
			err = s.queue.Wait(p)
		}
	}
	hold.Open()
	return err
}

// lay puts the nodes on queues, behind the points given. It returns the ends of the branches.
func lay(nodes []*node, s *stream, begin ...host.Point) (ends []host.Point, err error) {
	type lane struct {
		queue *host.Queue
		tail  *node
	}
	laneOf := make([]*lane, len(nodes))
	after := make([]host.Point, len(nodes))
	inner := make([]bool, len(nodes)) // something depends on it
	for i, n := range nodes {
		var l *lane
		for _, d := range n.after {
			inner[d.id] = true
			on := laneOf[d.id]
			if l == nil && on.tail == d && on.queue.Engine() == n.engine(s) {
				l = on
			}
		}
		var waits []host.Point
		if l == nil {
			l, waits = &lane{}, begin
			o := host.QueueOptions{NonBlocking: true, Priority: s.priority}
			if l.queue, err = n.engine(s).NewQueue(o); err != nil {
				return nil, err
			}
		}
		for _, d := range n.after {
			if laneOf[d.id] != l {
				waits = append(waits[:len(waits):len(waits)], after[d.id])
			}
		}
		for _, p := range waits {
			if err := l.queue.Wait(p); err != nil {
				return nil, err
			}
		}
		l.tail, laneOf[i] = n, l
		if err := n.put(l.queue); err != nil {
			return nil, err
		}
		if after[i], err = l.queue.Mark(); err != nil {
			return nil, err
		}
	}
	for i := range nodes {
		if !inner[i] {
			ends = append(ends, after[i])
		}
	}
	return ends, nil
}

// embed adds nodes to the capture that s is in, behind what s has done there.
func (f *face) embed(c *capture, s *stream, nodes []*node) code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if fault := c.refuses(); fault != success || len(nodes) == 0 {
		return fault
	}
	nodes = expand(nodes)
	made := copies(nodes, c.tails[s])
	inner := make([]bool, len(nodes))
	for i, n := range nodes {
		for _, d := range n.after {
			inner[d.id] = true
		}
		made[i].id, made[i].source = len(c.nodes), nil
		c.nodes = append(c.nodes, made[i])
	}
	var tail []*node
	for i, m := range made {
		if !inner[i] {
			tail = append(tail, m)
		}
	}
	c.tails[s] = tail
	return success
}

// graph resolves a handle of a graph, or of an executable one.
func (f *face) graph(call string, h uintptr, k kind) (*graph, code) {
	o := f.handles.find(h)
	if o == nil || o.kind != k {
		return nil, f.dead(call, h, k)
	}
	if k == graphKind {
		f.captureMu.Lock()
		if c := o.graph.capture; c != nil {
			f.graphOf(c)
		}
		f.captureMu.Unlock()
	}
	return o.graph, success
}

func (f *face) graphInstantiate(call string, out *uintptr, h uintptr, flags uint64) code {
	if out == nil {
		return invalidValue
	}
	g, fault := f.graph(call, h, graphKind)
	if fault != success {
		return fault
	}
	f.joinGraph(f.nodesOf(g))
	f.captureMu.Lock()
	if g.execs > 0 && hasMemory(g.nodes) { // it can have one at a time
		f.captureMu.Unlock()
		f.leaveGraph(f.nodesOf(g))
		return notSupported
	}
	if _, ok := inOrder(g.nodes); !ok {
		f.captureMu.Unlock()
		f.leaveGraph(f.nodesOf(g))
		return invalidValue
	}
	x := &graph{origin: g.origin, nodes: copies(g.nodes, nil), flags: flags,
		autoFree: flags&graphAutoFree != 0, id: uint32(f.ids.Add(1)), source: g}
	x.index()
	g.execs++
	f.captureMu.Unlock()
	x.object.graph = x
	f.keepToo(x, g)
	*out = f.begin(&x.object, execKind)
	return success
}

func (f *face) graphLaunch(call string, h, s uintptr) code {
	x, fault := f.graph(call, h, execKind)
	if fault != success {
		return fault
	}
	st, fault := f.stream(call, s)
	if fault != success {
		return fault
	}
	nodes := f.nodesOf(x)
	for _, n := range expand(nodes) {
		spec := n.spec.Load()
		if e := spec.event; e != nil && f.handles.find(e.handle) != &e.object {
			return f.dead(call, e.handle, eventKind)
		}
		if l := spec.kernel; l != nil && !l.alive() {
			return f.dead(call, l.entry.handle, functionKind)
		}
	}
	if c := f.captureFor(call, st); c != nil {
		if hasMemory(nodes) { // no graph that allocates can be part of another
			return notSupported
		}
		return f.embed(c, st, nodes)
	}
	if c := f.legacyMayWork(st); c != success {
		return c
	}
	st.tells()
	if c := f.launchMemory(call, x); c != success {
		return c
	}
	done := codeOf(launch(nodes, st))
	f.launchedGraph(x, st)
	return done
}

func (f *face) graphDestroy(call string, h uintptr, k kind) code {
	g, fault := f.graph(call, h, k)
	if fault != success {
		return fault
	}
	if k == graphKind && g.parent != nil { // fact: gpu-child-graph-is-copied
		if f.hip() {
			f.note(Crash{call, h, "the graph belongs to a node, which ends it again"}, false)
		}
		return invalidValue
	}
	if f.end(&g.object) {
		f.captureMu.Lock()
		f.letGo(g)
		if g.source != nil {
			g.source.execs--
		}
		f.captureMu.Unlock()
		f.leaveGraph(f.nodesOf(g))
		if k == graphKind {
			f.forget(f.nodesOf(g))
		}
	}
	return success
}
