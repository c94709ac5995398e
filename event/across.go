package event

import (
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// waitAcross makes the stream wait for an event of another backend. This process watches the event
// and releases the stream when it is done. If the device can wait for a value in memory, no thread
// is occupied; otherwise one of its driver's threads for host functions is. The caller uses the
// stream.
func (s *Stream) waitAcross(op string, e *Event) error {
	if err := s.mayHold(op); err != nil {
		return err
	}
	c, err := e.detach(op)
	if c == nil {
		return err
	}
	return s.holdFor(op, e, c)
}

// mayHold returns an error if the stream can't be made to wait for this process.
func (s *Stream) mayHold(op string) error {
	capturing, err := s.native.Capturing()
	if err != nil {
		return failed(op, s, err)
	}
	if capturing {
		return &Error{op, s.String(), ErrCaptured,
			"a graph can't wait for an event of another backend, or on AMD of another process; wait " +
				"before the capture begins"}
	}
	if can := s.device.Capabilities(); !can.Has(CapHostFunc) && !can.Has(CapWaitValue) {
		return &Error{op, s.String(), ErrUnsupported, "waiting for an event of another backend " +
			"needs host functions or waits for values in memory; use Event.Wait"}
	}
	return nil
}

// holdFor makes the stream wait until the completion ends.
func (s *Stream) holdFor(op string, e *Event, c *completion) (err error) {
	var fate error // of a record that has been reached
	// The stream waits for this record, even if the event is recorded again.
	if !e.home.IsHost() && !e.mirrors() {
		var r *native.Relay
		e.home.driver.Relaxed(func() { r, err = e.home.native.NewRelay(c.handle) })
		switch {
		case r != nil:
			c.follow(r)
		case err != nil:
			c.drop()
			return e.answer(op, err)
		default:
			if fate = c.fate(); fate == nil {
				c.drop()
				return nil
			}
		}
	}
	stream := s.native.Root()
	n := stream.Number()
	release, err := s.device.driver.Hold(s.native.Object)
	if err != nil && !driver.OnlyRestore(err) {
		e.notHeldFor(c)
		c.drop()
		return failed(op, s, err)
	}
	c.then = func(err error) {
		e.notHeldFor(c)
		if err != nil && !s.device.IsHost() { // whose engine fails the stream
			stream.Fail(n, &driver.Error{Call: "wait for " + e.String(), Code: err})
		}
		release(err)
	}
	if fate != nil {
		c.End(fate)
		return failed(op, s, err)
	}
	c.watch = e.home.driver.Watch(c.handle.Object, &c.Item)
	return failed(op, s, err)
}
