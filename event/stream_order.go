package event

// RecordNew creates an event with the options and records it.
func (s *Stream) RecordNew(options ...EventOption) (*Event, error) {
	const op = "Stream.RecordNew"
	if s == nil {
		return nil, nilStream(op, "no event", nil)
	}
	if err := s.enter(op); err != nil {
		return nil, err
	}
	defer s.native.leave()
	e, err := s.device.NewEvent(options...)
	if err != nil {
		return nil, err
	}
	if err := e.Record(s); err != nil {
		return nil, joinLater(err, e.Close())
	}
	return e, nil
}

// Record records e on the stream: e.Record(s).
func (s *Stream) Record(e *Event) error { return e.Record(s) }

// WaitEvent makes all work enqueued from now on wait for the event's last record. It returns at once. The event may belong to another
// device; if it belongs to another backend, the wait goes through the host: a goroutine of this package waits and then releases the stream, whose driver lends a
// thread meanwhile. An event that was never recorded, or is done, delays nothing. A later record of the event does not move the wait.
func (s *Stream) WaitEvent(e *Event) error {
	const op = "Stream.WaitEvent"
	if s == nil {
		return nilStream(op, e.String(), nil)
	}
	if e == nil {
		return &Error{op, s.String(), ErrNilEvent, "pass an event"}
	}
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.leave()
	if err := e.enter(op); err != nil {
		return err
	}
	defer e.native.leave()

	rec := e.rec.Load()
	if e.backend != s.device.Backend() {
		return s.waitAcross(op, e, rec)
	}
	if rec.unrecorded() && e.known(rec) {
		return nil
	}
	external := false
	if e.flags.external && s.watched.Load() {
		capturing, err := s.device.driver.capturing(s.native.handle)
		if err != nil {
			return failed(op, s, err)
		}
		external = capturing
	}
	if rec.captured() {
		s.watched.Store(true) // the capture spreads to this stream
	}
	return failed(op, s, s.device.driver.waitEvent(s.native.handle, e.native.handle, external))
}

// waitAcross lets a stream wait for an event of another backend: a host function that lasts until the event is done. Both are inside
// their guards.
func (s *Stream) waitAcross(op string, e *Event, rec record) error {
	if rec.captured() {
		return e.capturedError(op)
	}
	capturing, err := s.capturing()
	if err != nil {
		return failed(op, s, err)
	}
	if capturing {
		return &Error{op, s.String(), ErrCaptured, "a graph can't wait for an event of another backend; wait before the capture begins"}
	}
	if !s.device.Capabilities().Has(CapHostFunc) {
		return &Error{op, s.String(), ErrUnsupported, "waiting for an event of another backend needs host functions; wait on the host with Event.Wait"}
	}
	if done, err := e.queryRelaxed(op, rec); done || err != nil {
		return err
	}
	p, err := e.awaitForStream()
	if err != nil {
		return failed(op, e, err)
	}
	err = s.device.driver.hostFunc(s.native.handle, func() error {
		<-p.done
		return p.err
	}, false)
	if err != nil {
		p.abandon(err)
	}
	return failed(op, s, err)
}

// capturing tells whether the stream is being captured. The caller is inside the guard.
func (s *Stream) capturing() (bool, error) {
	if !s.watched.Load() {
		return false, nil
	}
	return s.device.driver.capturing(s.native.handle)
}

// WaitStream makes all work enqueued from now on wait for what is enqueued on other now. It returns at once. To wait for a device's default
// stream, pass its DefaultStream.
func (s *Stream) WaitStream(other *Stream) error {
	const op = "Stream.WaitStream"
	if s == nil || other == nil {
		return nilStream(op, s.String(), nil)
	}
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.leave()
	e, err := other.RecordNew()
	if err != nil {
		return err
	}
	if err := s.WaitEvent(e); err != nil {
		return joinLater(err, e.Close())
	}
	if e.backend == s.device.Backend() {
		return e.Close() // the wait outlives the event
	}
	return e.OnDone(func(error) { // the wait goes through this event
		if err := e.Close(); err != nil {
			report(err)
		}
	})
}
