package host

import "sync"

// CaptureMode says which calls a capture forbids elsewhere. The engine keeps it for its user, who knows about threads.
type CaptureMode uint8

// Capture modes.
const (
	CaptureGlobal CaptureMode = iota
	CaptureThreadLocal
	CaptureRelaxed
)

// CaptureStatus of a capture.
type CaptureStatus uint8

// Capture statuses.
const (
	CaptureEnded CaptureStatus = iota
	CaptureActive
	CaptureInvalidated // still to be ended, with an error
)

// Capture turns the operations of a queue into a Graph instead of carrying them out, and those of the queues that wait for its events.
type Capture struct {
	eng    *Engine
	id     uint64
	mode   CaptureMode
	origin *Queue

	mu     sync.Mutex // taken after a queue's or event's lock
	status CaptureStatus
	nodes  []*node
	tails  map[*Queue][]*node // what the next operation of each queue depends on; the slices are never changed
}

// capturedAt is a place in a capture, for an event recorded there.
type capturedAt struct {
	capture *Capture
	deps    []*node
}

// BeginCapture begins a capture on q. What is pending on q goes on.
func BeginCapture(q *Queue, mode CaptureMode) (*Capture, error) {
	if q == nil {
		return nil, ErrNil
	}
	if q.isDefault {
		return nil, ErrCaptureUnsupported
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	if err := q.failure(); err != nil {
		return nil, err
	}
	c := &Capture{eng: q.eng, id: q.eng.ids.Add(1), mode: mode, origin: q, status: CaptureActive, tails: map[*Queue][]*node{q: nil}}
	if !q.capture.CompareAndSwap(nil, c) {
		return nil, ErrCapturing
	}
	c.eng.addCapture(c)
	return c, nil
}

// EndCapture ends the capture that began on q and frees all its queues. All work must have come together on q again.
func EndCapture(q *Queue) (*Graph, error) {
	if q == nil {
		return nil, ErrNil
	}
	c := q.capture.Load()
	if c == nil {
		return nil, ErrNotCapturing
	}
	if c.origin != q {
		return nil, ErrCaptureUnmatched
	}
	return c.end()
}

func (c *Capture) end() (*Graph, error) {
	c.mu.Lock()
	status, nodes := c.status, c.nodes
	joined := c.joined()
	c.status = CaptureEnded
	for q := range c.tails {
		q.capture.CompareAndSwap(c, nil)
	}
	c.tails = nil
	c.mu.Unlock()
	switch {
	case status == CaptureEnded: // by somebody else, just now
		return nil, ErrNotCapturing
	case status == CaptureInvalidated:
		c.eng.removeCapture(c)
		return nil, ErrCaptureInvalidated
	}
	c.eng.removeCapture(c)
	if !joined {
		return nil, ErrCaptureUnjoined
	}
	return &Graph{nodes}, nil
}

// joined reports whether the origin depends on every queue's work. It needs c.mu.
func (c *Capture) joined() bool {
	seen := map[*node]bool{}
	todo := append([]*node(nil), c.tails[c.origin]...)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[n] {
			seen[n] = true
			todo = append(todo, n.deps...)
		}
	}
	for _, tail := range c.tails {
		for _, n := range tail {
			if !seen[n] {
				return false
			}
		}
	}
	return true
}

// Capture is the capture that q is part of, nil if none.
func (q *Queue) Capture() *Capture { return q.capture.Load() }

// Capture is the capture that the newest record of ev is part of, ended or not; nil if none.
func (ev *Event) Capture() *Capture {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	if r := ev.cur.Load(); r != nil && r.load() == Captured {
		return r.capt.capture
	}
	return nil
}

// ID numbers the capture within its engine.
func (c *Capture) ID() uint64 { return c.id }

// Mode is the mode given at the begin.
func (c *Capture) Mode() CaptureMode { return c.mode }

// Origin is the queue on which the capture began.
func (c *Capture) Origin() *Queue { return c.origin }

