package event

import (
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// Record marks the place in stream s behind everything enqueued so far. It replaces the event's
// last record; streams and goroutines that already wait keep waiting for the earlier one. The
// stream must belong to the event's device.
func (e *Event) Record(s *Stream) error {
	const op = "Event.Record"
	if e.isNil() {
		return nilEvent(op)
	}
	if s.isNil() {
		return nilStream(op, e.String(), e.Device())
	}
	if e.home != s.device || e.isForeign() {
		if err := e.mismatch(op, s.device, s.String()); err != nil {
			return err
		}
	}
	last, ok := e.rec.lock() // keeps Close from destroying the handle
	if !ok {
		return e.closedError(op)
	}
	if e.flags.IPC {
		if err := e.replaceable(op); err != nil {
			e.unlock(last)
			return err
		}
	}
	if !s.native.Retain() {
		e.unlock(last)
		return s.closedError(op)
	}
	next, err := e.recordOn(op, s, last)
	s.native.Release()
	e.unlock(next)
	return err
}

// recordOn is Record for a caller that holds the lock and uses the stream, or whose event no other
// goroutine knows. It returns what the last record is then: a new one, or last if it fails.
func (e *Event) recordOn(op string, s *Stream, last record) (next record, err error) {
	on := s.native.Root()
	begin := on.Number()
	next, err = e.record(op, s, last)
	if next != last {
		on.Records.Add(1)
		e.begin, e.end = begin, on.Newest()
		if e.flags.IPC {
			e.recordMirror(s, next)
		}
	}
	return next, err
}

// recordFirst is Record for an event that no other goroutine knows, on a stream of its device.
func (e *Event) recordFirst(op string, s *Stream) error {
	if !s.native.Retain() {
		return s.closedError(op)
	}
	first, err := e.recordOn(op, s, 0)
	s.native.Release()
	e.rec.publish(first)
	return err
}

// unlock publishes the record, releases the lock, and starts the waits that began meanwhile.
func (e *Event) unlock(next record) {
	e.rec.unlock(next)
	if e.waiting.Load() != nil {
		e.armWaiting()
	}
}

// unlook is unlock for callers that made no record.
func (e *Event) unlook() { e.unlock(e.rec.load()) }

// record records on stream s. It returns what the last record is then: a new one,
// or last if it fails. The caller holds the lock and uses the stream.
func (e *Event) record(op string, s *Stream, last record) (record, error) {
	checkCapture := s.native.Has(native.MayCapture)
	if checkCapture && s.native.Root().Has(native.Discarded) { // s is a wrapper or a keepalive
		return last, failed(op, s, native.DiscardedRefusal)
	}
	next, capture, err := e.recordAs(op, s, last, plain, checkCapture)
	if capture == driver.Capturing {
		kind := inCapture
		if e.flags.External {
			kind = inGraph
		}
		next, _, err = e.recordAs(op, s, last, kind, false)
	}
	return next, err
}

// outcome returns what the last record is after a driver call, and the error to return.
func (e *Event) outcome(op string, s *Stream, last record, kind recordKind,
	capture driver.Capture, err error,
) (record, error) {
	switch {
	case capture == driver.CaptureUnknown:
		return last, failed(op, s, err)
	case capture == driver.Capturing || err != nil && !driver.OnlyRestore(err):
		return last, describe(op, e, about{e.home, true, s.native}, err)
	}
	next := newRecord(last.generation()+1, kind)
	if err != nil {
		err = failed(op, e, err)
	}
	return next, err
}

// recordAs makes a record of a kind, if need be with another handle.
func (e *Event) recordAs(op string, s *Stream, last record, kind recordKind, checkCapture bool) (
	record, driver.Capture, error,
) {
	on := s.native.Root()
	was := e.native.Load()
	h, err := e.forRecord(on, was, kind)
	if err != nil {
		return last, driver.CaptureUnknown, failed(op, e, err)
	}
	elsewhere := h.On.Load() != on
	needs := elsewhere && h.NeedsStream()
	if needs && !on.Pin() { // a wrapper of one that is destroyed
		if h != was {
			h.CloseAsync()
		}
		return last, driver.CaptureUnknown, s.closedError(op)
	}
	capture, err := h.Record(s.native, kind == inGraph, checkCapture)
	next, err := e.outcome(op, s, last, kind, capture, err)
	if next == last {
		if needs {
			on.Release()
		}
		if h != was {
			h.CloseAsync()
		}
		return last, capture, err
	}
	if elsewhere {
		if before := h.On.Swap(on); before != nil && needs {
			before.Release()
		}
	}
	if h != was {
		e.exchange(was, h)
	}
	switch kind {
	case inCapture:
		h.Note(native.Exported)
	case inGraph:
		e.keep(h)
	}
	return next, capture, err
}

// forRecord returns the handle to record: the event's, or another one if the last record is waited
// for, whose waiters keep the old handle. A shared event keeps its handle, and its waiters wait for
// the newest record. The caller holds the lock.
func (e *Event) forRecord(on *native.Stream, h *native.Event, kind recordKind) (
	*native.Event, error,
) {
	moves := h.NeedsStream() && (kind != plain || h.On.Load() != on)
	switch {
	case h.Watchers.Load() == 0 && !(moves && h.InUse()):
		return h, nil
	case e.rec.has(flagShared):
		return h, e.leaveToCapture(h, kind)
	}
	return e.home.native.CreateEvent(e.flags)
}

// exchange makes h the event's handle. Existing waiters keep the old handle. The caller holds the
// lock.
func (e *Event) exchange(was, h *native.Event) {
	e.mu.Lock()
	e.native.Store(h)
	if c := e.waiting.Load(); c != nil && c.armed {
		e.setAside(c)
		e.waiting.Store(nil)
	}
	if was.Cleanup != (runtime.Cleanup{}) { // otherwise it is not set yet
		was.Cleanup.Stop()
		h.Cleanup = runtime.AddCleanup(e, (*native.Event).Dropped, h)
	}
	e.mu.Unlock()
	was.CloseAsync()
}

// leaveToCapture stops all queries of a shared event that is about to be recorded in a capture.
func (e *Event) leaveToCapture(h *native.Event, kind recordKind) error {
	if kind != inCapture {
		return nil
	}
	e.endWaiting(e.capturedError("Event.Wait"))
	if e.home.info().Traits.CapturedQueryEndsCapture && !h.Quiet() {
		return &driver.Refusal{Cause: ErrNotReady,
			Detail: "a query of it is still in flight; record it again later"}
	}
	return nil
}

// keep notes that the handle is part of a graph from now on: each launch records it or waits for
// it.
func (e *Event) keep(h *native.Event) {
	h.Note(native.Kept)
	e.rec.set(flagShared)
}

// mismatch returns the error for an event that does not belong to device d, or nil. An event of
// unknown device belongs to every device of its backend.
func (e *Event) mismatch(op string, d *Device, other string) error {
	if e.Backend() != d.Backend() {
		return &Error{op, e.String(), ErrBackendMismatch, fmt.Sprintf(
			"it belongs to %s, %s to %s; create the event on the other's device",
			e.Backend(), other, d.Backend())}
	}
	if !e.isForeign() && e.home != d {
		return &Error{op, e.String(), ErrDeviceMismatch, fmt.Sprintf(
			"it belongs to %v, %s to %v; create the event on the other's device",
			e.home, other, d)}
	}
	return nil
}
