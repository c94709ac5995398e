package host

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// QueueOptions of a queue. The zero value is a blocking queue of priority zero.
type QueueOptions struct {
	// NonBlocking exempts the queue from the order with the default queue. A blocking queue's
	// operations wait for what was queued on the default queue before them, and vice versa.
	NonBlocking bool
	// Priority is within the engine's range. When one completion releases several queues, they go
	// on in the order of their priorities. Functions of different queues run on goroutines, which
	// have no priority.
	Priority int
}

// Queue is a sequence of operations that happen one after the other.
type Queue struct {
	eng         *Engine
	id          uint64
	priority    int
	nonBlocking bool
	isDefault   bool
	busy        atomic.Bool // in the engine's busy set; written under mu

	mu      sync.Mutex
	ops     opRing
	active  bool        // a goroutine carries out the operations
	telling bool        // it calls a record's callbacks, without q.mu
	inFn    bool        // it is inside a function
	epoch   uint64      // changes when a function's goroutine loses the queue
	err     error       // the sticky failure
	special uint8       // why operations are not queued as usual; 0 if they are
	stop    func() bool // ends the delay at the front

	// Guarded by the lock of the queue that waits: what the default queue has last waited for here,
	// and what this queue has last waited for on the default queue.
	joinedByDefault *record
	joinedDefault   *record

	capture *capture // set while special has isCaptured, and a little longer
}

// Reasons in Queue.special.
const (
	isClosed uint8 = 1 << iota
	isCaptured
)

// NewQueue makes a queue. A priority outside the range is an error.
func (e *Engine) NewQueue(o QueueOptions) (*Queue, error) {
	if err := e.checkPriority(o.Priority); err != nil {
		return nil, err
	}
	return &Queue{eng: e, id: e.ids.Add(1), priority: o.Priority, nonBlocking: o.NonBlocking}, nil
}

// Default returns the engine's default queue: made at the first call, never closed. It keeps an
// order with all blocking queues.
func (e *Engine) Default() *Queue {
	if q := e.def.Load(); q != nil {
		return q
	}
	e.def.CompareAndSwap(nil, &Queue{eng: e, priority: min(max(0, e.greatest), e.least),
		isDefault: true})
	return e.def.Load()
}

// Engine returns the queue's engine.
func (q *Queue) Engine() *Engine { return q.eng }

// ID returns the queue's number in its engine, from 1; the default queue is 0.
func (q *Queue) ID() uint64 { return q.id }

// Priority returns the queue's priority.
func (q *Queue) Priority() int { return q.priority }

// NonBlocking reports whether the queue is exempt from the order with the default queue.
func (q *Queue) NonBlocking() bool { return q.nonBlocking }

// IsDefault reports whether this is the engine's default queue.
func (q *Queue) IsDefault() bool { return q.isDefault }

// String returns the names of the engine and the queue.
func (q *Queue) String() string {
	if q == nil {
		return "queue(nil)"
	}
	return fmt.Sprintf("%s:queue%d", q.eng.name, q.id)
}

// Do queues a function. It runs on a goroutine of the queue, never on the caller's. An error, a
// panic or a Goexit fails the queue.
func (q *Queue) Do(f func() error) error {
	if q == nil || f == nil {
		return ErrNil
	}
	return q.submit(op{kind: opDo, fn: f})
}

// Delay queues a pause of d by the engine's clock, counted from when the queue reaches it.
func (q *Queue) Delay(d time.Duration) error {
	if q == nil {
		return ErrNil
	}
	return q.submit(op{kind: opDelay, d: d})
}

// Gate queues a wait for a new gate and returns the gate.
func (q *Queue) Gate() (*Gate, error) {
	g := NewGate()
	return g, q.WaitGate(g)
}

// WaitGate queues a wait for g.
func (q *Queue) WaitGate(g *Gate) error {
	if q == nil || g == nil {
		return ErrNil
	}
	return q.submit(op{kind: opWait, gate: true, rec: g.rec})
}

// Wait queues a wait for a point, of this engine or another. A done point does not delay the queue;
// a failed one fails the queue when the queue reaches it.
func (q *Queue) Wait(p Point) error {
	if q == nil {
		return ErrNil
	}
	if p.State() == Done {
		if err := q.usable(); err != errAside {
			return err
		}
		return q.outside()
	}
	return q.submit(op{kind: opWait, rec: p.rec})
}

