package event

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// Sub returns the time from start's record to e's: end.Sub(start). It is negative if e was reached
// first.
//
// The drivers return milliseconds as a float32, with a resolution of half a microsecond (NVIDIA) or
// one (AMD) at best. Beyond some seconds the float's own precision is coarser than that (4 µs at a
// minute, 250 µs at an hour). The host's clock has nanoseconds.
//
// Sub never waits. On chipStar it may take a second for events of two streams while other work
// occupies the device: their order is found with an event on an idle stream, and [ErrNotReady] is
// returned after that time. Otherwise it returns the first of these errors that applies:
// [ErrClosed], [ErrBackendMismatch], [ErrDeviceMismatch], [ErrTimingDisabled], [ErrNotRecorded],
// [ErrCaptured], [ErrNotReady]. The error names the event at fault, or both.
func (e *Event) Sub(start *Event) (time.Duration, error) {
	const op = "Event.Sub"
	if e.isNil() || start.isNil() {
		return 0, &Error{op, "event <nil>", ErrNilEvent, "pass both events: end.Sub(start)"}
	}
	from, startClosed := start.rec.read()
	to, endClosed := e.rec.read()
	if startClosed || endClosed {
		return 0, refusePair(op, start, startClosed, e, endClosed, ErrClosed, "create a new event")
	}
	if start.home != e.home {
		if err := apart(op, start, e); err != nil {
			return 0, err
		}
	}
	if !start.flags.Timing || !e.flags.Timing {
		return 0, refusePair(op, start, !start.flags.Timing, e, !e.flags.Timing,
			ErrTimingDisabled, "create both events WithTiming()")
	}
	for {
		d, err := e.since(op, to, start, from)
		nowFrom, nowTo := start.rec.load(), e.rec.load()
		if nowFrom == from && nowTo == to {
			return d, err
		}
		from, to = nowFrom, nowTo // one was recorded again: the time may belong to any pair
	}
}

// since is Sub for the last records of two events that can be compared.
func (e *Event) since(op string, to record, start *Event, from record) (time.Duration, error) {
	if from.unrecorded() || to.unrecorded() || !start.known(from) || !e.known(to) {
		if err := e.incomparable(op, to, start, from); err != nil {
			return 0, err
		}
	}
	h, err := start.retain(op)
	if err != nil {
		return 0, err
	}
	g, err := e.retain(op)
	if err != nil {
		h.Release()
		return 0, err
	}
	var d time.Duration
	switch {
	case e.home.info().Traits.ElapsedLocksBoth:
		lockTiming(h, g)
		d, err = e.elapsed(op, start, h, g, &g.MS)
		unlockTiming(h, g)
	case g.Timing.TryLock():
		d, err = e.elapsed(op, start, h, g, &g.MS)
		g.Timing.Unlock()
	default: // another goroutine takes a time of e
		d, err = e.elapsed(op, start, h, g, new(float32))
	}
	g.Release()
	h.Release()
	return d, err
}

// lockTiming is for drivers where calls that share an event must not run concurrently. It always
// locks in the same order.
func lockTiming(a, b *native.Event) {
	if uintptr(unsafe.Pointer(a)) > uintptr(unsafe.Pointer(b)) {
		a, b = b, a
	}
	a.Timing.Lock()
	if a != b {
		b.Timing.Lock()
	}
}

func unlockTiming(a, b *native.Event) {
	a.Timing.Unlock()
	if a != b {
		b.Timing.Unlock()
	}
}

// elapsed makes the driver call, which writes to ms.
func (e *Event) elapsed(op string, start *Event, h, g *native.Event, ms *float32) (
	time.Duration, error,
) {
	if h.QueryEndsCapture() && (h.OnExported() || g.OnExported()) {
		for _, one := range []*native.Event{h, g} {
			if err := one.RefuseInCapture(); err != nil {
				return 0, e.answer(op, err)
			}
		}
	}
	d, err := e.home.driver.Elapsed(h.Object, g.Object, ms)
	if err == nil {
		if d != 0 && e.home.info().Traits.ElapsedFollowsRecords {
			return e.home.signed(op, e, h, g, d, ms)
		}
		return d, nil
	}
	return e.explain(op, start, h, g, ms, err)
}

