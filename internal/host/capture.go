package host

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// capture collects the operations of queues as the nodes of a graph.
type capture struct {
	origin *Queue
	id     uint64      // no other has it
	ended  atomic.Bool // written under mu

	mu     sync.Mutex // taken after a queue's lock; no other lock is taken under it
	broken error      // why it is invalid
	nodes  []node
	queues map[*Queue]*member // those that take part
}

// member is a queue that takes part in a capture.
type member struct {
	tail   []int // the nodes that its next operation follows; never changed in place
	lastDo int   // its last function, counted from 1; 0 if none
}

// graphPlace is where an event was recorded in a capture.
type graphPlace struct {
	capture *capture
	after   []int
}

// BeginCapture begins a capture: from now on the queue's operations become nodes of a graph and do
// not run. What was queued before runs as usual. The capture spreads to queues that wait for an
// event recorded in it. These have to be joined back: the queue must wait for an event recorded
// behind their last operation. The default queue can't be captured.
func (q *Queue) BeginCapture() error {
	if q == nil {
		return ErrNil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch err := q.aside(); {
	case err == errAside:
		return ErrCaptureBegun
	case err != nil:
		return err
	case q.isDefault:
		return ErrCaptureDefault
	}
	if err := q.failure(); err != nil {
		return err
	}
	c := &capture{origin: q, id: captures.Add(1), queues: map[*Queue]*member{}}
	c.admit(q)
	return nil
}

// EndCapture ends the capture that began on the queue and returns its graph. It fails with
// ErrUnjoined if the queue does not follow the work of every other one that took part, and with
// ErrCaptureInvalid if the capture was made invalid; the capture is over then too. A capture that
// began on another queue goes on.
func (q *Queue) EndCapture() (*Graph, error) {
	if q == nil {
		return nil, ErrNil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.lockCapture()
	switch {
	case c == nil && q.special&isClosed != 0:
		return nil, ErrClosed
	case c == nil:
		return nil, ErrNotCapturing
	}
	defer c.mu.Unlock()
	if c.origin != q {
		return nil, fmt.Errorf("%w: %v", ErrCaptureOther, c.origin)
	}
	nodes, err := c.nodes, c.refusal()
	if err == nil {
		err = c.unjoined()
	}
	c.end()
	q.leaveCapture()
	if err != nil {
		return nil, err
	}
	return newGraph(c, nodes), nil
}

// Capturing reports whether the queue is being captured.
func (q *Queue) Capturing() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.aside() == errAside
}

// lockCapture returns the capture that q takes part in, locked; nil if there is none. The caller
// holds q.mu.
func (q *Queue) lockCapture() *capture {
	c := q.capture
	if c == nil {
		return nil
	}
	c.mu.Lock()
	if c.ended.Load() {
		c.mu.Unlock()
		q.leaveCapture()
		return nil
	}
	return c
}

// leaveCapture frees the queue of a capture that has ended. The caller holds q.mu.
func (q *Queue) leaveCapture() {
	q.capture = nil
	q.special &^= isCaptured
}

// abandonCapture takes a queue that is about to be closed out of its capture. The caller holds
// q.mu.
func (q *Queue) abandonCapture() {
	c := q.lockCapture()
	if c == nil {
		return
	}
	if c.origin == q {
		c.end()
	} else {
		c.spoil(fmt.Errorf("%w: %v", ErrCapturedClosed, q))
		delete(c.queues, q)
	}
	c.mu.Unlock()
	q.leaveCapture()
}

// admit makes q take part. The caller holds q.mu, and c.mu unless nobody else knows the capture.
func (c *capture) admit(q *Queue) *member {
	m := c.queues[q]
	if m == nil {
		m = &member{}
		c.queues[q] = m
		q.capture = c
		q.special |= isCaptured
	}
	return m
}

// end ends the capture. Its other queues find out at their next operation. The caller holds c.mu.
func (c *capture) end() {
	c.ended.Store(true)
	c.nodes, c.queues = nil, nil
}

// spoil makes the capture invalid and returns the cause. The caller holds c.mu.
func (c *capture) spoil(cause error) error {
	if c.broken == nil {
		c.broken = cause
	}
	return cause
}

// refusal returns why nothing can be added, or nil. The caller holds c.mu.
func (c *capture) refusal() error {
	if c.broken != nil {
		return fmt.Errorf("%w: %w", ErrCaptureInvalid, c.broken)
	}
	return nil
}

// add adds a node behind what q has done in the capture. The caller holds c.mu.
func (c *capture) add(q *Queue, n node) error {
	if err := c.refusal(); err != nil {
		return err
	}
	m := c.queues[q]
	n.eng, n.after = q.eng, m.tail
	m.tail = []int{len(c.nodes)}
	c.nodes = append(c.nodes, n)
	if n.op.kind == opDo {
		m.lastDo = len(c.nodes)
	}
	return nil
}

// unjoined returns an error if the origin does not follow the last work of every queue. The caller
// holds c.mu.
func (c *capture) unjoined() error {
	seen := make([]bool, len(c.nodes))
	todo := slices.Clone(c.queues[c.origin].tail)
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[id] {
			seen[id] = true
			todo = append(todo, c.nodes[id].after...)
		}
	}
	for q, m := range c.queues {
		for _, id := range m.tail {
			if !seen[id] {
				return fmt.Errorf("%w: %v", ErrUnjoined, q)
			}
		}
	}
	return nil
}

// union returns the numbers of both lists, which it leaves as they are.
func union(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	u := slices.Clip(a)
	for _, id := range b {
		if !slices.Contains(a, id) {
			u = append(u, id)
		}
	}
	return u
}

// captures counts all captures.
var captures atomic.Uint64

// CaptureID returns the number of the capture that the queue takes part in, which all its queues
// share. It returns false if there is none.
func (q *Queue) CaptureID() (uint64, bool) {
	if q == nil {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.lockCapture()
	if c == nil {
		return 0, false
	}
	defer c.mu.Unlock()
	return c.id, true
}
