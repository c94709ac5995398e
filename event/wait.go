package event

import "context"

// waitFor is what Wait and Done begin with: the completion of the last record, to be left; nil, nil
// if there is nothing to wait for. It makes no driver call, which could hang.
func (e *Event) waitFor(op string) (*completion, error) {
	rec, err := e.last(op)
	switch {
	case err != nil:
		return nil, err
	case e.known(rec):
		return nil, nil
	case rec.captured():
		return nil, e.capturedError(op)
	}
	if err := e.failure(op, rec); err != nil {
		return nil, err
	}
	return e.await(nil), nil
}

// Wait waits until the stream has come as far as the last record, or until ctx ends, with ctx's
// error then. The record is the last one at the time of the call. No OS thread is held, and after
// it returns nothing of it is left behind: the event can be waited for again. If the device fails,
// its error is returned.
//
// Waiting for an event that others record too (it was imported or wrapped, its handle was given
// out, it is part of a graph) is waiting until it is done, whoever records it.
func (e *Event) Wait(ctx context.Context) error { return e.wait(ctx, "Event.Wait", e) }

func (e *Event) wait(ctx context.Context, op string, object named) error {
	if e.isNil() {
		return nilEvent(op)
	}
	if err := ctx.Err(); err != nil {
		return interrupted(op, object.String(), err)
	}
	c, err := e.waitFor(op)
	if c == nil {
		return err
	}
	defer c.leave()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return interrupted(op, object.String(), ctx.Err())
	}
}

// named is what errors name.
type named interface{ String() string }

func interrupted(op, object string, err error) error {
	return &Error{op, object, err, "the wait ended before the work did; it can be waited for again"}
}

// Done returns a channel that is closed when the stream has come as far as the last record, when
// the device has failed, or when the event is closed; [Event.Err] tells which. The record is the
// last one at the time of the call. It is closed already where that is known to have happened.
func (e *Event) Done() <-chan struct{} {
	c, err := e.waitFor("Event.Done")
	if c == nil {
		_ = err // Event.Err finds it again
		return closedChannel
	}
	defer c.leave()
	c.last()
	return c.done
}

var closedChannel = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// OnDone has f called once, when the stream has come as far as the last record, with nil; or with
// the error if the device fails or the event is closed first. f runs on a goroutine of its own,
// never on a driver's thread: it may call anything. Functions set for records of one stream run in
// the order of the records, one after the other; where calls of Record overlap, that order is not
// known. If there is nothing to wait for, f is called right away, on another goroutine as well, and
// after those of earlier records.
func (e *Event) OnDone(f func(error)) error {
	const op = "Event.OnDone"
	rec, err := e.last(op)
	switch {
	case err != nil:
		return err
	case f == nil:
		return &Error{op, e.String(), ErrInvalidOption, "the function is nil"}
	case rec.captured():
		return e.capturedError(op)
	}
	if err := e.failure(op, rec); err != nil {
		return err
	}
	c := e.await(f)
	soon(patience, func() bool { return e.hasArmed(c) }) // only then has f its place in the order
	c.leave()
	return nil
}
