package event

import "runtime"

// supersede sees to those who wait for the last record, since the event is about to be recorded anew and will tell nothing of the old record
// any more: they get an event that stands in. The caller holds the event's lock. If it fails, all is as before.
//
// Where the new record goes into a capture, nobody asks about the event any more when supersede has returned.
func (e *Event) supersede(next recordKind) error {
	p := e.point
	switch {
	case p.isOver() || p.poller == nil: // the engine of the host tells of a record, whatever becomes of the event
		e.point = nil
		return nil
	case p.rec.kind() == plain:
	case next == inCapture:
		e.point = nil
		p.abandon(e.capturedError("Event.Wait"))
		p.poller.settle()
		return nil
	default: // it was recorded elsewhere, and follows the newest record anyway
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer e.driver.relax()() // this record may belong to a capture, which our questions must not end

	if done, err := e.driver.queryEvent(e.native.handle); done || err != nil {
		if p.poller.remove(p) {
			p.end(err, true)
		}
		p.poller.settle()
		e.point = nil
		return nil
	}
	n, err := e.standIn()
	if err != nil {
		return err
	}
	if !p.poller.replace(p, n) {
		n.dropAside() // the point has just ended, perhaps by a failure: the record may still be pending
	}
	p.poller.settle()
	e.point = nil
	return nil
}

// standIn makes an event that is done when the present record is: recorded on a stream of its own that waits for that record and nothing else.
func (e *Event) standIn() (*nativeEvent, error) {
	d := e.native.device
	least, _, err := e.driver.priorities()
	if err != nil {
		return nil, err
	}
	s, err := e.driver.createStream(true, least)
	if err != nil {
		return nil, err
	}
	h, err := e.driver.createEvent(eventFlags{})
	if err != nil {
		return nil, joinLater(err, e.driver.destroyStream(s))
	}
	n := newNativeEvent(d, d.label(), h, true)
	n.helper = &s
	if err = e.driver.waitEvent(s, e.native.handle, false); err == nil {
		err = e.driver.record(h, s, false)
	}
	if err != nil {
		n.dropAside() // its stream may have to wait for the record, and AMD's driver waits with it
		return nil, err
	}
	return n, nil
}
