package event

import (
	"errors"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event/internal/driver"
	"github.com/gpuevent/gpuevent/hip"
)

// Err returns why the stream has failed, nil if it has not as far as this package has learned. It
// makes no driver call and may be called during a capture.
//
// The answer is the first failure that the package learned of, and stays:
//
//   - a failed function, see [Stream.HostFunc];
//   - the error of an event of another backend that the stream waited for;
//   - an error with which the driver answered when it was asked about the stream's work, through an
//     event recorded on it or through the stream: ErrIllegalAddress and its like. Nothing is known
//     of a failed device before somebody asks, so nil is no promise;
//   - on the host, the failure of the device, and of an event that the stream waited for.
//
// A call that was refused, as by [ErrCaptured], is no failure of the stream. Nothing mends a failed
// stream: close it and create another. A device's default stream stays failed as long as the
// process lives, so enqueue functions that may fail on streams of your own.
func (s *Stream) Err() error {
	const op = "Stream.Err"
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.release()
	if f := s.native.root().failure.Load(); f != nil {
		return failed(op, s, f.first)
	}
	return failed(op, s, s.device.driver.Failure(s.native.native))
}

// streamFailure is how a stream has failed. The drivers know of their own failures only: what
// follows a failed host function is done to them, so each such answer is held against this.
type streamFailure struct {
	first error // what was learned of first
	// behind is what fails the work that was enqueued behind number after; nil if only the driver
	// has failed, which says so itself.
	behind error
	after  uint32
}

// fail fails what was enqueued on a stream behind number n. The first such failure stays. It must
// come before the stream can go on.
func (h *handle) fail(n uint32, err error) {
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

// failedBefore is why what was enqueued on a stream with number n has failed although its driver
// calls it done. Numbers wrap around: it is wrong after two thousand million records on a failed
// stream.
func (h *handle) failedBefore(n uint32) error {
	if f := h.failure.Load(); f != nil && f.behind != nil && int32(n-f.after) > 0 {
		return f.behind
	}
	return nil
}

// learn notes that the driver has answered a question about a stream's work with an error.
func (h *handle) learn(err error) {
	if h.failure.Load() == nil && isOfWork(err) {
		h.failure.CompareAndSwap(nil, &streamFailure{first: err})
	}
}

// learn is that for an event's handle.
func (e *Event) learn(h *handle, err error) {
	if s := h.on.Load(); s != nil {
		s.learn(err)
	}
}

// isOfWork reports whether a driver's error tells of failed work. It does not if it refuses the
// question.
func isOfWork(err error) bool {
	var d *driver.Error
	var nvidia cudrv.Result
	var amd hip.Result
	return errors.As(err, &d) && d.Class == nil && !d.TookEffect &&
		(errors.As(d.Code, &nvidia) || errors.As(d.Code, &amd))
}

// fate is why the record that a completion waits for has failed although it was reached.
func (c *completion) fate() error {
	if c.on == nil || c.reached {
		return nil
	}
	return c.on.failedBefore(c.begin)
}

// verdict is fate, and notes it in the event.
func (c *completion) verdict() error {
	err := c.fate()
	if err != nil {
		c.event.broken.Store(&failure{c.rec, err})
	}
	return err
}

// reached makes an answer of what the driver has just said: that rec was reached.
func (e *Event) reached(op string, h *handle, rec record) (bool, error) {
	s := h.on.Load()
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
		e.broken.Store(&failure{rec, err})
		return false, failed(op, e, err)
	}
	return true, nil
}
