package sim

import "github.com/gpuevent/gpuevent/internal/host"

func (f *face) streamWaitEvent(call string, h, event uintptr, flags uint32) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	e, fault := f.event(call, event)
	switch {
	case fault != success:
		return fault
	case flags > 1:
		return invalidValue
	case f.plays(chipCapturedRecordIsNode):
		return f.work(s, waitNode(e).lay)
	case f.plays(amdWaitNotIsolated):
		return f.waitAMD(call, s, e, flags == 1)
	}
	return f.waitCUDA(s, e, flags == 1)
}

func (f *face) waitCUDA(s *stream, e *event, external bool) code {
	c := s.capture.Load()
	switch {
	case external && c != nil:
		return f.addNode(c, s, waitNode(e))
	case external && f.plays(cudaExternalNeedsCapture):
		return invalidValue
	}
	if p := e.place.Load(); p != nil {
		return f.join(s, p)
	}
	if c == nil {
		return f.work(s, waitNode(e).lay)
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if fault := c.refuses(); fault != success || e.event.State() == host.Unrecorded {
		return fault
	}
	c.spoil()
	return captureIsolation
}

// waitAMD looks at the stream of the event's last record first. A captured stream's wait for a
// record made outside is no part of the graph: it happens at once.
func (f *face) waitAMD(call string, s *stream, e *event, external bool) code {
	noted := e.forget().noted.Load()
	if noted != nil && noted.gone.Load() {
		if f.plays(amdWaitOutlivesStream) {
			f.note(Crash{call, e.handle, "reads the event's last stream, which is destroyed"}, true)
		}
		return success
	}
	c := s.capture.Load()
	if external {
		switch {
		case !f.plays(amdExternalWait):
			return invalidValue
		case c == nil:
			why := "an external wait outside a capture follows a null pointer"
			f.note(Crash{call, e.handle, why}, true)
			return invalidHandle
		}
		return f.addNode(c, s, waitNode(e))
	}
	if p := e.place.Load(); p != nil {
		return f.join(s, p)
	}
	if noted != nil && noted.capture.Load() != nil && f.plays(amdWaitCapturedIsolation) {
		return captureIsolation
	}
	if c := f.legacyMayWork(s); c != success {
		return c
	}
	f.enterEvent(call, e)
	defer f.leaveEvent(e)
	if f.alwaysDone(e) {
		return success
	}
	return codeOf(s.queue.WaitEvent(e.event))
}
