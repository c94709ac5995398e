package host

import "time"

// Elapsed returns the time between the newest records of two events of one engine, negative if end
// was reached first. It never waits. If it can't measure, it returns an *ElapsedError for the first
// of these that applies: closed, other engine, no timing, not recorded, captured, failed, not
// complete.
func Elapsed(start, end *Event) (time.Duration, error) {
	if start == nil || end == nil {
		return 0, blame(start == nil, end == nil, ErrNil)
	}
	a, b := start.stamp(), end.stamp()
	switch {
	case a.state == Closed || b.state == Closed:
		return 0, blame(a.state == Closed, b.state == Closed, ErrClosed)
	case start.eng != end.eng:
		return 0, blame(true, true, ErrOtherEngine)
	case !start.timing || !end.timing:
		return 0, blame(!start.timing, !end.timing, ErrTimingDisabled)
	case a.state == Unrecorded || b.state == Unrecorded:
		return 0, blame(a.state == Unrecorded, b.state == Unrecorded, ErrNotRecorded)
	case a.state == Captured || b.state == Captured:
		return 0, blame(a.state == Captured, b.state == Captured, ErrCaptured)
	case a.state == Failed:
		return 0, blame(true, b.state == Failed, a.err)
	case b.state == Failed:
		return 0, blame(false, true, b.err)
	case a.state == Pending || b.state == Pending:
		return 0, blame(a.state == Pending, b.state == Pending, ErrNotReady)
	}
	return b.at - a.at, nil
}

type stamp struct {
	state State
	at    time.Duration
	err   error
}

func (ev *Event) stamp() stamp {
	ev.mu.Lock()
	defer ev.mu.Unlock()
	if ev.closed.Load() {
		return stamp{state: Closed}
	}
	r := ev.cur.Load()
	if r == nil {
		return stamp{state: Unrecorded}
	}
	s := r.load()
	if s != Done && s != Failed {
		return stamp{state: s}
	}
	return stamp{s, r.at, r.err}
}

func blame(start, end bool, err error) error {
	which := "both"
	switch {
	case !end:
		which = "start"
	case !start:
		which = "end"
	}
	return &ElapsedError{Which: which, Err: err}
}
