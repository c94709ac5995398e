package event

import (
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// RecordNew creates an event with the options and records it on the stream.
func (s *Stream) RecordNew(options ...EventOption) (*Event, error) {
	const op = "Stream.RecordNew"
	if s.isNil() {
		return nil, nilStream(op, "stream <nil>", nil)
	}
	if s.native.Closed() {
		return nil, s.closedError(op)
	}
	f := eventOptions(options)
	if err := checkFlags(f, op, s.device); err != nil {
		return nil, err
	}
	return s.recordNew(op, f)
}

// recordNew records a new event. Its errors name the stream.
func (s *Stream) recordNew(op string, f driver.EventFlags) (*Event, error) {
	e, err := s.device.newEvent(op, s, f)
	if err != nil {
		return nil, err
	}
	if err := e.recordFirst(op, s); err != nil {
		return nil, joinLater(renamed(op, s, err), e.Close())
	}
	return e, nil
}

// Record records e on the stream: e.Record(s).
func (s *Stream) Record(e *Event) error { return e.Record(s) }

// WaitEvent makes all work enqueued from now on wait for the event's last record. It returns at
// once. The event may belong to another device. If it belongs to another backend, this process
// watches it and releases the stream when it is done. An event that is done or was never recorded
// delays nothing. Neither a later record of the event nor its Close changes the wait.
func (s *Stream) WaitEvent(e *Event) error {
	const op = "Stream.WaitEvent"
	if s.isNil() {
		return nilStream(op, e.String(), nil)
	}
	if e.isNil() {
		return &Error{op, s.String(), ErrNilEvent, "pass an event"}
	}
	if !s.native.Retain() {
		return s.closedError(op)
	}
	err := s.waitEvent(op, e) // no defer: it would double the cost
	s.native.Release()
	return err
}

// waitEvent is WaitEvent for a stream that the caller uses.
func (s *Stream) waitEvent(op string, e *Event) error {
	rec, closed := e.rec.read()
	switch {
	case closed:
		return e.closedError(op)
	case e.mirrors():
		return s.waitShared(op, e)
	case e.home != s.device && e.Backend() != s.Backend():
		if rec.captured() {
			return e.capturedError(op)
		}
		s.device.countStreamWait()
		return s.waitAcross(op, e)
	case rec.unrecorded() && e.known(rec):
		return nil
	}
	h, err := e.retain(op)
	if err != nil {
		return err
	}
	s.device.countStreamWait()
	switch {
	case h.NeedsStream() && h.StreamDrained() && !e.rec.has(flagShared): // nothing is left to wait for
	case e.flags.External || rec.captured():
		err = s.waitSpecial(e, h, rec)
	default:
		err = s.device.driver.WaitEvent(s.native.Object, h.Object, false)
	}
	if e.Device() != s.device && !s.device.abroad.Load() {
		s.device.abroad.Store(true)
	}
	if err != nil {
		err = s.unlessDiscarded(op, e, h, rec, err)
	}
	h.Release()
	return err
}

// waitSpecial is waitEvent for external events and records of captures. The caller uses the handle.
func (s *Stream) waitSpecial(e *Event, h *native.Event, rec record) error {
	external := false
	if e.flags.External {
		var err error
		if external, err = s.native.Capturing(); err != nil {
			return err
		}
	}
	if rec.captured() {
		if s.Backend() == HIP && s.native.IsDefault {
			return &Error{"Stream.WaitEvent", s.String(), ErrCaptured, "the event was recorded in a " +
				"capture, and the default stream can't take part in one; wait on a stream of its own"}
		}
		s.native.Note(native.MayCapture) // the capture spreads to this stream
	}
	err := s.device.driver.WaitEvent(s.native.Object, h.Object, external)
	if external && err == nil {
		e.keep(h)
	}
	return err
}

// WaitStream makes all work enqueued from now on wait for everything enqueued on other so far. It
// returns at once. To wait for a device's default stream, pass its DefaultStream.
func (s *Stream) WaitStream(other *Stream) error {
	const op = "Stream.WaitStream"
	if s.isNil() || other.isNil() {
		return nilStream(op, s.String(), nil)
	}
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.Release()
	if err := other.enter(op); err != nil {
		return err
	}
	defer other.native.Release()
	e, err := other.recordNew(op, driver.EventFlags{})
	if err != nil {
		return err
	}
	return joinLater(renamed(op, s, s.waitEvent(op, e)), e.Close()) // the wait outlives the event
}
