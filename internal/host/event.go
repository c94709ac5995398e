package host

import (
	"sync"
	"sync/atomic"
)

// EventOptions of an event.
type EventOptions struct {
	Timing bool // stamp records with the clock
}

// Event marks a place in a queue. It can be recorded again and again; each record is a new
// generation.
type Event struct {
	eng    *Engine
	timing bool
	closed atomic.Bool            // written under mu
	cur    atomic.Pointer[record] // the newest record made by this object; written under mu

	mu  sync.Mutex // taken before a queue's lock, never while carrying operations out
	gen uint64
	own record // the first record's memory
}

// NewEvent makes an event.
func (e *Engine) NewEvent(o EventOptions) *Event { return &Event{eng: e, timing: o.Timing} }

// Engine returns the event's engine.
func (ev *Event) Engine() *Engine { return ev.eng }

// Timing reports whether records are stamped.
func (ev *Event) Timing() bool { return ev.timing }

// Record queues a new record of ev, which replaces the one before; existing waiters keep waiting
// for the earlier record. On an idle queue the record is complete at once, on a failed one failed.
// It returns the record's generation.
func (q *Queue) Record(ev *Event) (generation uint64, err error) {
	if q == nil || ev == nil {
		return 0, ErrNil
	}
	if q.eng != ev.eng {
		return 0, ErrOtherEngine
	}
	joins := q.joins()
	ev.mu.Lock()
	q.mu.Lock()
	gen, took, err := q.recordLocked(ev, joins)
	q.mu.Unlock()
	ev.mu.Unlock()
	if took {
		// Only now, since callbacks may use the event.
		var w wake
		q.mu.Lock()
		q.pump(&w, false)
		w.flush()
	}
	return gen, err
}

func (q *Queue) recordLocked(ev *Event, joins []join) (gen uint64, took bool, err error) {
	if q.special != 0 || ev.closed.Load() {
		if gen, taken, err := q.recordAside(ev); taken {
			return gen, false, err
		}
	}
	q.pushJoins(joins)
	r := ev.next()
	if q.ops.n == 0 && !q.active {
		r.settle(q.eng.clock.Now(), q.failure())
		ev.cur.Store(r)
		return r.gen, false, nil
	}
	r.state.Store(uint32(Pending))
	q.ops.push(op{kind: opRecord, rec: r})
	ev.cur.Store(r)
	return r.gen, q.take(), nil
}

// next returns memory for the event's next record. It reuses the last record if that is complete
// and has no other users.
func (ev *Event) next() *record {
	r := ev.cur.Load()
	switch {
	case r == nil:
		r = &ev.own
	case r.shared || !r.final():
		r = new(record)
	}
	ev.gen++
	r.gen, r.timed = ev.gen, ev.timing
	return r
}

// Point returns the newest record. An event that was never recorded has none, and one recorded in a
// capture only a place in a graph.
func (ev *Event) Point() (Point, error) {
	if ev == nil {
		return Point{}, ErrNil
	}
	ev.mu.Lock()
	defer ev.mu.Unlock()
	if ev.closed.Load() {
		return Point{}, ErrClosed
	}
	r := ev.cur.Load()
	if r == nil {
		return Point{}, ErrNotRecorded
	}
	if r.place != nil {
		return Point{}, ErrCaptured
	}
	r.shared = true
	return Point{r}, nil
}

// Query reports whether the newest record is complete; an event never recorded is. A failed record
// is complete and returns its error.
func (ev *Event) Query() (done bool, err error) {
	if ev == nil {
		return false, ErrNil
	}
	if !ev.closed.Load() {
		r := ev.cur.Load()
		if r == nil {
			return true, nil
		}
		switch r.load() {
		case Done:
			return true, nil
		case Pending:
			return false, nil
		}
	}
	p, err := ev.Point()
	switch err {
	case nil:
		return p.Query()
	case ErrNotRecorded:
		return true, nil
	}
	return false, err
}

// State returns what is known about the newest record.
func (ev *Event) State() State {
	if ev == nil {
		return Closed
	}
	if !ev.closed.Load() {
		if r := ev.cur.Load(); r != nil {
			return r.load()
		}
		return Unrecorded
	}
	p, err := ev.Point()
	switch err {
	case nil:
		return p.State()
	case ErrNotRecorded:
		return Unrecorded
	case ErrCaptured:
		return Captured
	}
	return Closed
}

// Generation returns the number of the newest record, 0 if there is none.
func (ev *Event) Generation() uint64 {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	return ev.gen
}

// Sync waits for the newest record and returns its error. For an event never recorded it returns at
// once.
func (ev *Event) Sync() error {
	if done, err := ev.Query(); done || err != nil {
		return err
	}
	p, err := ev.Point()
	if err != nil {
		return err
	}
	return p.Sync()
}

// Close closes the event. Pending records go on, points stay valid, and every later call returns
// ErrClosed. Closing again does nothing.
func (ev *Event) Close() error {
	if ev == nil {
		return ErrNil
	}
	ev.mu.Lock()
	defer ev.mu.Unlock()
	ev.closed.Store(true)
	return nil
}
