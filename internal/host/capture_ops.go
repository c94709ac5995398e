package host

// aside returns errAside if the queue is being captured, and ErrClosed if it is closed. The caller
// holds q.mu.
func (q *Queue) aside() error {
	if c := q.lockCapture(); c != nil {
		c.mu.Unlock()
		return errAside
	}
	if q.special&isClosed != 0 {
		return ErrClosed
	}
	return nil
}

// refusesQueries returns why the queue can't be queried, or nil. The caller holds q.mu.
func (q *Queue) refusesQueries() error {
	if q.special == 0 {
		return nil
	}
	if err := q.aside(); err != errAside {
		return err
	}
	return ErrCapturing
}

// takeAside makes an operation a node of the capture. It returns false if it must be queued as
// usual. The caller holds q.mu.
func (q *Queue) takeAside(o *op) (taken bool, err error) {
	c := q.lockCapture()
	if c == nil {
		return q.special&isClosed != 0, ErrClosed
	}
	defer c.mu.Unlock()
	if o.kind == opWait && !o.gate {
		return true, c.spoil(ErrIsolation)
	}
	return true, c.add(q, node{op: *o})
}

// recordAside records in a capture: the event then marks a place in the graph. It returns false if
// the record must be made as usual. The caller holds ev.mu and q.mu.
func (q *Queue) recordAside(ev *Event) (gen uint64, taken bool, err error) {
	if ev.closed.Load() {
		return 0, true, ErrClosed
	}
	c := q.lockCapture()
	if c == nil {
		return 0, q.special&isClosed != 0, ErrClosed
	}
	defer c.mu.Unlock()
	if err := c.refusal(); err != nil {
		return 0, true, err
	}
	ev.gen++
	r := &record{gen: ev.gen, shared: true, timed: ev.timing,
		place: &graphPlace{capture: c, after: c.queues[q].tail}}
	r.state.Store(uint32(Captured))
	ev.cur.Store(r)
	return r.gen, true, nil
}

// RecordUnlessCapturing is Record, unless the queue is being captured. Then it does nothing and
// returns true.
func (q *Queue) RecordUnlessCapturing(ev *Event) (capturing bool, err error) {
	if q == nil || ev == nil {
		return false, ErrNil
	}
	if q.eng != ev.eng {
		return false, ErrOtherEngine
	}
	joins := q.joins()
	ev.mu.Lock()
	q.mu.Lock()
	var took bool
	if capturing = q.aside() == errAside; !capturing {
		_, took, err = q.recordLocked(ev, joins)
	}
	q.mu.Unlock()
	ev.mu.Unlock()
	if took {
		var w wake
		q.mu.Lock()
		q.pump(&w, false)
		w.flush()
	}
	return capturing, err
}

// RecordExternal is Record, but in a capture it becomes a node that records the event at each
// launch.
func (q *Queue) RecordExternal(ev *Event) error {
	if q == nil || ev == nil {
		return ErrNil
	}
	if q.eng != ev.eng {
		return ErrOtherEngine
	}
	if taken, err := q.addForEvent(opRecord, ev); taken {
		return err
	}
	_, err := q.Record(ev)
	return err
}

// WaitExternal is WaitEvent, but in a capture it becomes a node that waits at each launch for what
// is then the newest record of ev.
func (q *Queue) WaitExternal(ev *Event) error {
	if q == nil || ev == nil {
		return ErrNil
	}
	if taken, err := q.addForEvent(opWait, ev); taken {
		return err
	}
	return q.WaitEvent(ev)
}

// addForEvent adds a node that records ev or waits for it. It returns false if the queue is not
// being captured.
func (q *Queue) addForEvent(kind opKind, ev *Event) (taken bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.lockCapture()
	if c == nil {
		return false, nil
	}
	defer c.mu.Unlock()
	if ev.closed.Load() {
		return true, ErrClosed
	}
	return true, c.add(q, node{op: op{kind: kind}, ev: ev})
}

// outside refuses to make a captured queue wait for something outside the capture.
func (q *Queue) outside() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.lockCapture()
	if c == nil { // it has just ended, and what to wait for was done
		return nil
	}
	defer c.mu.Unlock()
	return c.spoil(ErrIsolation)
}

// waitAside is WaitEvent where a capture is involved: the queue's, or the event's.
func (q *Queue) waitAside(ev *Event) error {
	ev.mu.Lock()
	closed, r := ev.closed.Load(), ev.cur.Load()
	ev.mu.Unlock()
	switch {
	case closed:
		return ErrClosed
	case r == nil:
		if err := q.usable(); err != errAside {
			return err
		}
		return nil
	case r.place != nil:
		return q.joinCapture(r.place)
	}
	if err := q.usable(); err != errAside {
		if err != nil {
			return err
		}
		return q.submit(op{kind: opWait, rec: r})
	}
	return q.outside()
}

// place returns the place in a capture behind everything that the queue has done there; nil if it
// is not being captured.
func (q *Queue) place() *graphPlace {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.lockCapture()
	if c == nil {
		return nil
	}
	defer c.mu.Unlock()
	return &graphPlace{c, c.queues[q].tail}
}

// joinCapture makes the queue wait for a place in a capture, and so take part in it.
func (q *Queue) joinCapture(at *graphPlace) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := at.capture
	if c.ended.Load() {
		return ErrCaptured
	}
	own := q.lockCapture()
	switch {
	case own == nil && q.special&isClosed != 0:
		return ErrClosed
	case own == nil:
		if err := q.failure(); err != nil {
			return err
		}
		c.mu.Lock()
	case own != c:
		_ = own.spoil(ErrMerge)
		own.mu.Unlock()
		c.mu.Lock() // never together with another capture's
		defer c.mu.Unlock()
		return c.spoil(ErrMerge)
	}
	defer c.mu.Unlock()
	switch err := c.refusal(); {
	case c.ended.Load():
		return ErrCaptured
	case err != nil:
		return err
	case q.isDefault:
		return c.spoil(ErrCaptureDefault)
	}
	m := c.admit(q)
	m.tail = union(m.tail, at.after)
	return nil
}
