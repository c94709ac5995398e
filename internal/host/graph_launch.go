package host

// Launch queues the graph: its operations run behind what is queued on q, branches concurrently,
// and what is queued on q later waits for all of them. Launches of one graph run one after the
// other, on whichever queues. An operation that fails fails what follows it in the graph and, once
// all branches have ended, the queue. If q is being captured, the operations become nodes of that
// capture.
func (g *Graph) Launch(q *Queue) error {
	if g == nil || q == nil {
		return ErrNil
	}
	joins := q.joins()
	g.mu.Lock()
	l, err := g.enqueue(q, joins)
	if l == nil {
		g.mu.Unlock()
		return err
	}
	queues := g.lay(l)
	g.mu.Unlock()
	// Only now, since callbacks may use the graph.
	var w wake
	if l.took {
		q.mu.Lock()
		q.pump(&w, false)
	}
	for _, lane := range queues {
		lane.mu.Lock()
		if lane.take() {
			lane.pump(&w, false)
		} else {
			lane.mu.Unlock()
		}
	}
	w.flush()
	return nil
}

// launch is one launch of a graph.
type launch struct {
	priority int
	start    *record
	ends     []*record // of the nodes that others wait for; nil for the others
	took     bool      // the caller has to go on with the queue
}

// enqueue puts on q the start of the graph and the wait for its end. It returns nil if there is
// nothing more to do. The caller holds g.mu, so that launches have the same order here and on their
// queues, and don't wait for each other in a circle.
func (g *Graph) enqueue(q *Queue, joins []join) (*launch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.special != 0 {
		if c := q.lockCapture(); c != nil {
			defer c.mu.Unlock()
			return nil, c.embed(q, g)
		}
		if q.special&isClosed != 0 {
			return nil, ErrClosed
		}
	}
	if err := q.failure(); err != nil {
		return nil, err
	}
	for i := range g.nodes {
		if ev := g.nodes[i].ev; ev != nil && ev.closed.Load() {
			return nil, ErrClosed
		}
	}
	if len(g.nodes) == 0 {
		return nil, nil
	}
	q.pushJoins(joins)
	for _, r := range g.last {
		if !r.final() {
			q.ops.push(op{kind: opOrder, rec: r})
		}
	}
	l := &launch{priority: q.priority, start: newRecord(), ends: make([]*record, len(g.nodes))}
	q.ops.push(op{kind: opRecord, rec: l.start})
	g.last = make([]*record, len(g.plan.lanes))
	for i, lane := range g.plan.lanes {
		r, id := newRecord(), lane.nodes[len(lane.nodes)-1]
		g.last[i], l.ends[id] = r, r
		if len(g.last) > 1 { // a failed queue must not run ahead of the other branches
			q.ops.push(op{kind: opOrder, rec: r})
		}
	}
	for _, id := range g.plan.leaves { // each is the last of its lane
		q.ops.push(op{kind: opWait, rec: l.ends[id]})
	}
	l.took = q.take()
	return l, nil
}

// lay puts the nodes on queues of their own, which begin when the launch starts. It records the
// events: from now on they are pending. The caller holds g.mu.
func (g *Graph) lay(l *launch) []*Queue {
	queues := make([]*Queue, len(g.plan.lanes))
	for i, lane := range g.plan.lanes {
		queues[i] = &Queue{eng: lane.eng, priority: l.priority, nonBlocking: true}
		queues[i].ops.push(op{kind: opWait, rec: l.start})
	}
	for id := range g.nodes { // in their order, so that waits find the records before them
		at := &g.plan.places[id]
		q := queues[at.lane]
		for _, d := range at.waits {
			q.ops.push(op{kind: opWait, rec: l.ends[d]})
		}
		if o, ok := g.nodes[id].lay(); ok {
			q.ops.push(o)
		}
		if at.marked && l.ends[id] == nil {
			l.ends[id] = newRecord()
		}
		if r := l.ends[id]; r != nil {
			q.ops.push(op{kind: opRecord, rec: r})
		}
	}
	return queues
}

// lay returns the operation for one launch, and false if there is nothing to do.
func (n *node) lay() (op, bool) {
	switch {
	case n.ev == nil:
		return n.op, true
	case n.op.kind == opRecord:
		r, err := n.ev.begin()
		if err != nil { // it was closed just now, or has too many records
			return op{kind: opWait, rec: failedRecord(err)}, true
		}
		return op{kind: opRecord, rec: r}, true
	}
	switch p, err := n.ev.Point(); err {
	case nil:
		return op{kind: opWait, rec: p.rec}, true
	case ErrNotRecorded:
		return op{}, false
	default:
		return op{kind: opWait, rec: failedRecord(err)}, true
	}
}

// begin makes a record that a graph completes.
func (ev *Event) begin() (*record, error) {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	if ev.closed.Load() {
		return nil, ErrClosed
	}
	r := ev.next()
	r.state.Store(uint32(Pending))
	ev.cur.Store(r)
	return r, nil
}

// embed adds the nodes of a graph behind what q has done in the capture. The caller holds c.mu and
// g.mu.
func (c *capture) embed(q *Queue, g *Graph) error {
	if err := c.refusal(); err != nil || len(g.nodes) == 0 {
		return err
	}
	first, m := len(c.nodes), c.queues[q]
	shift := func(ids []int) []int {
		moved := make([]int, len(ids))
		for i, id := range ids {
			moved[i] = first + id
		}
		return moved
	}
	for _, n := range g.nodes {
		if len(n.after) == 0 {
			n.after = m.tail
		} else {
			n.after = shift(n.after)
		}
		c.nodes = append(c.nodes, n)
	}
	m.tail = shift(g.plan.leaves)
	return nil
}
