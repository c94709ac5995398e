package event

// HostFunc enqueues a Go function as work: what is enqueued after it waits until f has returned. f runs on a thread of the driver's and must not
// call the driver, nor anything that waits for a device: to react to finished work, use [Event.OnDone]. On the host, an error from f fails the stream; on a
// GPU it goes to the error handler, for the drivers have no way to fail a stream. A panic in f counts as an error. If the device fails first, f
// may never run. In a capture f becomes part of the graph, runs at each launch, and is kept as long as the process lives.
func (s *Stream) HostFunc(f func() error) error {
	const op = "Stream.HostFunc"
	if s == nil {
		return nilStream(op, "stream <nil>", nil)
	}
	if f == nil {
		return &Error{op, s.String(), ErrInvalidOption, "the function is nil"}
	}
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.leave()
	if !s.device.Capabilities().Has(CapHostFunc) {
		return &Error{op, s.String(), ErrUnsupported, "this driver has no host functions; use Event.OnDone"}
	}
	repeat, err := s.capturing()
	if err != nil {
		return failed(op, s, err)
	}
	return failed(op, s, s.device.driver.hostFunc(s.native.handle, f, repeat))
}
