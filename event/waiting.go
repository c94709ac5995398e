package event

import (
	"runtime"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// await returns the last record's completion with the caller as a user, and with a callback if f is
// not nil. It does not wait for a record in flight: the completion is for that record then.
func (e *Event) await(f func(error)) *completion {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.waiting.Load()
	if c == nil || f != nil && c.isEnding() || !c.join(f) {
		e.setAside(c)
		c = newCompletion(e)
		c.join(f)
		e.waiting.Store(c)
	}
	e.arm(c)
	return c
}

// isEnding reports whether the completion is about to end. Another callback must not join it then:
// a callback for an earlier record that was set meanwhile is called after it. The caller holds
// e.mu.
func (c *completion) isEnding() bool { return c.watch != nil && !c.watch.Pending() }

// armWaiting arms the completion that waits for the record just made.
func (e *Event) armWaiting() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.waiting.Load(); c != nil {
		e.arm(c)
	}
}

// hasArmed arms the completion. It reports whether that is done, or left to a record in flight.
func (e *Event) hasArmed(c *completion) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.arm(c)
	return c.armed || c.isOver() || e.rec.held()
}

// arm binds the completion to the last record and starts polling it. While the record lock is
// taken, that is left to its holder: see Event.unlock. The caller holds e.mu.
func (e *Event) arm(c *completion) {
	if c.armed || c.isOver() {
		return
	}
	rec, ok := e.rec.tryLook()
	for !ok && !e.rec.closed() {
		if e.rec.taken() {
			return
		}
		runtime.Gosched() // it is about to be taken, or free
		rec, ok = e.rec.tryLook()
	}
	if !ok {
		c.finish(e.closedError("Event.Wait"))
		return
	}
	bound := c.bind(rec, e.native.Load())
	e.rec.unlock(rec)
	closed := e.rec.closed()
	switch {
	case !bound:
	case rec.captured():
		c.finish(e.capturedError("Event.Wait"))
	case closed:
		c.finish(e.closedError("Event.Wait"))
	default:
		c.reached = e.known(rec)
		c.watch = e.home.driver.Watch(c.handle.Object, &c.Item)
		if c.reached {
			c.watch.Done()
		}
		if e.home.IsHost() && e.rec.has(flagShared) {
			c.closeToOthers() // the engine watches this record only; others may make the next
		}
	}
}

// share notes that others may record the event from now on. Existing waiters keep waiting for the
// last record, through a relay. The caller holds e.rec.
func (e *Event) share() {
	e.native.Load().Note(native.Exported)
	e.mu.Lock()
	e.rec.set(flagShared)
	c := e.waiting.Load()
	armed := c != nil && c.armed && c.watch != nil
	e.mu.Unlock()
	if !armed {
		return
	}
	c.closeToOthers()
	if c.hasRelay() {
		c.relayed.Store(true)
		return
	}
	var r *native.Relay
	var err error
	e.home.driver.Relaxed(func() { r, err = e.home.native.NewRelay(c.handle) })
	switch {
	case err != nil: // existing waiters then wait for the newest record
		c.watch.Loosen()
	case r == nil:
		c.watch.Done()
	default:
		c.follow(r)
	}
}

func (c *completion) hasRelay() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.relay != nil
}

// follow makes the completion query a relay instead of its handle.
func (c *completion) follow(r *native.Relay) {
	c.mu.Lock()
	if c.relay == nil && !c.ended {
		c.relay, r = r, nil
	}
	c.mu.Unlock()
	c.relayed.Store(true)
	if r != nil { // the completion has one, or has ended
		r.GiveBack(false)
	}
}

// setAside keeps the completion for Close when another one takes its place.
func (e *Event) setAside(c *completion) {
	if c == nil {
		return
	}
	r := e.makeRare()
	r.others.Store(c, nil)
	if c.isOver() { // and ended before it was stored
		r.others.Delete(c)
	}
}

