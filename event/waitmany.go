package event

import (
	"context"
	"errors"
	"reflect"
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
// if it has failed; -1 and ctx's error if ctx ended first, or if there are no events. The events may belong to different devices and backends.
func WaitAny(ctx context.Context, events ...*Event) (int, error) {
	const op = "WaitAny"
	if len(events) == 0 {
		return -1, &Error{op, "no events", ErrInvalidOption, "pass at least one event"}
	}
	cases := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())}}
	var points []*point
	defer func() {
		for _, p := range points {
			p.leave()
		}
	}()
	for i, e := range events {
		p, err := e.pointFor(op)
		if p == nil {
			return i, err
		}
		p.join()
		points = append(points, p)
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(p.done)})
	}
	if err := ctx.Err(); err != nil {
		return -1, err
	}
	chosen, _, _ := reflect.Select(cases)
	if chosen == 0 {
		return -1, ctx.Err()
	}
	return chosen - 1, points[chosen-1].err
}
