package event

import (
	"errors"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// IsDone reports whether the stream has passed the last record. An event that was never recorded is
// done, since there is nothing to wait for; [Event.State] distinguishes the two. A failed device is
// an error, never "not done".
//
// While a stream is captured in global mode, drivers refuse queries from other threads too, and a
// query ends the capture. [Event.Wait] and the other waits of goroutines don't disturb it.
func (e *Event) IsDone() (bool, error) {
	const op = "Event.IsDone"
	if !e.isNil() && e.rec.isLast(record(e.done.Load())) { // the usual case, which calls nothing
		return true, nil
	}
	rec, err := e.last(op)
	if err != nil {
		return false, err
	}
	return e.query(op, rec)
}

// last returns the last record, unless the event is nil or closed.
func (e *Event) last(op string) (record, error) {
	if e.isNil() {
		return 0, nilEvent(op)
	}
	rec, closed := e.rec.read()
	if closed {
		return 0, e.closedError(op)
	}
	return rec, nil
}

// query queries the last record, which was rec a moment ago.
func (e *Event) query(op string, rec record) (bool, error) {
	if e.known(rec) {
		return true, nil
	}
	if rec.captured() {
		return false, e.capturedError(op)
	}
	if err := e.failure(op, rec); err != nil {
		return false, err
	}
	h, err := e.retain(op)
	if err != nil {
		return false, err
	}
	if h.NeedsStream() {
		if now, settled := e.settle(op, h, rec); !settled {
			return now()
		}
	}
	e.home.countQuery()
	done, queried, err := h.Query()
	on := h.On.Load()
	h.Release()
	if !queried {
		return e.queryByCompletion(op)
	}
	if err != nil {
		learn(on, err)
		return false, failed(op, e, err)
	}
	if done {
		if done, err := e.reached(op, on, rec); !done {
			return done, err
		}
		e.noteDone(on, rec)
	} else if rec.unrecorded() {
		e.rec.set(flagSeen) // by another, since it is pending
	}
	return done, nil
}

// settle prepares a query for drivers that may be queried only about an event that no call is
// recording and whose stream may not be capturing. If the event can't be queried directly, settle
// releases the handle and returns another way to get the answer.
func (e *Event) settle(op string, h *native.Event, rec record) (
	other func() (bool, error), ok bool,
) {
	if !e.rec.settled(rec) {
		h.Release()
		return func() (bool, error) {
			if _, ok := e.rec.look(); ok { // waits for the record in flight
				e.unlook()
			}
			return e.again(op)
		}, false
	}
	switch {
	case h.StreamDrained() && !e.rec.has(flagShared):
		on := h.On.Load()
		h.Release()
		return func() (bool, error) {
			done, err := e.reached(op, on, rec)
			if done {
				e.rememberDone(rec)
			}
			return done, err
		}, false
	case e.rec.has(flagShared) && h.QueryEndsCapture():
		// Others may have recorded it on any stream.
		e.home.countQuery()
		var done bool
		var err error
		h.Device.Driver.Relaxed(func() { done, err = h.QueryByRelay() })
		on := h.On.Load()
		h.Release()
		if !done && err == nil && rec.unrecorded() {
			e.rec.set(flagSeen) // by another, since it is pending
		}
		return func() (bool, error) {
			if done && err == nil {
				return e.reached(op, on, rec)
			}
			return done, e.answer(op, err)
		}, false
	case rec.kind() == inGraph:
		if err := h.RefuseInCapture(); err != nil {
			h.Release()
			return func() (bool, error) { return false, e.answer(op, err) }, false
		}
	}
	return nil, true
}

// answer returns the error for a query that failed.
func (e *Event) answer(op string, err error) error {
	if errors.Is(err, driver.ErrCapturing) {
		return e.capturingError(op)
	}
	return failed(op, e, err)
}

// again is query for the event's new last record.
func (e *Event) again(op string) (bool, error) {
	rec, err := e.last(op)
	if err != nil {
		return false, err
	}
	return e.query(op, rec)
}

// queryByCompletion queries through a completion. It is kept until the record is done, so that the
// next query is cheap.
func (e *Event) queryByCompletion(op string) (bool, error) {
	c := e.await(nil)
	defer c.leave()
	c.keepPolling()
	if !c.isBound() {
		return e.again(op) // a record is in flight
	}
	if c.isOver() {
		return c.err == nil, c.err
	}
	var done bool
	var err error
	s, ordered := c.lane.(*native.Stream)
	e.home.driver.Relaxed(func() {
		done, err = c.queryRecord()
		if ordered && !done && err == nil && s.HasPassed(c.Order.End) && c.handle.Pin() {
			done, err = c.handle.QueryByRelay() // a new relay; the completion's own may lag behind
			c.handle.Release()
		}
	})
	if !done && err == nil && c.isOver() { // it ended before the query
		return c.err == nil, renamed(op, e, c.err)
	}
	if err != nil {
		learn(c.handle.On.Load(), err)
		return false, e.answer(op, err)
	}
	if !done {
		return false, nil
	}
	if ordered {
		s.Advance(c.Order.Begin)
	}
	if err := c.verdict(); err != nil {
		return false, failed(op, e, err)
	}
	if ordered {
		e.noteDone(s, c.rec)
	}
	return true, nil
}

// failure returns the error of a record that is known to have failed.
func (e *Event) failure(op string, rec record) error {
	r := e.rare.Load()
	if r == nil {
		return nil
	}
	if f := r.broken.Load(); f != nil && f.rec == rec {
		return failed(op, e, f.err)
	}
	return nil
}

// rememberFailure notes that a record has failed, unless a later one is known to have.
func (e *Event) rememberFailure(rec record, err error) {
	f, r := &failure{rec, err}, e.makeRare()
	for {
		known := r.broken.Load()
		if known != nil && known.rec.generation() > rec.generation() ||
			r.broken.CompareAndSwap(known, f) {
			return
		}
	}
}

// Sync waits in the driver until the stream has passed the last record: spinning, or asleep if the
// event was created [WithBlockingSync]. It occupies an OS thread and can't be interrupted; use
// [Event.Wait] to avoid both. On AMD the runtime's own wait would block queries of the event by
// other goroutines. There, Sync queries in a loop or, WithBlockingSync, waits as Event.Wait does.
func (e *Event) Sync() error {
	const op = "Event.Sync"
	rec, err := e.last(op)
	switch {
	case err != nil:
		return err
	case e.known(rec):
		return nil
	case rec.captured():
		return e.capturedError(op)
	}
	if err := e.failure(op, rec); err != nil {
		return err
	}
	e.home.countWait()
	if e.home.info().Traits.EventsNeedStream {
		return e.syncByPolling(op)
	}
	h, err := e.retain(op)
	if err != nil {
		return err
	}
	err = h.Device.Driver.SyncEvent(h.Object, e.flags.Blocking)
	on := h.On.Load()
	h.Release()
	if err != nil {
		learn(on, err)
		return failed(op, e, err)
	}
	if done, err := e.reached(op, on, rec); !done {
		return err
	}
	e.noteDone(on, rec)
	return nil
}

// syncByPolling waits for the last record at the time of the call. Its handle is not recorded again
// meanwhile.
func (e *Event) syncByPolling(op string) error {
	c, err := e.detach(op)
	if c == nil {
		return err
	}
	defer c.drop()
	if e.flags.Blocking {
		c.watch = e.home.driver.Watch(c.handle.Object, &c.Item)
		<-c.done
		return renamed(op, e, c.err)
	}
	query := func() (done bool, err error) {
		e.home.driver.Relaxed(func() { done, err = c.Query() }) // per query: spinning yields
		return done, err
	}
	if err := driver.Spin(query); err != nil {
		learn(c.handle.On.Load(), err)
		return failed(op, e, err)
	}
	if s, ok := c.lane.(*native.Stream); ok {
		s.Advance(c.Order.Begin)
	}
	if err := c.verdict(); err != nil {
		return failed(op, e, err)
	}
	e.noteDone(c.on, c.rec)
	return nil
}

// State returns the event's current state. It queries a pending event. If the query fails, the
// state is [Failed]. An event that others record is [Unrecorded] until this process has recorded it
// or has seen it pending.
func (e *Event) State() State {
	if e.isNil() {
		return Closed
	}
	rec, closed := e.rec.read()
	switch {
	case closed:
		return Closed
	case rec.captured():
		return Captured
	}
	done, err := e.query("Event.State", rec)
	switch {
	case e.rec.closed():
		return Closed
	case errors.Is(err, ErrCaptured):
		return Captured
	case err != nil:
		return Failed
	case !done:
		return Pending
	case rec.unrecorded() && !e.rec.has(flagSeen):
		return Unrecorded
	}
	return Done
}

// Err returns why the last record has failed, or why the event can't be queried. It returns nil
// while the event is pending, and once it is done.
func (e *Event) Err() error {
	const op = "Event.Err"
	rec, err := e.last(op)
	if err == nil {
		_, err = e.query(op, rec)
	}
	return err
}
