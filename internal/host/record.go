package host

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// record is one record of an event, or a place in a queue without an event. It becomes final once.
// Its event may reuse it for its next record, but only while no Point, wait or subscription can
// refer to it (shared is false).
type record struct {
	gen    uint64        // guarded by the event's lock until shared, then constant
	shared bool          // guarded by the event's lock
	timed  bool          // constant
	state  atomic.Uint32 // a State; the fields below are written before it turns final
	at     time.Duration
	err    error

	mu    sync.Mutex
	first *Subscription // notified at the end, oldest first
	last  *Subscription
	done  chan struct{} // made when first needed

	marker bool        // constant: made by Queue.Mark; may stand for several callers
	place  *graphPlace // constant: where it is in a capture; it is Captured and stays so
}

func newRecord() *record {
	r := &record{shared: true}
	r.state.Store(uint32(Pending))
	return r
}

func newMarker() *record {
	r := newRecord()
	r.marker = true
	return r
}

// failedRecord returns a record that is failed from the beginning.
func failedRecord(err error) *record {
	r := &record{shared: true, err: err}
	r.state.Store(uint32(Failed))
	return r
}

func (r *record) load() State { return State(r.state.Load()) }

func (r *record) final() bool {
	s := r.load()
	return s == Done || s == Failed
}

// settle writes the outcome. The record must be pending; the caller is the only one to settle it,
// or holds r.mu.
func (r *record) settle(at time.Duration, err error) {
	r.at, r.err = at, err
	if err != nil {
		r.state.Store(uint32(Failed))
	} else {
		r.state.Store(uint32(Done))
	}
}

// complete makes a pending record final and notifies its subscribers. The first completion wins.
// The caller holds no queue's or event's lock.
func (r *record) complete(at time.Duration, err error, w *wake) bool {
	n, ok := r.take(at, err)
	if ok {
		n.call(err)
		n.tell(err, w)
	}
	return ok
}

// take makes a pending record final and returns whom to notify. False means that it was final
// already.
func (r *record) take(at time.Duration, err error) (n notice, ok bool) {
	r.mu.Lock()
	if r.load() != Pending {
		r.mu.Unlock()
		return notice{}, false
	}
	n = notice{subs: r.first, done: r.done}
	r.first, r.last = nil, nil
	for s := n.subs; s != nil; s = s.next {
		s.rec = nil // from now on Stop is too late
		n.calls = n.calls || s.fn != nil
	}
	r.settle(at, err) // last: an event may reuse the record from now on
	r.mu.Unlock()
	return n, true
}

// notice is the list of subscribers of a completion.
type notice struct {
	subs  *Subscription
	done  chan struct{}
	calls bool // there are functions among them
}

// call calls the functions. The caller holds no lock.
func (n *notice) call(err error) {
	for s := n.subs; s != nil; s = s.next {
		if s.fn != nil {
			s.fn(err)
		}
	}
}

// tell wakes the goroutines and passes the queues to w. It never blocks.
func (n *notice) tell(err error, w *wake) {
	if n.done != nil {
		close(n.done)
	}
	for s := n.subs; s != nil; s = s.next {
		switch {
		case s.queue != nil:
			w.add(s.queue)
		case s.wait != nil:
			s.wait <- err
		}
	}
}

// subscribe appends s. It returns false if the record is already final.
func (r *record) subscribe(s *Subscription) bool {
	r.mu.Lock()
	if r.load() != Pending {
		r.mu.Unlock()
		return false
	}
	s.rec, s.prev = r, r.last
	if r.last != nil {
		r.last.next = s
	} else {
		r.first = s
	}
	r.last = s
	r.mu.Unlock()
	return true
}

// Subscription is a request to be notified of a point's completion.
type Subscription struct {
	rec        *record // nil once notified or stopped, or if never pending
	prev, next *Subscription
	mu         *sync.Mutex // the record's

	// One of these.
	fn    func(error)
	wait  chan error // of a goroutine, with room for the error
	queue *Queue     // to go on with
}

// Stop withdraws the request. It reports whether it came in time: after true the function is not
// called, after false it has been or is being called.
func (s *Subscription) Stop() bool {
	if s == nil || s.mu == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.rec
	if r == nil {
		return false
	}
	s.rec = nil
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		r.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		r.last = s.prev
	}
	return true
}

// State is what is known about an event or a point.
type State uint8

// States of an event. A point is only ever Pending, Done or Failed.
const (
	Unrecorded State = iota // never recorded
	Pending                 // recorded; its queue has not reached it yet
	Done                    // its queue has reached it
	Failed                  // its queue or engine failed first
	Closed                  // closed
	Captured                // recorded in a capture
)

var stateNames = [...]string{"Unrecorded", "Pending", "Done", "Failed", "Closed", "Captured"}

// String returns the state's name.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}