// forget removes a completion that has ended.
func (e *Event) forget(c *completion) {
	e.waiting.CompareAndSwap(c, nil)
	if r := e.rare.Load(); r != nil {
		r.others.Delete(c)
	}
}

// endWaiting ends all completions with err.
func (e *Event) endWaiting(err error) {
	e.mu.Lock()
	c := e.waiting.Load()
	e.setAside(c)
	e.waiting.Store(nil)
	r := e.rare.Load()
	e.mu.Unlock()
	if r == nil {
		return
	}
	r.others.Range(func(c, _ any) bool {
		c.(*completion).abandon(err)
		return true
	})
}

// abandon ends the completion and stops polling it.
func (c *completion) abandon(err error) {
	stopped := c.stop()
	c.finish(err)
	if !stopped { // it may have been armed before it ended, but not after
		c.stop()
	}
}

// stop stops polling the completion. It returns false if it is not polled.
func (c *completion) stop() bool {
	c.event.mu.Lock()
	watch := c.watch
	c.event.mu.Unlock()
	if watch == nil {
		return false
	}
	watch.Stop()
	return true
}

// withdraw ends an unwanted completion, unless it has a user again.
func (e *Event) withdraw(c *completion) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !c.giveUp() {
		return
	}
	if c.watch != nil {
		c.watch.Stop()
	}
	e.forget(c)
	c.unbind()
}

// known reports whether a record is known to be done, without a query.
func (e *Event) known(rec record) bool {
	return (rec.unrecorded() || uint64(rec) == e.done.Load()) && !e.rec.has(flagShared)
}

// noteDone notes that the driver has just reported a record on stream s as done. It need not be
// queried again, and the waits for it and for earlier records of its stream end.
func (e *Event) noteDone(s *native.Stream, rec record) {
	if !rec.stays() || e.rec.has(flagShared) || !e.rec.settled(rec) {
		return
	}
	e.rememberDone(rec)
	if s != nil && s.Watchers.Load() != 0 {
		e.passOn(s, rec)
	}
}

// rememberDone notes that a record is done, unless a later one is known to be.
func (e *Event) rememberDone(rec record) {
	if !rec.stays() || e.rec.has(flagShared) {
		return
	}
	for {
		known := e.done.Load()
		if known >= uint64(rec) || e.done.CompareAndSwap(known, uint64(rec)) {
			return
		}
	}
}

// passOn ends the waits for the record, and for earlier records of its stream.
func (e *Event) passOn(s *native.Stream, rec record) {
	now, ok := e.rec.tryLook()
	if !ok {
		return // it is being recorded again; the poller will find out
	}
	if now != rec || e.rec.has(flagShared) { // others may have recorded it again
		e.unlook()
		return
	}
	begin := e.begin
	e.mu.Lock()
	var watch driver.Watch
	if c := e.waiting.Load(); c != nil && c.armed && c.rec == rec {
		watch = c.watch
	}
	e.mu.Unlock()
	e.unlook() // only now: a later completion may be for a record that others made
	e.home.driver.Passed(s, begin)
	if watch != nil {
		watch.Done()
	}
}

// detach returns a completion of the last record that only the caller uses: neither a later record
// nor the event's Close ends it. The caller must drop it. detach returns nil, nil if there is
// nothing to wait for.
func (e *Event) detach(op string) (*completion, error) {
	rec, ok := e.rec.look()
	if !ok {
		return nil, e.closedError(op)
	}
	defer e.unlook()
	switch {
	case e.known(rec):
		return nil, nil
	case rec.captured():
		return nil, e.capturedError(op)
	}
	return e.detached(rec), nil
}

// detached is detach for the holder of the lock.
func (e *Event) detached(rec record) *completion {
	c := newCompletion(e)
	c.detached = true
	c.users = 1
	c.bind(rec, e.native.Load())
	return c
}

// drop releases a detached completion.
func (c *completion) drop() {
	c.mu.Lock()
	first := !c.ended
	c.ended = true
	c.mu.Unlock()
	if first {
		c.unbind()
	}
}
