package event

import (
	"errors"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Err returns why the stream has failed, or nil if this package knows of no failure. It makes no
// driver call and may be called during a capture.
//
// It returns the first failure that this package learned of, and keeps returning it:
//
//   - a failed host function, see [Stream.HostFunc];
//   - the error of an event of another backend that the stream waited for;
//   - an error from a query of the stream's work, through the stream or an event recorded on it:
//     ErrIllegalAddress and the like. A failed device goes unnoticed until somebody queries, so nil
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
	defer s.native.release()
	if f := s.native.root().failure.Load(); f != nil {
		return failed(op, s, f.first)
	}
	return failed(op, s, s.device.driver.Failure(s.native.object))
}

// streamFailure is the failure of a stream. Drivers know only their own failures: they call work
// behind a failed host function done, so each such answer is checked against this.
type streamFailure struct {
	first error // the first failure that became known
	// behind is the error of the work enqueued behind number after; nil if only the driver has
	// failed, which then returns the error itself.
	behind error
	after  uint32
}

// fail fails what was enqueued on a stream behind number n. The first such failure stays. It must
// be called before the stream can go on.
func (h *nativeStream) fail(n uint32, err error) {
	for {
		old := h.failure.Load()
		f := &streamFailure{first: err, behind: err, after: n}
		if old != nil {
			if old.behind != nil {
				return
			}
			f.first = old.first
		}
		if h.failure.CompareAndSwap(old, f) {
			return
		}
	}
}

// failedBefore returns why work with number n on a stream has failed although the driver calls it
// done. Numbers wrap around: the answer is wrong after two billion records on a failed stream.
func (h *nativeStream) failedBefore(n uint32) error {
	if f := h.failure.Load(); f != nil && f.behind != nil && int32(n-f.after) > 0 {
		return f.behind
	}
	return nil
}

// learn notes a driver's error from a query of the stream's work.
func (h *nativeStream) learn(err error) {
	if h.failure.Load() == nil && isOfWork(err) {
		h.failure.CompareAndSwap(nil, &streamFailure{first: err})
	}
}

// learnOnStream is learn for the stream that an event was last recorded on.
func (h *nativeEvent) learnOnStream(err error) {
	learnOn(h.on.Load(), err)
}

// learnOn is learn for a stream that may be nil.
func learnOn(s *nativeStream, err error) {
	if s != nil {
		s.learn(err)
	}
}

// isOfWork reports whether a driver's error means failed work, and not just a refused query.
func isOfWork(err error) bool {
	var d *driver.Error
	return errors.As(err, &d) && d.Class == nil && !d.TookEffect && driver.IsResult(d.Code)
}

// fate returns why the completion's record has failed although it was reached, or nil.
func (c *completion) fate() error {
	if c.on == nil || c.reached {
		return nil
	}
	return c.on.failedBefore(c.begin)
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
func (e *Event) reached(op string, s *nativeStream, rec record) (bool, error) {
	if s == nil || s.failure.Load() == nil || rec.unrecorded() || rec.kind() != plain {
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
	if err := s.failedBefore(begin); err != nil {
		e.rememberFailure(rec, err)
		return false, failed(op, e, err)
	}
	return true, nil
}
