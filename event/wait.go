package event

import (
	"context"

	"github.com/gpuevent/gpuevent/internal/native"
)

// waitFor begins Wait and Done. It returns the last record's completion, which the caller must
// leave, or nil, nil if there is nothing to wait for. It makes no driver call, which could hang.
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
	e.home.countWait()
	return e.await(nil), nil
}

// Wait waits until the stream has passed the last record, or returns ctx's error when ctx ends. It
// waits for the last record at the time of the call. It occupies no OS thread and leaves nothing
// behind; the event can be waited for again. If the device fails, Wait returns its error.
//
// Some events can be recorded by others: imported and wrapped events, events that are part of a
// graph, and those whose native handle was given out. Wait waits until such an event is done,
// no matter which process or graph records it.
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
		c.woken()
		return c.err
	case <-ctx.Done():
		return interrupted(op, object.String(), ctx.Err())
	}
}

// named is an object that errors name.
type named interface{ String() string }

func interrupted(op, object string, err error) error {
	return &Error{op, object, err, "the wait ended before the work did; it can be waited for again"}
}

// Done returns a channel that is closed when the stream has passed the last record, the device has
// failed, or the event is closed; [Event.Err] distinguishes these. The channel is for the last
// record at the time of the call. It is already closed if one of these is known to have happened.
func (e *Event) Done() <-chan struct{} {
	c, err := e.waitFor("Event.Done")
	if c == nil {
		_ = err // Event.Err returns it again
		return closedChannel
	}
	defer c.leave()
	c.keepPolling()
	return c.done
}

var closedChannel = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// OnDone calls f once: with nil when the stream has passed the last record, or with the error if
// the device fails or the event is closed first. f runs on a goroutine of this package, never on a
// driver thread, and may call anything. Functions set for records of one stream run one after the
// other, in the order of the records, and for one record in the order of the calls. If calls of
// Record overlap, their order is undefined. If there is nothing to wait for, f is called right
// away, also on another goroutine and after the functions of earlier records.
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
	e.home.countWait()
	c := e.await(f)
	// Only then is f's place in the order fixed. The goroutine that holds the lock may have to wait
	// for its turn on a busy machine.
	native.Soon(10*native.Patience, func() bool { return e.hasArmed(c) })
	c.leave()
	return nil
}