// Status tells whether the capture is going on.
func (c *Capture) Status() CaptureStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Len is the number of nodes so far.
func (c *Capture) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.nodes)
}

// Invalidate spoils the capture: its queues refuse everything until it is ended, which then is an error.
func (c *Capture) Invalidate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status == CaptureActive {
		c.status = CaptureInvalidated
	}
}

// check needs c.mu.
func (c *Capture) check() error {
	switch c.status {
	case CaptureInvalidated:
		return ErrCaptureInvalidated
	case CaptureEnded:
		return ErrNotCapturing
	}
	return nil
}

// append adds an operation of q. It needs q.mu.
func (c *Capture) append(q *Queue, kind NodeKind, o op, ev *Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.check(); err != nil {
		return err
	}
	n := &node{id: len(c.nodes), kind: kind, op: o, event: ev, deps: c.tails[q], eng: q.eng}
	c.nodes = append(c.nodes, n)
	c.tails[q] = []*node{n}
	return nil
}

// recordEvent makes ev stand for where q is. It needs ev.mu and q.mu.
func (c *Capture) recordEvent(q *Queue, ev *Event) (uint64, error) {
	if ev.ipc != nil {
		return 0, ErrIPCCapture
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.check(); err != nil {
		return 0, err
	}
	ev.gen++
	r := &record{gen: ev.gen, shared: true, capt: &capturedAt{c, c.tails[q]}}
	r.state.Store(uint32(Captured))
	ev.cur.Store(r)
	return ev.gen, nil
}

// joinCapture makes q wait for a place in a capture, and so take part in it.
func (q *Queue) joinCapture(at *capturedAt) error {
	c := at.capture
	if q.isDefault {
		c.Invalidate()
		return ErrCaptureImplicit
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	if other := q.capture.Load(); other != nil && other != c {
		if c.Status() == CaptureEnded {
			return ErrCaptured
		}
		other.Invalidate()
		c.Invalidate()
		return ErrCaptureMerge
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.check() {
	case ErrNotCapturing:
		return ErrCaptured
	case ErrCaptureInvalidated:
		return ErrCaptureInvalidated
	}
	c.tails[q] = union(c.tails[q], at.deps)
	q.capture.Store(c)
	return nil
}

// refuseForeign is the wait of a captured queue for a record made outside. No record is nothing to wait for.
func (c *Capture) refuseForeign(r *record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.check(); err != nil || r == nil {
		return err
	}
	c.status = CaptureInvalidated
	return ErrCaptureIsolation
}

func union(a, b []*node) []*node {
	if len(a) == 0 {
		return b
	}
	u := append([]*node(nil), a...)
	for _, n := range b {
		known := false
		for _, m := range a {
			known = known || m == n
		}
		if !known {
			u = append(u, n)
		}
	}
	return u
}

func (e *Engine) addCapture(c *Capture) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.captures == nil {
		e.captures = map[*Capture]struct{}{}
	}
	e.captures[c] = struct{}{}
	e.capturing.Add(1)
}

func (e *Engine) removeCapture(c *Capture) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.captures, c)
	e.capturing.Add(-1)
}

// implicit refuses the default queue while it would have to wait for a queue being captured, and spoils that capture.
func (q *Queue) implicit() error {
	if !q.isDefault || q.eng.capturing.Load() == 0 {
		return nil
	}
	q.eng.mu.Lock()
	captures := make([]*Capture, 0, len(q.eng.captures))
	for c := range q.eng.captures {
		captures = append(captures, c)
	}
	q.eng.mu.Unlock()
	var err error
	for _, c := range captures {
		if c.spoil(q.eng) {
			err = ErrCaptureImplicit
		}
	}
	return err
}

// spoil invalidates the capture if it has a blocking queue of e.
func (c *Capture) spoil(e *Engine) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for q := range c.tails {
		if q.eng == e && !q.nonBlocking {
			if c.status == CaptureActive {
				c.status = CaptureInvalidated
			}
			return true
		}
	}
	return false
}
