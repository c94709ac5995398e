package event

import (
	"errors"
	"fmt"
	"time"
)

// Sub returns the time from start's record to e's: end.Sub(start). It is negative if e was reached first.
//
// The drivers measure in milliseconds as float32, with a step of half a microsecond (NVIDIA) or one (AMD) at best: beyond
// some seconds the number's own precision is coarser than that (4 µs at a minute, 250 µs at an hour). The host's clock has
// nanoseconds.
//
// Sub never waits. It is refused, and no time is taken, with the first of these that holds: [ErrClosed], [ErrBackendMismatch], [ErrDeviceMismatch],
// [ErrTimingDisabled], [ErrNotRecorded], [ErrCaptured], [ErrNotReady]. The error names the event at fault.
func (e *Event) Sub(start *Event) (time.Duration, error) {
	const op = "Event.Sub"
	if e == nil || start == nil {
		return 0, &Error{op, "event <nil>", ErrNilEvent, "both events are needed: end.Sub(start)"}
	}
	if !e.native.enter() {
		return 0, e.closedError(op)
	}
	defer e.native.leave()
	if start != e {
		if !start.native.enter() {
			return 0, start.closedError(op)
		}
		defer start.native.leave()
	}
	if start.device != e.device || start.backend != e.backend {
		if err := start.apart(op, e); err != nil {
			return 0, err
		}
	}
	endRec, startRec := e.rec.Load(), start.rec.Load()
	for _, check := range [...]func(*Event, record) error{timed, recorded, uncaptured, ready} {
		if err := check(start, startRec); err != nil {
			return 0, err
		}
		if err := check(e, endRec); err != nil {
			return 0, err
		}
	}
	d, err := e.driver.elapsed(start.native.handle, e.native.handle)
	if err == nil {
		return d, nil
	}
	return 0, e.explain(op, start, err)
}

// apart is the error for two events that can't be compared.
func (start *Event) apart(op string, end *Event) error {
	if start.backend != end.backend {
		return &Error{op, start.String(), ErrBackendMismatch, fmt.Sprintf("%v belongs to %s; time both ends on one device", end, end.backend)}
	}
	if start.device != nil && end.device != nil {
		return &Error{op, start.String(), ErrDeviceMismatch, fmt.Sprintf("%v belongs to %v; time both ends on one device", end, end.device)}
	}
	return nil
}

func timed(e *Event, _ record) error {
	if e.flags.timing {
		return nil
	}
	return &Error{"Event.Sub", e.String(), ErrTimingDisabled, "create both events WithTiming()"}
}

func recorded(e *Event, r record) error {
	if !r.unrecorded() {
		return nil
	}
	return &Error{"Event.Sub", e.String(), ErrNotRecorded, "record it on a stream first"}
}

func uncaptured(e *Event, r record) error {
	if r.captured() {
		return e.capturedError("Event.Sub")
	}
	return nil
}

func ready(e *Event, r record) error {
	if r == e.done.Load() {
		return nil
	}
	done, err := e.query("Event.Sub", r)
	if err != nil || done {
		return err
	}
	return &Error{"Event.Sub", e.String(), ErrNotReady, "wait for it first: Event.Wait or Event.Sync"}
}

// explain makes the most of a refusal by the driver that the checks did not foresee: an event of another process or of a graph.
func (e *Event) explain(op string, start *Event, err error) error {
	for _, x := range []*Event{start, e} {
		switch k := x.rec.Load().kind(); {
		case k == inGraph && errors.Is(err, errHandle):
			return &Error{op, x.String(), ErrNotRecorded, "it was recorded into a graph that has not been launched"}
		case k != plain && errors.Is(err, errNotReady):
			return &Error{op, x.String(), ErrNotReady, "wait for it first: Event.Wait or Event.Sync"}
		}
	}
	return failed(op, e, err)
}
