package sim

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/internal/host"
)

// Flags of an event.
const (
	eventBlockingSync       = 1
	eventDisableTiming      = 2
	eventInterprocess       = 4
	eventDisableSystemFence = 0x20000000
	eventReleaseToDevice    = 0x40000000
	eventReleaseToSystem    = 0x80000000
)

type event struct {
	object
	context *context
	event   *host.Event
	flags   uint32

	lock          sync.Mutex // HIP: held by hipEventSynchronize for as long as it waits
	synchronizing atomic.Int32
}

// event resolves a handle given to a call.
func (f *face) event(call string, h uintptr) (*event, code) {
	if o := f.handles.find(h); o != nil && o.event != nil {
		return o.event, success
	}
	return nil, f.dead(call, h, eventKind)
}

// eventFlagsOK tells whether the driver creates an event with these flags.
func (f *face) eventFlagsOK(flags uint32) bool {
	known := uint32(eventBlockingSync | eventDisableTiming | eventInterprocess)
	if f.hip() {
		known |= eventReleaseToDevice | eventReleaseToSystem
		if f.profile.Load().number >= 50700000 {
			known |= eventDisableSystemFence
		}
		fences := flags & (eventReleaseToDevice | eventReleaseToSystem | eventDisableSystemFence)
		if fences&(fences-1) != 0 {
			return false
		}
	}
	return flags&^known == 0 && (flags&eventInterprocess == 0 || flags&eventDisableTiming != 0)
}

func (f *face) eventCreate(out *uintptr, flags uint32) code {
	if out == nil || !f.eventFlagsOK(flags) {
		return invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return fault
	}
	options := host.EventOptions{Timing: flags&eventDisableTiming == 0, IPC: flags&eventInterprocess != 0}
	ev, err := c.engine.NewEvent(options)
	if errors.Is(err, host.ErrIPCUnsupported) { // that shows when a handle is asked for
		options.IPC = false
		ev, err = c.engine.NewEvent(options)
	}
	if err != nil {
		return codeOf(err)
	}
	*out = f.newEvent(c, ev, flags)
	return success
}

func (f *face) newEvent(c *context, ev *host.Event, flags uint32) uintptr {
	e := &event{context: c, event: ev, flags: flags}
	e.object.event = e
	return f.begin(&e.object, eventKind)
}

func (f *face) eventDestroy(call string, h uintptr) code {
	o := f.handles.find(h)
	if o == nil || o.event == nil || !f.end(o) {
		if f.hip() && h != 0 { // the one call that checks
			f.note(Crash{call, h, "event is destroyed or none"}, false)
			return contextIsDestroyed
		}
		return f.dead(call, h, eventKind)
	}
	_ = o.event.event.Close()
	return o.event.context.failed()
}

// enterEvent takes the lock that HIP holds in every call on an event.
func (f *face) enterEvent(call string, e *event) {
	if !f.hip() {
		return
	}
	if e.synchronizing.Load() > 0 {
		f.noteBlocked(call, e.handle)
	}
	e.lock.Lock()
}

func (f *face) leaveEvent(e *event) {
	if f.hip() {
		e.lock.Unlock()
	}
}

func (f *face) eventRecord(call string, h, s uintptr, flags uint32) code {
	if flags > 1 {
		return invalidValue
	}
	e, fault := f.event(call, h)
	if fault != success {
		return fault
	}
	st, fault := f.stream(call, s)
	if fault != success {
		return fault
	}
	if st.context != e.context {
		return invalidHandle
	}
	f.enterEvent(call, e)
	defer f.leaveEvent(e)
	var err error
	switch {
	case flags == 0:
		_, err = st.queue.Record(e.event)
	case st.queue.Capture() == nil: // external is for captures
		return invalidValue
	default:
		_, err = st.queue.RecordExternal(e.event)
	}
	return codeOf(err)
}

// inActiveCapture tells whether the newest record was made in a capture that goes on.
func (e *event) inActiveCapture() bool {
	c := e.event.Capture()
	return c != nil && c.Status() != host.CaptureEnded
}

// captured is the answer about an event whose newest record is captured. HIP's question ends the capture; once that is over, HIP sees an
// event without a record.
func (f *face) captured(e *event) code {
	if !f.hip() {
		return capturedEvent
	}
	if c := e.event.Capture(); c != nil && c.Status() != host.CaptureEnded {
		c.Invalidate()
		return capturedEvent
	}
	return success
}

func (f *face) eventQuery(call string, h uintptr) code {
	if c := f.unsafeInCapture(); c != success {
		return c
	}
	e, fault := f.event(call, h)
	if fault != success {
		return fault
	}
	f.enterEvent(call, e)
	defer f.leaveEvent(e)
	if c := e.context.failed(); c != success {
		return c
	}
	done, err := e.event.Query()
	if err == host.ErrCaptured {
		return f.captured(e)
	}
	return queried(done, err)
}

func (f *face) eventSynchronize(call string, h uintptr) code {
	if c := f.unsafeInCapture(); c != success {
		return c
	}
	e, fault := f.event(call, h)
	if fault != success {
		return fault
	}
	f.enterEvent(call, e)
	defer f.leaveEvent(e)
	if c := e.context.failed(); c != success {
		return c
	}
	e.synchronizing.Add(1)
	defer e.synchronizing.Add(-1)
	err := e.event.Sync()
	if err == host.ErrCaptured {
		return f.captured(e)
	}
	return codeOf(err)
}

// elapsed measures. The entry point of CUDA 12.8 need not report the newest failures of the context.
func (f *face) elapsed(call string, out *float32, start, end uintptr, reportsFailures bool) code {
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
	if c := a.context.failed(); c != success && reportsFailures {
		return c
	}
	d, err := host.Elapsed(a.event, b.event)
	if err != nil {
		c := codeOf(err)
		if c == capturedEvent && f.hip() {
			return invalidHandle
		}
		return c
	}
	*out = f.milliseconds(d)
	return success
}

// milliseconds is a time as the drivers tell it: in steps of half a microsecond on CUDA and a whole one on HIP, as a float32.
func (f *face) milliseconds(d time.Duration) float32 {
	step := 500 * time.Nanosecond
	if f.hip() {
		step = time.Microsecond
	}
	d += time.Duration(f.m.skew.Load())
	return float32(float64(d.Round(step)) / float64(time.Millisecond))
}
