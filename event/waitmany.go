package event

import (
	"context"
	"errors"
)

// WaitAll waits until all events are done, or until ctx ends. The events may belong to different
// devices and backends. It returns all failures, joined; the end of ctx ends the wait at once.
func WaitAll(ctx context.Context, events ...*Event) error {
	var errs []error
	for _, e := range events {
		if err := e.Wait(ctx); err != nil {
			errs = append(errs, err)
			if ctx.Err() != nil {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// WaitAny waits until one of the events is done or has failed, or until ctx ends. It returns that
// event's index, and its error if it has failed, or -1 and ctx's error. If several are done, it
// returns the first that is known to be. The events may belong to different devices and backends.
// Calling it without events is an error.
func WaitAny(ctx context.Context, events ...*Event) (int, error) {
	const op = "WaitAny"
	if len(events) == 0 {
		return -1, &Error{op, "no events", ErrInvalidOption, "pass at least one event"}
	}
	ended := make(chan int, 1)
	waits := make([]*completion, 0, len(events))
	defer func() {
		for _, c := range waits {
			c.calm(ended)
			c.leave()
		}
	}()
	for i, e := range events {
		c, err := e.waitFor(op)
		if c == nil {
			return i, err
		}
		waits = append(waits, c)
	}
	for i, c := range waits {
		c.alert(alarm{ended, i})
	}
	select {
	case i := <-ended:
		for j, c := range waits[:i] {
			if c.isOver() { // the first, if several ended at once
				c.woken()
				return j, c.err
			}
		}
		<-waits[i].done
		waits[i].woken()
		return i, waits[i].err
	case <-ctx.Done():
		return -1, interrupted(op, "events", ctx.Err())
	}
}
