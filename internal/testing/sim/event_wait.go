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
	case f.plays(chipCapturesRunAtOnce):
		return f.work(s, waitSpec(e).lay)
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
		return f.work(s, waitSpec(e).lay)
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if fault := c.refuses(); fault != success || e.state() == host.Unrecorded {
		return fault
	}
	f.spoil(c)
	return captureIsolation
}

// amdIPCSlots is how many records of a shared event AMD's runtime has places for.
const amdIPCSlots = 32

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
		if f.plays(amdExternalWaitCorrupts) && f.hasTail(c, s) {
			why := "an external wait after captured work writes to memory that is not the runtime's"
			f.note(Crash{call, e.handle, why}, true)
		}
		return f.addNode(c, s, waitNode(e))
	}
	if p := e.place.Load(); p != nil {
		if f.plays(amdNullStreamJoins) && s.queue.IsDefault() {
			why := "the end of a capture that the null stream has joined follows a null pointer"
			f.note(Crash{call, e.handle, why}, true)
			return success
		}
		return f.join(s, p)
	}
	if noted != nil && f.isActive(noted) && f.plays(amdWaitCapturedIsolation) {
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
	if e.shared != nil && f.plays(amdIPCWaitSlots) {
		switch records := e.shared.words[0].Load(); {
		case !f.hasSharedMemory(e):
			f.note(Crash{call, e.handle, "follows a null pointer to shared memory"}, true)
			return success
		case records == 0, records > amdIPCSlots:
			return invalidValue
		}
	}
	return codeOf(e.wait(s.queue))
}

// isActive reports whether a stream is in a capture that is not spoilt.
func (f *face) isActive(s *stream) bool {
	c := s.capture.Load()
	if c == nil {
		return false
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	return c.status == captureActive
}
