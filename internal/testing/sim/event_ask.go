package sim

import (
	"time"

	"github.com/gpuevent/gpuevent/internal/host"
)

// enterEvent takes the lock that AMD's runtime holds in calls on an event.
func (f *face) enterEvent(call string, e *event) {
	if !f.plays(amdEventLock) {
		return
	}
	if e.synchronizing.Load() > 0 {
		f.noteBlocked(call, e.handle)
	}
	e.lock.Lock()
}

func (f *face) leaveEvent(e *event) {
	if f.plays(amdEventLock) {
		e.lock.Unlock()
	}
}

// captured returns CUDA's answer for an event whose newest record is in a capture.
func (f *face) captured(e *event, query bool) code {
	p := e.place.Load()
	switch {
	case p == nil || !f.plays(cudaCapturedEvent):
		return success
	case p.capture.ended.Load() && !query && f.plays(cudaCapturedEventCode):
		return invalidValue
	}
	return capturedEvent
}

// mayAskEvent refuses a query or synchronization of an event, or answers it without looking at the
// event.
func (f *face) mayAskEvent(call string, e *event, query bool) code {
	if c := f.captured(e, query); c != success {
		return c
	}
	if !f.plays(amdRecordNotesStream) {
		return success
	}
	s := e.forget().noted.Load()
	if s != nil && s.gone.Load() {
		if !query && f.plays(amdEventOutlivesStream) || query && f.plays(amdQueryOutlivesStream) {
			f.note(Crash{call, e.handle, "reads the event's last stream, which is destroyed"}, true)
			return capturedEvent // an answer that has been seen from such memory
		}
		return success
	}
	if f.capturing.Load() == 0 {
		return success
	}
	if s != nil {
		if c := f.askNoted(e, s, query); c != success {
			return c
		}
	}
	switch {
	case f.plays(amdEventHeedsModes):
		return f.heedModes()
	case s != nil && f.plays(amdStreamHeedsCaptures) && (!query || f.plays(amdQueryHeedsCaptures)):
		return f.heedOngoing()
	}
	return success
}

// askNoted looks at the stream of the last record, as AMD's runtime does.
func (f *face) askNoted(e *event, s *stream, query bool) code {
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	c := s.capture.Load()
	if c == nil {
		return success
	}
	p := e.place.Load()
	its := p != nil && p.capture == c
	asks := its && f.plays(amdCaptureAsksItsEvent) || f.plays(amdCaptureAsksNotedStream)
	heeds := (!query || f.plays(amdQueryHeedsCaptures)) && !f.plays(amdEventHeedsModes)
	switch {
	case c.status == captureActive && asks:
		f.spoil(c)
		return capturedEvent
	case !query && f.plays(amdCaptureSyncUnsupported):
		return captureUnsupported
	case c.status == captureSpoilt && heeds:
		return captureUnsupported
	}
	return success
}

// forget drops a place in a capture that has ended: AMD's runtime then sees the record before it,
// if there was one.
func (e *event) forget() *event {
	if p := e.place.Load(); p != nil && p.capture.ended.Load() && e.place.CompareAndSwap(p, nil) {
		e.noted.Store(nil)
	}
	return e
}

// alwaysDone reports whether the driver takes an event for complete whatever happens.
func (f *face) alwaysDone(e *event) bool {
	return e.flags&eventInterprocess != 0 && f.plays(amdIPCOrdersNothing)
}

func (f *face) eventQuery(call string, h uintptr) code {
	if f.plays(cudaCaptureModes) {
		if c := f.heedModes(); c != success {
			return c
		}
	}
	e, fault := f.event(call, h)
	if fault != success {
		return fault
	}
	if c := f.mayAskEvent(call, e, true); c != success {
		return c
	}
	f.enterEvent(call, e)
	defer f.leaveEvent(e)
	if c := e.context.failed(); c != success {
		return c
	}
	if f.alwaysDone(e) {
		return success
	}
	done, err := e.query()
	if done && err == nil && f.plays(chipUnrecordedNotReady) && e.state() == host.Unrecorded {
		return notReady
	}
	return queried(done, err)
}

func (f *face) eventSynchronize(call string, h uintptr) code {
	if f.plays(cudaCaptureModes) {
		if c := f.heedModes(); c != success {
			return c
		}
	}
	e, fault := f.event(call, h)
	if fault != success {
		return fault
	}
	if c := f.mayAskEvent(call, e, false); c != success {
		return c
	}
	f.enterEvent(call, e)
	defer f.leaveEvent(e)
	if c := e.context.failed(); c != success {
		return c
	}
	if f.alwaysDone(e) {
		return success
	}
	e.synchronizing.Add(1)
	defer e.synchronizing.Add(-1)
	done := codeOf(e.sync())
	if done == success {
		f.synchronized(e.context)
	}
	return done
}

// elapsed measures. The entry point of CUDA 12.8 need not report the newest failures of the
// context.
func (f *face) elapsed(call string, out *float32, start, end uintptr, newest bool) code {
	if out == nil {
		return invalidValue
	}
	a, fault := f.event(call, start)
	if fault != success {
		return fault
	}
	b, fault := f.event(call, end)
	if fault != success {
		return fault
	}
	if a.context != b.context {
		return invalidHandle
	}
	if c := a.context.failed(); c != success && (newest || !f.plays(cudaElapsedV2)) {
		return c
	}
	for _, e := range []*event{a, b} {
		if c := f.captured(e, false); c != success && (a.flags|b.flags)&eventDisableTiming == 0 {
			return c
		}
	}
	f.enterEvent(call, a)
	defer f.leaveEvent(a)
	if a != b && f.plays(amdElapsedLocksBoth) {
		f.enterEvent(call, b)
		defer f.leaveEvent(b)
	}
	d, err := host.Elapsed(a.event, b.event)
	if err != nil {
		return codeOf(err)
	}
	if f.plays(chipElapsedFollowsRecords) && (d < 0) != (b.order.Load() < a.order.Load()) {
		d = -d
	}
	*out = f.milliseconds(d)
	return success
}

// milliseconds returns a time as the drivers do: a float32, on CUDA in steps of half a microsecond,
// on AMD in nanoseconds.
func (f *face) milliseconds(d time.Duration) float32 {
	d += time.Duration(f.m.skew.Load())
	if f.plays(cudaElapsedSteps) {
		d = d.Round(500 * time.Nanosecond)
	}
	return float32(float64(d) / float64(time.Millisecond))
}
