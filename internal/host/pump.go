package host

import (
	"runtime/debug"
	"slices"
)

// take makes the caller carry out the operations, if nobody else does and something can be done. It
// reports whether it did. The caller holds q.mu.
func (q *Queue) take() bool {
	if q.active {
		return false
	}
	o := q.ops.front()
	if o == nil || o.waits() && o.subscribed && o.rec.load() == Pending && q.failure() == nil {
		return false
	}
	q.active = true
	return true
}

// pump carries out operations until the queue is empty, must wait, or has reached a function. It is
// called after take, with q.mu held, and returns without it. A worker then runs the function, with
// q.inFn set; for any other caller a worker is started.
func (q *Queue) pump(w *wake, worker bool) (fn func() error, epoch uint64) {
	for {
		o := q.ops.front()
		if o == nil {
			return q.rest(false)
		}
		if err := q.failure(); err != nil {
			q.stopDelay()
			if skipped := q.ops.pop(); skipped.kind == opRecord {
				q.finish(skipped.rec, err, w)
			}
			continue
		}
		switch {
		case o.kind == opRecord:
			q.finish(q.ops.pop().rec, nil, w)

		case o.kind == opDelay:
			o.kind, o.rec = opOrder, newRecord()
			if o.d <= 0 {
				o.rec.settle(0, nil)
				continue
			}
			r := o.rec
			q.stop = q.eng.clock.AfterFunc(o.d, func() {
				var w wake
				r.complete(0, nil, &w)
				w.flush()
			})

		case o.waits() && o.rec.final():
			q.stop = nil
			if o := q.ops.pop(); o.kind == opWait && o.rec.load() == Failed {
				q.err = o.rec.err
			}

		case o.waits():
			if !o.subscribed {
				o.subscribed = true
				if !o.rec.subscribe(&Subscription{queue: q}) {
					continue
				}
			}
			q.eng.setBusy(q, true)
			if q.eng.Err() == nil { // a later failure finds the queue busy
				return q.rest(true)
			}

		case worker:
			q.inFn = true
			fn, epoch = q.ops.pop().fn, q.epoch
			q.mu.Unlock()
			return fn, epoch

		default:
			q.eng.setBusy(q, true)
			q.mu.Unlock()
			go q.work()
			return nil, 0
		}
	}
}

// rest ends the caller's turn on the queue.
func (q *Queue) rest(busy bool) (func() error, uint64) {
	q.eng.setBusy(q, busy)
	q.active = false
	q.mu.Unlock()
	return nil, 0
}

// finish completes a record. If the record was the last operation, everybody notified finds the
// queue idle, including the functions that are called. q.mu is released while they run.
func (q *Queue) finish(r *record, err error, w *wake) {
	n, ok := r.take(q.eng.clock.Now(), err)
	if !ok {
		return
	}
	if n.calls {
		q.telling = true
		q.mu.Unlock()
		n.call(err)
		q.mu.Lock()
		q.telling = false
	}
	n.tell(err, w)
}

func (q *Queue) stopDelay() {
	if q.stop != nil {
		q.stop()
		q.stop = nil
	}
}

// work is the goroutine that runs a queue's functions.
func (q *Queue) work() {
	var w wake
	q.mu.Lock()
	for {
		fn, epoch := q.pump(&w, true)
		w.flush() // the work of other queues must not wait for this function
		if fn == nil {
			return
		}
		err := q.eng.Err()
		if err == nil {
			err = q.call(fn, epoch)
		}
		if !q.leaveFn(epoch, err) {
			return
		}
	}
}

// leaveFn locks q.mu and notes how a function ended. False, without the lock, means that the queue
// was taken away meanwhile.
func (q *Queue) leaveFn(epoch uint64, err error) bool {
	q.mu.Lock()
	if q.epoch != epoch {
		q.mu.Unlock()
		return false
	}
	q.inFn = false
	if err != nil && q.err == nil {
		q.err = err
	}
	return true
}

func (q *Queue) call(fn func() error, epoch uint64) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
			return
		}
		// The goroutine is ending and can't be stopped: the queue goes on with another.
		if q.leaveFn(epoch, ErrGoexit) {
			q.mu.Unlock()
			go q.work()
		}
	}()
	err = fn()
	returned = true
	return err
}

// abandon drains the queue of a failed engine, even while a function still runs.
func (q *Queue) abandon(w *wake) {
	q.mu.Lock()
	if q.inFn {
		q.inFn = false
		q.epoch++
	} else if !q.take() {
		q.mu.Unlock() // its current goroutine will see the failure
		return
	}
	q.pump(w, false)
}

// wake collects the queues that a completion releases, so that they go on without recursion and
// without a lock held.
type wake struct {
	queues []*Queue
	sorted bool
}

func (w *wake) add(q *Queue) {
	n := len(w.queues)
	w.sorted = n == 0 || w.sorted && w.queues[n-1].priority <= q.priority
	w.queues = append(w.queues, q)
}

// flush goes on with all of them and with those that they release, higher priority (lower number)
// first.
func (w *wake) flush() {
	for len(w.queues) > 0 {
		if !w.sorted {
			slices.SortStableFunc(w.queues, func(a, b *Queue) int { return a.priority - b.priority })
			w.sorted = true
		}
		q := w.queues[0]
		w.queues[0] = nil
		w.queues = w.queues[1:]
		q.mu.Lock()
		if q.take() {
			q.pump(w, false)
		} else {
			q.mu.Unlock()
		}
	}
}
