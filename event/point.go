package event

import (
	"context"
	"sync"
)

// point is one record of an event that somebody waits for. It ends once: done, failed or abandoned.
type point struct {
	event  *Event // keeps the event, and so its handle, while anybody waits
	native *nativeEvent
	driver driver
	rec    record
	lane   any    // what orders points: the stream they were recorded on, or the event itself where that is not known
	seq    uint64 // the order within the lane
	poller *poller

	done chan struct{}
	err  error // valid once done is closed

	mu        sync.Mutex
	ended     bool
	waiters   int  // calls of Wait that are under way
	lasting   bool // somebody holds the channel or a callback is set, so it must end even without waiters
	callbacks []func(error)
}

// await returns the point of the last record, which is being watched from then on; nil if there is nothing to wait for. The caller
// is inside the guard and has excluded captures.
func (e *Event) await() *point {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.awaitLocked()
}

func (e *Event) awaitLocked() *point {
	rec := e.rec.Load()
	if rec.unrecorded() || rec == e.done.Load() {
		return nil
	}
	if e.point != nil {
		return e.point
	}
	p := &point{event: e, native: e.native, driver: e.driver, rec: rec, seq: e.seq, done: make(chan struct{})}
	if e.stream != nil && rec.kind() == plain {
		p.lane = e.stream
	} else {
		p.lane = e
	}
	e.point = p
	if !e.driver.notify(e.native.handle, p.end) {
		p.poller = e.poller()
		p.poller.add(p)
	}
	return p
}

// supersede gives those who wait for the last record an event of their own, since the event is about to be recorded anew and will tell
// nothing of the old record any more. Its place is where the stream stands now: never before the old one. The caller holds e.mu.
func (e *Event) supersede() error {
	p := e.point
	e.point = nil
	if p.poller == nil || p.isOver() || p.lane == any(e) {
		return nil // nobody polls for it, or the record's stream is not known
	}
	s := e.stream
	if !s.native.enter() {
		return nil // its stream is closed: the work before it is done or as good as done
	}
	defer s.native.leave()
	if s.watched.Load() {
		capturing, err := e.driver.capturing(s.native.handle)
		if err != nil {
			return err
		}
		if capturing { // a record now would become part of the graph
			p.abandon(e.capturedError("Event.Wait"))
			return nil
		}
	}
	h, err := e.driver.createEvent(eventFlags{})
	if err != nil {
		return err
	}
	drv := e.driver
	n := &nativeEvent{handle: h}
	n.destroy = func() error { return drv.destroyEvent(h) }
	n.late = report
	if err := drv.record(h, s.native.handle, false); err != nil {
		_, _ = n.close()
		return err
	}
	p.poller.replace(p, n, s.seq.Add(1))
	return nil
}

// end ends the point, wakes everybody and runs the callbacks, on a goroutine of their own.
func (p *point) end(err error) {
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return
	}
	p.ended = true
	callbacks := p.callbacks
	p.callbacks = nil
	p.mu.Unlock()

	e := p.event
	if p.native == e.native {
		if err == nil {
			e.settle(p.rec)
		} else {
			e.fail(p.rec, err)
		}
	} else {
		p.close() // it stood for a record that was replaced
	}
	if err != nil {
		err = failed("Event.Wait", e, err)
	}
	p.err = err
	close(p.done)
	if len(callbacks) > 0 {
		dispatch(p.lane, callbacks, err)
	}
}

// close destroys the event that stood in for a replaced record.
func (p *point) close() {
	if _, err := p.native.close(); err != nil {
		p.native.late(err)
	}
}

// abandon ends the point because its event was closed.
func (p *point) abandon(err error) {
	if p.poller != nil {
		p.poller.remove(p)
	}
	p.end(err)
}

func (p *point) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// join counts a waiter in. It is false if the point has ended.
func (p *point) join() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiters++
	return !p.ended
}

// leave counts a waiter out that gave up. The last one takes the point off the poller.
func (p *point) leave() {
	p.mu.Lock()
	p.waiters--
	unwanted := p.waiters == 0 && !p.lasting && !p.ended
	p.mu.Unlock()
	if unwanted && p.poller != nil {
		p.poller.removeUnwanted(p)
	}
}

// unwanted tells whether nobody waits any more.
func (p *point) unwanted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiters == 0 && !p.lasting && !p.ended
}

// last makes the point one that must end even if no call waits for it, and adds a callback if there is one. It is false if the point has ended.
func (p *point) last(f func(error)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.lasting = true
	if f != nil {
		p.callbacks = append(p.callbacks, f)
	}
	return true
}

// pointFor is what Wait, Done and OnDone begin with: nil, nil if there is nothing to wait for.
func (e *Event) pointFor(op string) (*point, error) {
	if e == nil {
		return nil, &Error{op, "event <nil>", ErrNilEvent, "create one with Device.NewEvent"}
	}
	if !e.native.enter() {
		return nil, e.closedError(op)
	}
	defer e.native.leave()
	done, err := e.query(op, e.rec.Load())
	if err != nil || done {
		return nil, err
	}
	p := e.await()
	if e.native.closed() && p != nil { // closed meanwhile: Close may have missed this point
		p.abandon(e.closedError(op))
	}
	return p, nil
}

// Wait waits until the stream has come as far as the last record, or until ctx ends, with ctx's error then. The record is the last one at the time of
// the call. No OS thread is held, and after it returns nothing of it is left behind: the event can be waited for again. If the
// device fails, its error is returned.
func (e *Event) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return interrupted(e, err)
	}
	p, err := e.pointFor("Event.Wait")
	if p == nil {
		return err
	}
	if !p.join() {
		<-p.done
		return p.err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		p.leave()
		return interrupted(e, ctx.Err())
	}
}

func interrupted(e *Event, err error) error {
	return &Error{"Event.Wait", e.String(), err, "the event is still pending"}
}

// Done returns a channel that is closed when the stream has come as far as the last record, when the device has failed, or when the event is closed;
// [Event.Err] tells which. The record is the last one at the time of the call. It is closed already where there is nothing to wait for.
func (e *Event) Done() <-chan struct{} {
	p, err := e.pointFor("Event.Done")
	if p == nil || err != nil || !p.last(nil) {
		return closedChannel
	}
	return p.done
}

var closedChannel = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Err returns why the last record will never be reached, or why the event can't be asked: nil while it is pending, and once it is done.
func (e *Event) Err() error {
	_, err := e.IsDone()
	return err
}

// OnDone has f called once, when the stream has come as far as the last record, with nil; or with the error if the device fails or the event is
// closed first. f runs on a goroutine of its own, never on a driver's thread: it may call anything. Functions set for records of one stream run
// in the order of the records, one after the other. If there is nothing to wait for, f is called right away, on another goroutine as well.
func (e *Event) OnDone(f func(error)) error {
	const op = "Event.OnDone"
	if f == nil {
		return &Error{op, e.String(), ErrInvalidOption, "the function is nil"}
	}
	p, err := e.pointFor(op)
	if err != nil {
		return err
	}
	if p == nil || !p.last(f) {
		var result error
		var lane any = e
		if p != nil {
			result, lane = p.err, p.lane
		}
		dispatch(lane, []func(error){f}, result)
	}
	return nil
}
