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
// [ErrTimingDisabled], [ErrNotRecorded], [ErrCaptured], [ErrNotReady]. The error names the event at fault, or both.
func (e *Event) Sub(start *Event) (time.Duration, error) {
	const op = "Event.Sub"
	if e == nil || start == nil {
		return 0, &Error{op, "event <nil>", ErrNilEvent, "both events are needed: end.Sub(start)"}
	}
	startOpen, endOpen := start.native.enter(), e.native.enter()
	if startOpen && endOpen { // not with deferred calls, which take longer than the rest
		d, err := e.sub(op, start)
		start.native.leave()
		e.native.leave()
		return d, err
	}
	if startOpen {
		start.native.leave()
	}
	if endOpen {
		e.native.leave()
	}
	return 0, refusePair(op, start, !startOpen, e, !endOpen, ErrClosed, "create a new event")
}

// sub is Sub while both events are kept from being destroyed.
func (e *Event) sub(op string, start *Event) (time.Duration, error) {
	if start.device != e.device || start.backend != e.backend {
		if err := apart(op, start, e); err != nil {
			return 0, err
		}
	}
	if !start.flags.timing || !e.flags.timing {
		return 0, refusePair(op, start, !start.flags.timing, e, !e.flags.timing, ErrTimingDisabled, "create both events WithTiming()")
	}
	for {
		from, to := start.rec.Load(), e.rec.Load()
		var d time.Duration
		var err error
		if !from.unrecorded() && !to.unrecorded() && start.known(from) && e.known(to) { // both are done
			if d, err = e.driver.elapsed(start.native.handle, e.native.handle); err != nil {
				err = e.explain(op, start, err)
			}
		} else {
			d, err = e.since(op, to, start, from)
		}
		if start.rec.Load() == from && e.rec.Load() == to { // else one was recorded anew meanwhile, and the time may be of any pair
			return d, err
		}
	}
}

// since is Sub once both events can be compared at all, but are not known to be done.
func (e *Event) since(op string, to record, start *Event, from record) (time.Duration, error) {
	if noStart, noEnd := start.blank(from), e.blank(to); noStart || noEnd {
		return 0, refusePair(op, start, noStart, e, noEnd, ErrNotRecorded, "record it on a stream first")
	}
	if from.captured() || to.captured() {
		return 0, refusePair(op, start, from.captured(), e, to.captured(), ErrCaptured,
			"its last record is a place in a graph, not in time; record it outside a capture, or create it WithExternal")
	}
	startDone, err := start.query(op, from)
	if err != nil {
		return 0, err
	}
	endDone, err := e.query(op, to)
	if err != nil {
		return 0, err
	}
	if !startDone || !endDone {
		return 0, refusePair(op, start, !startDone, e, !endDone, ErrNotReady, notReadyCure)
	}
	d, err := e.driver.elapsed(start.native.handle, e.native.handle)
	if err == nil {
		return d, nil
	}
	return 0, e.explain(op, start, err)
}

const notReadyCure = "wait for it first: Event.Wait or Event.Sync"

// blank tells whether the event is known to be unrecorded.
func (e *Event) blank(rec record) bool { return rec.unrecorded() && !e.open.Load() }

// refusePair is the error about the events at fault, of which there is at least one.
func refusePair(op string, start *Event, startAtFault bool, end *Event, endAtFault bool, cause error, cure string) error {
	switch {
	case !endAtFault:
		return &Error{op, "start " + start.String(), cause, cure}
	case !startAtFault || start == end:
		return &Error{op, "end " + end.String(), cause, cure}
	}
	return &Error{op, both(start, end), cause, cure}
}

// both names the two by their parts too, for a closed event's handle may be the other's by now.
func both(start, end *Event) string { return "start " + start.String() + " and end " + end.String() }

// apart is the error for two events that can't be compared; nil if they can, as far as is known.
func apart(op string, start, end *Event) error {
	if start.backend != end.backend {
		return &Error{op, both(start, end), ErrBackendMismatch,
			fmt.Sprintf("one belongs to %s, the other to %s; time both ends on one device", start.backend, end.backend)}
	}
	if start.device != nil && end.device != nil {
		return &Error{op, both(start, end), ErrDeviceMismatch,
			fmt.Sprintf("one belongs to %v, the other to %v; time both ends on one device", start.device, end.device)}
	}
	return nil
}

// explain makes the most of a refusal by the driver that the checks could not foresee: an event that others record as well.
func (e *Event) explain(op string, start *Event, err error) error {
	outside := func(x *Event) bool { return x.open.Load() || x.rec.Load().kind() != plain }
	startOutside, endOutside := outside(start), outside(e)
	switch {
	case errors.Is(err, errNotReady):
		return &Error{op, start.String() + " or " + e.String(), ErrNotReady, notReadyCure}
	case errors.Is(err, errHandle) && (startOutside || endOutside):
		return refusePair(op, start, startOutside, e, endOutside, ErrNotRecorded,
			"the driver knows of no record with a time; launch the graph that records it, or record it on a stream first")
	}
	return failed(op, e, err)
}
