package host

// join is a place in another queue that an operation has to wait for by the rule of the default
// queue.
type join struct {
	from *Queue
	rec  *record
}

// joins returns what the next operation of q must wait for: for the default queue everything
// pending on blocking queues, for a blocking queue everything pending on the default queue. The
// caller holds no lock.
func (q *Queue) joins() []join {
	if q.nonBlocking {
		return nil
	}
	if !q.isDefault {
		d := q.eng.def.Load()
		if d == nil || !d.busy.Load() {
			return nil
		}
		return []join{{d, d.mark().rec}}
	}
	if q.eng.blockingBusy.Load() == 0 {
		return nil
	}
	var js []join
	for _, b := range q.eng.busyQueues() {
		if !b.nonBlocking && !b.isDefault {
			js = append(js, join{b, b.mark().rec})
		}
	}
	return js
}

// pushJoins queues waits for those places that q does not wait for yet. The caller holds q.mu.
func (q *Queue) pushJoins(js []join) {
	for _, j := range js {
		if j.rec == nil || j.rec.final() {
			continue
		}
		last := &q.joinedDefault
		if q.isDefault {
			last = &j.from.joinedByDefault
		}
		if *last != j.rec {
			*last = j.rec
			q.ops.push(op{kind: opOrder, rec: j.rec})
		}
	}
}

// mark puts a marker behind everything queued, or returns the one that is there.
func (q *Queue) mark() Point {
	q.mu.Lock()
	if q.idle() {
		err := q.failure()
		q.mu.Unlock()
		if err != nil {
			return Point{failedRecord(err)}
		}
		return Point{}
	}
	if o := q.ops.back(); o != nil && o.kind == opRecord && o.rec.marker {
		r := o.rec
		q.mu.Unlock()
		return Point{r}
	}
	r := newMarker()
	q.ops.push(op{kind: opRecord, rec: r})
	q.kick()
	return Point{r}
}

// markJoined is mark; for the default queue it also returns what its next operation would wait for.
// Those waits are not queued there, since blocking queues would have to wait for them in turn.
func (q *Queue) markJoined() Point {
	p := q.mark()
	if !q.isDefault || p.rec != nil && p.rec.load() == Failed {
		return p
	}
	js := q.joins()
	if len(js) == 0 {
		return p
	}
	all := &Queue{eng: q.eng, priority: q.priority, nonBlocking: true}
	all.mu.Lock()
	for _, j := range js {
		if j.rec != nil {
			all.ops.push(op{kind: opOrder, rec: j.rec})
		}
	}
	if p.rec != nil {
		all.ops.push(op{kind: opWait, rec: p.rec})
	}
	r := newMarker()
	all.ops.push(op{kind: opRecord, rec: r})
	all.kick()
	return Point{r}
}

// blockingPending reports whether the default queue's next operation would have to wait for a
// blocking queue. The caller holds no queue's lock.
func (e *Engine) blockingPending() bool {
	if e.blockingBusy.Load() == 0 {
		return false
	}
	for _, q := range e.busyQueues() {
		if q.nonBlocking || q.isDefault {
			continue
		}
		q.mu.Lock()
		busy := !q.idle()
		q.mu.Unlock()
		if busy {
			return true
		}
	}
	return false
}
