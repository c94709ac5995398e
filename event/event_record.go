package event

import "fmt"

// Record marks the place that stream s has come to once everything enqueued on it so far has run. A new record replaces the one before; streams and
// waiters that wait already keep the place they wait for. The stream must belong to the event's device.
func (e *Event) Record(s *Stream) error {
	const op = "Event.Record"
	if e == nil {
		return nilEvent(op)
	}
	if s == nil {
		return nilStream(op, e.String(), e.device)
	}
	if e.device != s.device {
		if err := e.mismatch(op, s.device, "stream "+s.String()); err != nil {
			return err
		}
	}
	rec := e.rec.lock() // keeps Close out
	if e.native.closed() {
		e.rec.unlock(rec)
		return e.closedError(op)
	}
	seq, ok := s.native.enterCounted()
	if !ok {
		e.rec.unlock(rec)
		return s.closedError(op)
	}
	rec, err := e.record(op, s, seq, rec) // not with deferred calls, which would double the cost of a record
	s.native.leave()
	e.rec.unlock(rec)
	return err
}

// record records and returns what the last record is then: a new one, or last if it fails. The caller holds the lock and is inside the
// stream's guard, which has given the record its number.
func (e *Event) record(op string, s *Stream, seq uint64, last record) (record, error) {
	kind := plain
	if s.watched.Load() {
		capturing, err := e.driver.capturing(s.native.handle)
		if err != nil {
			return last, failed(op, s, err)
		}
		if capturing {
			kind = inCapture
			if e.flags.external {
				kind = inGraph
			}
		}
	}
	if e.point != nil {
		if err := e.supersede(kind); err != nil {
			return last, failed(op, e, err)
		}
	}
	err := e.driver.record(e.native.handle, s.native.handle, kind == inGraph)
	if err != nil && !onlyRestore(err) {
		return last, failed(op, e, err)
	}
	e.stream, e.seq = s, seq
	next := newRecord(last.generation()+1, kind)
	if err == nil {
		return next, nil
	}
	return next, failed(op, e, err)
}

// mismatch is the error for an event that does not belong to device d, or nil if it may: an event of unknown device belongs
// to every device of its backend.
func (e *Event) mismatch(op string, d *Device, other string) error {
	if e.backend != d.Backend() {
		return &Error{op, e.String(), ErrBackendMismatch,
			fmt.Sprintf("it belongs to %s, %s to %s; create the event on the other's device", e.backend, other, d.Backend())}
	}
	if e.device != nil && e.device != d {
		return &Error{op, e.String(), ErrDeviceMismatch,
			fmt.Sprintf("it belongs to %v, %s to %v; create the event on the other's device", e.device, other, d)}
	}
	return nil
}
