package event

import (
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// AMD's runtime shares events, but its streams can't be relied on to wait for them, and a query is
// for the newest record. A stream that waited until a query says done would wait for ever if the
// event was recorded again behind that wait. So this package records a plain event, the mirror,
// behind each record of a shared one, and its streams wait for the mirror. Records of other
// processes have no mirror: a stream is held until a query says done.

// mirrors reports whether streams wait for the event's mirror.
// fact: amd-ipc-wait-slots
func (e *Event) mirrors() bool { return e.flags.IPC && e.home.info().Traits.SharedWaitsFail }

// recordMirror records the mirror behind the event's record. If that fails, streams wait by
// queries. The caller holds the lock and uses the stream, or no other goroutine knows the event.
func (e *Event) recordMirror(s *Stream, rec record) {
	if !e.mirrors() {
		return
	}
	r := e.makeRare()
	m := r.mirror.Load()
	if rec.kind() != plain || m != nil && m.home != s.device {
		e.closeMirror()
		m = nil
	}
	if rec.kind() == plain {
		var err error
		if m == nil {
			m, err = s.device.newEvent("Event.Record", s, driver.EventFlags{Fence: e.flags.Fence})
		}
		if err == nil {
			r.mirror.Store(m)
			err = m.Record(s)
		}
		if err != nil {
			e.closeMirror()
		}
	}
	// From now on a query is for this record. The streams wait for the one before by other means, or
	// it is done: see replaceable.
	r.holds.Range(func(c, _ any) bool {
		c.(*completion).abandon(nil)
		return true
	})
}

// closeMirror closes the mirror, if there is one.
func (e *Event) closeMirror() {
	if r := e.rare.Load(); r != nil {
		if m := r.mirror.Swap(nil); m != nil {
			if err := m.Close(); err != nil {
				e.home.native.ReportLate(err)
			}
		}
	}
}

// replaceable returns an error if streams wait for a record of another process that could not be
// queried any more after a new record. The caller holds the lock.
func (e *Event) replaceable(op string) error {
	r := e.rare.Load()
	if r == nil {
		return nil
	}
	lost := false
	r.holds.Range(func(_, mirrored any) bool {
		lost = !mirrored.(bool)
		return !lost
	})
	if !lost {
		return nil
	}
	if done, err := e.native.Load().QueryUnlessCaptured(); done || err != nil {
		return nil
	}
	return &Error{op, e.String(), ErrNotReady, "a stream waits for the last record, which AMD's " +
		"runtime would forget; record it later, and use an event for each direction"}
}

// notHeldFor notes the end of a wait.
func (e *Event) notHeldFor(c *completion) {
	if r := e.rare.Load(); r != nil {
		r.holds.Delete(c)
	}
}

// recordedElsewhere reports whether others than this package may record the event.
func (e *Event) recordedElsewhere(h *native.Event) bool {
	r := e.rare.Load()
	return !h.Is(native.Shared) || h.Is(native.Foreign) || h.Has(native.Exported) ||
		r != nil && r.exported.Load()
}

// waitShared makes the stream wait for a shared event that has a mirror. Where other processes may
// have recorded it since, the stream is also held until a query says done. The caller uses the
// stream.
func (s *Stream) waitShared(op string, e *Event) error {
	if err := s.mayHold(op); err != nil {
		return err
	}
	rec, ok := e.rec.look() // no new record can come between what follows
	if !ok {
		return e.closedError(op)
	}
	defer e.unlook()
	if rec.captured() {
		return e.capturedError(op)
	}
	var m *Event
	if r := e.rare.Load(); r != nil {
		m = r.mirror.Load()
	}
	elsewhere := e.recordedElsewhere(e.native.Load())
	if m != nil {
		if err := s.waitEvent(op, m); err != nil {
			return err
		}
		if !elsewhere {
			return nil
		}
	}
	if !elsewhere && rec.unrecorded() {
		return nil
	}
	if m == nil {
		s.device.countStreamWait()
	}
	mirrored := false // the newest record that a query sees is probably that of the mirror
	if m != nil {
		done, err := m.IsDone()
		mirrored = !done || err != nil
	}
	c := e.detached(rec)
	e.makeRare().holds.Store(c, mirrored)
	return s.holdFor(op, e, c)
}
