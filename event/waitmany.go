package event

import (
	"context"
	"errors"
)

// WaitAll waits until all events are done, or until ctx ends. The events may belong to different devices and backends. All failures are
// returned, joined; ctx's error ends the wait at once.
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

// WaitAny waits until one of the events is done or has failed, or until ctx ends. It returns the index of that event, and its error
// if it has failed; -1 and ctx's error if ctx ended first. Of events that are done already it is the first. The events may belong to different devices and
// backends. Without events there is nothing to wait for: that is an error.
func WaitAny(ctx context.Context, events ...*Event) (int, error) {
	const op = "WaitAny"
	if len(events) == 0 {
		return -1, &Error{op, "no events", ErrInvalidOption, "pass at least one event"}
	}
	ended := make(chan int, 1)
	points := make([]*point, 0, len(events))
	defer func() {
		for _, p := range points {
			p.calm(ended)
			p.leave()
		}
	}()
	for i, e := range events {
		p, err := e.pointFor(op)
		if p == nil {
			return i, err
		}
		points = append(points, p)
	}
	for i, p := range points {
		p.alert(alarm{ended, i})
	}
	select {
	case i := <-ended:
		<-points[i].done
		return i, points[i].err
	case <-ctx.Done():
		return -1, interrupted(op, "events", ctx.Err())
	}
}
