package host

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Options of an engine. The zero value is a real device.
type Options struct {
	Name             string // for messages; "host" if empty
	Clock            Clock  // a new real clock if nil
	LeastPriority    int    // of queues: the number of the lowest priority
	GreatestPriority int    // and of the highest, which is the lower number; -1 if both are zero
}

// Engine is one device. It needs no closing: an idle engine holds nothing but memory.
type Engine struct {
	name            string
	clock           Clock
	least, greatest int
	failed          atomic.Pointer[error]
	def             atomic.Pointer[Queue]
	ids             atomic.Uint64
	// the number of blocking queues with pending work, without the default one
	blockingBusy atomic.Int32

	mu   sync.Mutex // no other lock is taken under it
	busy map[*Queue]struct{}
}

// New makes an engine.
func New(o Options) *Engine {
	e := &Engine{name: o.Name, clock: o.Clock, least: o.LeastPriority, greatest: o.GreatestPriority}
	if e.name == "" {
		e.name = "host"
	}
	if e.clock == nil {
		e.clock = NewRealClock()
	}
	if e.least == 0 && e.greatest == 0 {
		e.greatest = -1
	}
	return e
}

// Name returns the name given in the options.
func (e *Engine) Name() string { return e.name }

// Clock returns the engine's clock.
func (e *Engine) Clock() Clock { return e.clock }

// PriorityRange returns the lowest and the highest priority of a queue. Lower numbers are higher
// priorities.
func (e *Engine) PriorityRange() (least, greatest int) { return e.least, e.greatest }

// Fail makes the device fail for good: every pending and every later point completes as Failed with
// err, nothing queued runs any more, and every wait ends. Functions that are already running can't
// be stopped, but nothing waits for them. The first failure stays. A nil err means ErrDeviceFailed.
func (e *Engine) Fail(err error) {
	if err == nil {
		err = ErrDeviceFailed
	}
	if !e.failed.CompareAndSwap(nil, &err) {
		return
	}
	var w wake
	for _, q := range e.busyQueues() {
		q.abandon(&w)
	}
	w.flush()
}

// Err returns the failure of the device, nil while it works.
func (e *Engine) Err() error {
	if p := e.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// Query reports whether no queue has pending work. A failed device is done and returns its error.
func (e *Engine) Query() (done bool, err error) {
	if err := e.Err(); err != nil {
		return true, err
	}
	for _, q := range e.busyQueues() {
		q.mu.Lock()
		busy := !q.idle()
		q.mu.Unlock()
		if busy {
			return false, nil
		}
	}
	return true, nil
}

// Sync waits for everything queued before the call, on all queues. It returns the first failure
// among the queues that were busy, or the device's.
func (e *Engine) Sync() error {
	var first error
	for _, q := range e.busyQueues() {
		if err := q.mark().Sync(); first == nil {
			first = err
		}
	}
	if err := e.Err(); err != nil {
		return err
	}
	return first
}

func (e *Engine) busyQueues() []*Queue {
	e.mu.Lock()
	defer e.mu.Unlock()
	qs := make([]*Queue, 0, len(e.busy))
	for q := range e.busy {
		qs = append(qs, q)
	}
	return qs
}

func (e *Engine) setBusy(q *Queue, busy bool) {
	if q.busy.Load() == busy {
		return
	}
	delta := int32(-1)
	e.mu.Lock()
	if busy {
		delta = 1
		if e.busy == nil {
			e.busy = map[*Queue]struct{}{}
		}
		e.busy[q] = struct{}{}
	} else {
		delete(e.busy, q)
	}
	e.mu.Unlock()
	q.busy.Store(busy)
	if !q.nonBlocking && !q.isDefault {
		e.blockingBusy.Add(delta)
	}
}

func (e *Engine) checkPriority(p int) error {
	if p > e.least || p < e.greatest {
		return fmt.Errorf("%w: engine %s: priority %d: choose from %d (lowest) to %d (highest)",
			ErrPriority, e.name, p, e.least, e.greatest)
	}
	return nil
}

// Clock is the time of an engine: it stamps records and ends delays.
type Clock interface {
	// Now is the time since an origin of the clock's choosing. It never goes back.
	Now() time.Duration
	// AfterFunc calls f once when d has passed, never from within AfterFunc itself. stop() prevents
	// the call and reports whether it came in time.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// NewRealClock returns the machine's monotonic clock, starting at zero now.
func NewRealClock() Clock { return realClock{time.Now()} }

type realClock struct{ origin time.Time }

func (c realClock) Now() time.Duration { return time.Since(c.origin) }

func (c realClock) AfterFunc(d time.Duration,
	f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}