// incomparable returns why two records that are not both known to be done can't be compared, or nil
// if they can.
func (e *Event) incomparable(op string, to record, start *Event, from record) error {
	if noStart, noEnd := start.blank(from), e.blank(to); noStart || noEnd {
		return refusePair(op, start, noStart, e, noEnd, ErrNotRecorded,
			"record it on a stream first")
	}
	if from.captured() || to.captured() {
		return refusePair(op, start, from.captured(), e, to.captured(), ErrCaptured,
			"its last record is a place in a graph, not in time; record it outside a capture"+
				e.externalRemedy())
	}
	startDone, err := start.query(op, from)
	if err != nil {
		return err
	}
	endDone, err := e.query(op, to)
	if err != nil {
		return err
	}
	if !startDone || !endDone {
		return refusePair(op, start, !startDone, e, !endDone, ErrNotReady, notReadyRemedy)
	}
	return nil
}

const notReadyRemedy = "wait for it first: Event.Wait or Event.Sync"

// blank reports whether the event is known to be unrecorded.
func (e *Event) blank(rec record) bool { return rec.unrecorded() && !e.rec.has(flagShared) }

// refusePair returns the error for the events at fault; at least one is.
func refusePair(
	op string, start *Event, startAtFault bool, end *Event, endAtFault bool,
	cause error, remedy string,
) error {
	switch {
	case !endAtFault:
		return &Error{op, "start " + start.String(), cause, remedy}
	case !startAtFault || start == end:
		return &Error{op, "end " + end.String(), cause, remedy}
	}
	return &Error{op, both(start, end), cause, remedy}
}

// both names the events by their role too: the handle of a closed event may belong to the other by
// now.
func both(start, end *Event) string {
	return "start " + start.String() + " and end " + end.String()
}

// apart returns the error for two events that can't be compared, or nil if nothing is known against
// it.
func apart(op string, start, end *Event) error {
	if start.Backend() != end.Backend() {
		return &Error{op, both(start, end), ErrBackendMismatch,
			fmt.Sprintf("one belongs to %s, the other to %s; time both ends on one device",
				start.Backend(), end.Backend())}
	}
	if start.Device() != nil && end.Device() != nil {
		return &Error{op, both(start, end), ErrDeviceMismatch,
			fmt.Sprintf("one belongs to %v, the other to %v; time both ends on one device",
				start.home, end.home)}
	}
	return nil
}

// explain finds the cause of a driver's refusal that the checks could not foresee, for events that
// others record too. The caller uses both handles.
func (e *Event) explain(op string, start *Event, h, g *native.Event, ms *float32, err error) (
	time.Duration, error,
) {
	outside := func(x *Event) bool { return x.rec.has(flagShared) || x.rec.load().kind() != plain }
	startOutside, endOutside := outside(start), outside(e)
	switch {
	case errors.Is(err, driver.ErrNotReady):
		return 0, &Error{op, start.String() + " or " + e.String(), ErrNotReady, notReadyRemedy}
	case !errors.Is(err, driver.ErrHandle) || !startOutside && !endOutside:
		return 0, failed(op, e, err)
	}
	// An event without a time is refused even when it is compared with itself.
	_, startErr := e.home.driver.Elapsed(h.Object, h.Object, ms)
	_, endErr := e.home.driver.Elapsed(g.Object, g.Object, ms)
	if startErr != nil || endErr != nil {
		return 0, refusePair(op, start, startErr != nil, e, endErr != nil, ErrNotRecorded,
			"the driver has no record with a time; launch the graph that records it, or "+
				"record it on a stream first")
	}
	d, err := e.home.driver.Elapsed(h.Object, g.Object, ms)
	switch {
	case err == nil: // recorded meanwhile
		return d, nil
	case h.Is(native.Owned) && g.Is(native.Owned): // both of the device's own context
		return 0, failed(op, e, err)
	}
	return 0, &Error{op, both(start, e), ErrDeviceMismatch, "both have a time, but they belong to " +
		"different contexts; create both events in one context"}
}
