package event

import "github.com/gpuevent/gpuevent/internal/driver"

// waitAcross makes the stream wait for an event of another backend. This process watches the event
// and releases the stream when it is done. If the device can wait for a value in memory, no thread
// is occupied; otherwise one of its driver's threads for host functions is. The caller uses the
// stream.
func (s *Stream) waitAcross(op string, e *Event) error {
	capturing, err := s.capturing()
	if err != nil {
		return failed(op, s, err)
	}
	if capturing {
		return &Error{op, s.String(), ErrCaptured,
			"a graph can't wait for an event of another backend; wait before the capture begins"}
	}
	if can := s.device.Capabilities(); !can.Has(CapHostFunc) && !can.Has(CapWaitValue) {
		return &Error{op, s.String(), ErrUnsupported, "waiting for an event of another backend " +
			"needs host functions or waits for values in memory; use Event.Wait"}
	}
	c, err := e.detach(op)
	if c == nil {
		return err
	}
	var fate error        // of a record that has been reached
	if !e.home.IsHost() { // the stream waits for this record, even if the event is recorded again
		var r *relay
		e.home.driver.Relaxed(func() { r, err = e.home.newRelay(c.handle) })
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
	stream := s.native.root()
	n := stream.askNumber()
	release, err := s.device.driver.Hold(s.native.native)
	if err != nil && !driver.OnlyRestore(err) {
		c.drop()
		return failed(op, s, err)
	}
	c.then = func(err error) {
		if err != nil && !s.device.IsHost() { // whose engine fails the stream
			stream.fail(n, &driver.Error{Call: "wait for " + e.String(), Code: err})
		}
		release(err)
	}
	if fate != nil {
		c.End(fate)
		return failed(op, s, err)
	}
	c.watch = e.home.driver.Watch(c.handle.native, &c.Item)
	return failed(op, s, err)
}