// WaitEvent queues a wait for the newest record of ev, as Wait does. It does nothing if there is no
// record.
func (q *Queue) WaitEvent(ev *Event) error {
	if q == nil || ev == nil {
		return ErrNil
	}
	if done, err := ev.Query(); done && err == nil {
		if err := q.usable(); err != errAside {
			return err
		}
		return q.waitAside(ev)
	}
	switch p, err := ev.Point(); err {
	case nil:
		return q.Wait(p)
	case ErrNotRecorded, ErrCaptured:
		return q.waitAside(ev)
	default:
		return err
	}
}

// WaitQueue queues a wait for everything queued on other before the call.
func (q *Queue) WaitQueue(other *Queue) error {
	if q == nil || other == nil {
		return ErrNil
	}
	if at := other.place(); at != nil {
		return q.joinCapture(at)
	}
	p, err := other.Mark()
	if err != nil {
		return err
	}
	return q.Wait(p)
}

// Mark returns the point at which everything queued before the call has happened; for the default
// queue, also everything that it keeps an order with. Subscribe to it to learn when the queue
// becomes idle. A queue that is being captured refuses Mark, Sync and Query with ErrCapturing.
func (q *Queue) Mark() (Point, error) {
	if q == nil {
		return Point{}, ErrNil
	}
	q.mu.Lock()
	err := q.refusesQueries()
	q.mu.Unlock()
	if err != nil {
		return Point{}, err
	}
	return q.markJoined(), nil
}

// Sync waits for the queue's Mark and returns the queue's failure.
func (q *Queue) Sync() error {
	p, err := q.Mark()
	if err != nil {
		return err
	}
	return p.Sync()
}

// idle reports whether nothing is pending. Callbacks of the last record find it so. The caller
// holds q.mu.
func (q *Queue) idle() bool { return q.ops.n == 0 && (!q.active || q.telling) }

// Query reports whether nothing is pending; on the default queue, neither there nor on any blocking
// queue. A failed queue is done and returns its error.
func (q *Queue) Query() (done bool, err error) {
	if q == nil {
		return false, ErrNil
	}
	q.mu.Lock()
	refused, failure, idle := q.refusesQueries(), q.failure(), q.idle()
	q.mu.Unlock()
	switch {
	case refused != nil:
		return false, refused
	case failure != nil:
		return true, failure
	}
	return idle && !(q.isDefault && q.eng.blockingPending()), nil
}

// Err returns the sticky failure of the queue or its engine.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failure()
}

// Fail fails the queue from within one of its functions with this error, however the function ends.
// The first failure stays.
func (q *Queue) Fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = err
	}
}

// Reset revives a failed queue and returns the failure. Skipped work stays skipped. A failed engine
// can't be revived.
func (q *Queue) Reset() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	err := q.failure()
	q.err = nil
	return err
}

// Close closes the queue: pending work goes on, and every later call returns ErrClosed. Closing
// again does nothing. The default queue can't be closed. A capture that began on the queue ends
// without a graph; another one that the queue takes part in is invalidated.
func (q *Queue) Close() error {
	if q == nil {
		return ErrNil
	}
	if q.isDefault {
		return ErrDefaultQueue
	}
	q.mu.Lock()
	q.abandonCapture()
	q.special |= isClosed
	q.mu.Unlock()
	return nil
}

// usable returns why nothing can be queued, or nil. On a captured queue it returns errAside.
func (q *Queue) usable() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.special != 0 {
		if err := q.aside(); err != nil {
			return err
		}
	}
	return q.failure()
}

// failure needs q.mu.
func (q *Queue) failure() error {
	if q.err != nil {
		return q.err
	}
	return q.eng.Err()
}

// submit queues o behind the waits that the order with the default queue requires.
func (q *Queue) submit(o op) error {
	joins := q.joins()
	q.mu.Lock()
	if q.special != 0 {
		if taken, err := q.takeAside(&o); taken {
			q.mu.Unlock()
			return err
		}
	}
	if err := q.failure(); err != nil {
		q.mu.Unlock()
		return err
	}
	q.pushJoins(joins)
	q.ops.push(o)
	q.kick()
	return nil
}

// kick goes on with the operations if no goroutine does. It unlocks q.mu.
func (q *Queue) kick() {
	if !q.take() {
		q.mu.Unlock()
		return
	}
	var w wake
	q.pump(&w, false)
	w.flush()
}
