package soak

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/event"
)

// wrong reports an answer that the model does not allow.
func (w *world) wrong(k opKind, s *sight, answer any, why string) {
	w.find("%s of %s answered %v: %s\n%s", k, s.e, answer, why, s.account())
}

func (e *ev) String() string {
	name := "event"
	if e.dev != nil {
		name = e.dev.name + " event"
	}
	if o := e.obj.Load(); o != nil {
		name = o.String()
	}
	for _, f := range []struct {
		is   bool
		name string
	}{{e.timing, "timing"}, {e.blocking, "blocking"}, {e.ipc, "ipc"}, {e.external, "external"},
		{e.wrapped, "wrapped"}, {e.imported, "imported"}, {e.mayCapture, "capture"},
		{e.open.Load(), "open"}} {
		if f.is {
			name += " " + f.name
		}
	}
	return name
}

// account tells what the model knew.
func (s *sight) account() string {
	text := fmt.Sprintf("  the call began at %d; its records (complete: %v):\n",
		s.view.begin, s.complete)
	for _, r := range s.all {
		text += "    " + r.String() + "\n"
	}
	return text + "  the event's history:\n" + s.e.history.String()
}

func (r *record) String() string {
	if r == nil {
		return "none"
	}
	open := 0
	for _, g := range r.behind {
		if g.opened.Load() {
			open++
		}
	}
	return fmt.Sprintf("record %d to %d on %v, kind %d, behind %d gates of which %d are open, "+
		"stream passed %d, seen done %v", r.begin, r.end.Load(), r.stream, r.kind,
		len(r.behind), open, r.stream.progress.passed.Load(), r.known.Load())
}

func (s *stream) String() string {
	if s == nil {
		return "no stream"
	}
	if o := s.obj.Load(); o != nil {
		return o.String()
	}
	return s.dev.name + " stream"
}

// saidDone checks the answer "done" to a call on the event.
func (w *world) saidDone(k opKind, s *sight) {
	if s.wasClosed {
		w.wrong(k, s, "done", "the event was closed before")
	}
	if !s.complete {
		return
	}
	if all(s.all, (*record).pending) {
		w.wrong(k, s, "done", "a closed gate holds up every record that could be meant")
	}
	if all(s.all, isCaptured) {
		w.wrong(k, s, "done", "its record is a place in a graph")
	}
	if len(s.all) == 1 && s.all[0] != nil {
		s.all[0].known.Store(true)
		if s.all[0].alone && !s.e.open.Load() {
			s.all[0].told.Store(true)
		}
	}
}

// saidPending checks the answer "not done".
func (w *world) saidPending(k opKind, s *sight) {
	if s.wasClosed {
		w.wrong(k, s, "not done", "the event was closed before")
	}
	if !s.view.isDone || s.view.grown() || w.skips("pending") {
		return
	}
	if s.settle(); !s.view.fuzzy {
		w.wrong(k, s, "not done", "it was done before the call")
	}
}

// explain checks an error of a call on events and streams.
func (w *world) explain(k opKind, err error, s *sight, streams ...*stream) {
	closed := s != nil && s.e.closeBegan.Load() != 0
	failing := w.Form == Faults && w.faulty.Load() ||
		s != nil && s.e.dev != nil && s.e.dev.failing.Load()
	inCapture := s != nil && (!s.complete || s.view.fuzzy || some(s.all, mayCaptured))
	for _, st := range streams {
		closed = closed || st.closeBegan.Load() != 0
		failing = failing || st.dev.failing.Load()
		inCapture = inCapture || st.captures.Load()%2 == 1
	}
	if s != nil && s.e.imported {
		failing = failing || !w.plain()
	}
	var driver *event.DriverError
	switch {
	case errors.Is(err, event.ErrClosed) && closed:
	case errors.Is(err, event.ErrCaptureFailed) && w.Form == Faults:
		// Its capture failed because a call did, and AMD's runtime keeps the stream.
	case k != opWaitEvent && s != nil && w.plain() && errors.As(err, &driver) &&
		errors.Is(err, event.ErrCaptured) && s.surelyCaptured():
		w.wrong(k, s, err, "the driver was asked about a record in a capture")
	case errors.Is(err, event.ErrCaptured) && inCapture:
	case errors.Is(err, event.ErrCaptured) && s != nil && s.e.ipc:
		// Each object of a shared event has a stream of its own that it was last recorded on.
	case errors.Is(err, event.ErrNotReady) && s != nil && s.e.ipc &&
		(s.e.elsewhere.Load() || w.Form == Faults || failing):
		// A stream waits for a record that has no mirror: another object's, or a call failed.
	case k == opWaitEvent && s != nil && s.view.fuzzy && s.e.dev.backend == event.HIP &&
		errors.As(err, &driver):
		// AMD's driver refuses to wait for an event whose stream is captured.
	case s != nil && w.excused(s) && errors.As(err, &driver):
	case failing && (errors.As(err, &driver) || errors.Is(err, event.ErrUnsupported)):
		w.tolerated.Add(1)
	case s != nil:
		w.wrong(k, s, err, "nothing explains that error")
	default:
		w.find("%s on %v: nothing explains %v\n  the stream's history:\n%s",
			k, streams[0], err, streams[0].history.String())
	}
}

// surelyCaptured reports whether the record was one in a capture from the beginning of the call on.
func (s *sight) surelyCaptured() bool {
	return s.complete && !s.view.fuzzy && len(s.all) == len(s.view.start) && all(s.all, isCaptured)
}

// excused reports whether a failure is left out of the checks as one of an event that was recorded
// in a capture while the driver was asked.
func (w *world) excused(s *sight) bool {
	return w.skips("asked-captured") && (!s.complete || some(s.all, mayCaptured))
}

// mustBeClosed wants an error where the event was closed before the call.
func (w *world) mustBeClosed(k opKind, s *sight, err error) {
	if s.wasClosed && !errors.Is(err, event.ErrClosed) && !isContext(err) {
		w.wrong(k, s, err, "the event was closed before")
	}
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// strict reports whether calls on the device must succeed.
func (w *world) strict(d *device) bool {
	if w.Form == Faults {
		return false
	}
	return d == nil && w.plain() || d != nil && !d.failing.Load()
}
