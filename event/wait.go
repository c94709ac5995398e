package event

import "context"

// pointFor is what Wait, Done and OnDone begin with: the point of the last record, to be left; nil, nil if there is nothing to wait for.
func (e *Event) pointFor(op string) (*point, error) {
	if err := e.enter(op); err != nil {
		return nil, err
	}
	defer e.native.leave()
	if p := e.watched(); p != nil {
		return p, nil
	}
	done, err := e.queryRelaxed(op, e.rec.Load())
	if err != nil || done {
		return nil, err
	}
	p := e.await()
	if p != nil && e.native.closed() { // closed meanwhile: Close may have missed this point
		p.abandon(e.closedError(op))
	}
	return p, nil
}

// watched returns the point of the last record, with the caller as a user, if somebody waits for it already.
func (e *Event) watched() *point {
	rec := e.rec.lock()
	defer e.rec.unlock(rec)
	if p := e.point; p != nil && p.rec == rec && p.join() {
		return p
	}
	return nil
}

// Wait waits until the stream has come as far as the last record, or until ctx ends, with ctx's error then. The record is the last one at the time of
// the call. No OS thread is held, and after it returns nothing of it is left behind: the event can be waited for again. If the
// device fails, its error is returned.
//
// Waiting for an event of another process, of a graph, or one that was wrapped, is waiting until it is done, whoever records it.
func (e *Event) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return interrupted("Event.Wait", e.String(), err)
	}
	p, err := e.pointFor("Event.Wait")
	if p == nil {
		return err
	}
	defer p.leave()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return interrupted("Event.Wait", e.String(), ctx.Err())
	}
}

func interrupted(op, object string, err error) error {
	return &Error{op, object, err, "the wait ended before the work did; it can be waited for again"}
}

// Done returns a channel that is closed when the stream has come as far as the last record, when the device has failed, or when the event is closed;
// [Event.Err] tells which. The record is the last one at the time of the call. It is closed already where there is nothing to wait for.
func (e *Event) Done() <-chan struct{} {
	p, err := e.pointFor("Event.Done")
	if err != nil && e != nil {
		e.remember(err) // for Err, even if the driver has changed its mind by then
	}
	if p == nil {
		return closedChannel
	}
	defer p.leave()
	p.last(nil)
	return p.done
}

// remember notes that nobody will know what became of the last record.
func (e *Event) remember(err error) {
	if rec := e.rec.Load(); !rec.unrecorded() && rec.settles() {
		e.broken.Store(&failure{rec, err})
	}
}

var closedChannel = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

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
	if p == nil {
		dispatch(e.lane(), []func(error){f}, nil)
		return nil
	}
	defer p.leave()
	if !p.last(f) {
		<-p.done // which is about to be closed
		dispatch(p.lane, []func(error){f}, p.err)
	}
	return nil
}

// lane is where callbacks for the last record are in order.
func (e *Event) lane() any {
	rec := e.rec.lock()
	defer e.rec.unlock(rec)
	if e.stream != nil && e.stream.ordered() && rec.kind() == plain {
		return e.stream
	}
	return e
}
