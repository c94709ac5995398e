package event

import "github.com/gpuevent/gpuevent/internal/native"

// Err returns why the stream has failed, or nil if this package knows of no failure. It makes no
// driver call and may be called during a capture.
//
// It returns the first failure that this package learned of, and keeps returning it:
//
//   - a failed host function, see [Stream.HostFunc];
//   - the error of an event of another backend that the stream waited for;
//   - an error from a query of the stream's work, through the stream or an event recorded on it:
//     ErrIllegalAddress and the like. A failed device goes unnoticed until a call queries, so nil
//     proves nothing;
//   - on the host, a failure of the device, or of an event that the stream waited for.
//
// A refused call, as with [ErrCaptured], is not a failure of the stream. A failed stream can't be
// repaired: close it and create another. A device's default stream stays failed for the life of the
// process, so enqueue functions that may fail on streams of your own.
func (s *Stream) Err() error {
	const op = "Stream.Err"
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.Release()
	if err := s.native.Root().Failure(); err != nil {
		return failed(op, s, err)
	}
	return failed(op, s, s.device.driver.Failure(s.native.Object))
}

// learn notes a driver's error from a query of the work of a stream, which may be nil.
func learn(s *native.Stream, err error) {
	if s != nil {
		s.Learn(err)
	}
}

// fate returns why the completion's record has failed although it was reached, or nil.
func (c *completion) fate() error {
	if c.on == nil || c.reached {
		return nil
	}
	return c.on.FailedBefore(c.begin)
}

// verdict is fate; it also notes a failure in the event.
func (c *completion) verdict() error {
	err := c.fate()
	if err != nil {
		c.event.rememberFailure(c.rec, err)
	}
	return err
}

// reached returns the answer to a query for which the driver said that rec was reached, which was
// made on stream s.
func (e *Event) reached(op string, s *native.Stream, rec record) (bool, error) {
	if s == nil || s.Failure() == nil || rec.unrecorded() || rec.kind() != plain {
		return true, nil
	}
	now, ok := e.rec.look() // e.begin belongs to the last record
	if !ok {
		return false, e.closedError(op)
	}
	begin := e.begin
	e.unlook()
	if now != rec {
		return e.again(op)
	}
	if err := s.FailedBefore(begin); err != nil {
		e.rememberFailure(rec, err)
		return false, failed(op, e, err)
	}
	return true, nil
}
