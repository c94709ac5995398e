package sim

import (
	"sync"
	"sync/atomic"

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
	event   *host.Event  // knows nothing of captures
	shared  *sharedEvent // of an interprocess event
	flags   uint32
	place   atomic.Pointer[place]  // where in a capture it was recorded, if that is newer
	noted   atomic.Pointer[stream] // AMD: the last record's stream, nil for the null one

	lock          sync.Mutex // AMD: held by hipEventSynchronize for as long as it waits
	synchronizing atomic.Int32
	order         atomic.Uint64 // of the last record's call
	noded         atomic.Bool   // a node of a graph records it or waits for it
	exported      atomic.Bool   // to other processes
}

// event resolves a handle given to a call.
func (f *face) event(call string, h uintptr) (*event, code) {
	if o := f.handles.find(h); o != nil && o.event != nil {
		return o.event, success
	}
	return nil, f.dead(call, h, eventKind)
}

// eventFlagsOK reports whether the driver creates an event with these flags.
func (f *face) eventFlagsOK(flags uint32) bool {
	p := f.profile.Load()
	known := uint32(eventBlockingSync | eventDisableTiming | eventInterprocess)
	if p.plays(amdReleaseFlags) || p.plays(chipReleaseFlags) {
		known |= eventReleaseToDevice | eventReleaseToSystem
	}
	if p.plays(amdSystemFenceFlag) {
		known |= eventDisableSystemFence
	}
	fences := flags & (eventReleaseToDevice | eventReleaseToSystem | eventDisableSystemFence)
	if flags&^known != 0 || fences&(fences-1) != 0 && !p.plays(chipReleaseFlags) {
		return false
	}
	return flags&eventInterprocess == 0 || flags&eventDisableTiming != 0 ||
		p.plays(amdInterprocessAlone)
}

func (f *face) eventCreate(out *uintptr, flags uint32) code {
	if out == nil || !f.eventFlagsOK(flags) {
		return invalidValue
	}
	c, fault := f.here()
	if fault != success {
		return fault
	}
	var shared *sharedEvent
	if flags&eventInterprocess != 0 && !f.plays(chipIPCUnsupported) {
		var err error
		shared, err = exportEvent()
		if err != nil { // the error is returned when a descriptor is requested
			shared = nil
		}
	}
	timing := flags&eventDisableTiming == 0 && shared == nil
	*out = f.newEvent(c, c.engine.NewEvent(host.EventOptions{Timing: timing}), shared, flags)
	return success
}

func (f *face) newEvent(c *context, ev *host.Event, shared *sharedEvent, flags uint32) uintptr {
	e := &event{context: c, event: ev, shared: shared, flags: flags}
	e.object.event = e
	return f.begin(&e.object, eventKind)
}

func (f *face) eventDestroy(call string, h uintptr) code {
	o := f.handles.find(h)
	if f.plays(amdIPCDestroyWaits) && o != nil && o.event != nil && f.hasSharedMemory(o.event) {
		_ = o.event.context.engine.Sync()
	}
	if o == nil || o.event == nil || !f.end(o) {
		if h != 0 && !f.plays(cudaHandlesChecked) && !f.plays(amdDoubleDestroyCrashes) {
			// The one call that checks.
			f.note(Crash{call, h, "event is destroyed or none"}, false)
			return contextIsDestroyed
		}
		return f.dead(call, h, eventKind)
	}
	o.event.close()
	return o.event.context.failed()
}

// hasSharedMemory reports whether an event of AMD's runtime has memory that processes share: once
// it is exported, imported or, where that works, recorded.
func (f *face) hasSharedMemory(e *event) bool {
	if e.shared == nil {
		return false
	}
	recorded := e.state() != host.Unrecorded && !f.plays(amdIPCOrdersNothing)
	return !e.shared.exporter || e.exported.Load() || recorded
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
	st.tells()
	st.worked.Store(true)
	external := flags != 0
	if c := st.capture.Load(); c != nil {
		if fault, captured := f.captureRecord(c, e, st, external); captured {
			return fault
		}
	} else if external && !f.plays(amdExternalOutsideCapture) {
		return invalidValue
	}
	if c := f.legacyMayWork(st); c != success {
		return c
	}
	f.enterEvent(call, e)
	defer f.leaveEvent(e)
	err := e.record(st.queue)
	if err == nil {
		e.records(f, st, nil)
	}
	return codeOf(err)
}

// records notes the effects of a record.
func (e *event) records(f *face, s *stream, at *place) {
	e.order.Store(f.ids.Add(1))
	if at != nil || e.place.Load() != nil {
		e.place.Store(at)
	}
	if f.plays(amdRecordNotesStream) {
		if s.queue.IsDefault() {
			s = nil
		}
		e.noted.Store(s)
	}
}

// captureRecord makes e stand for where s is in a capture, or adds a node that records it. False
// means that this is a record like others.
func (f *face) captureRecord(c *capture, e *event, s *stream, external bool) (code, bool) {
	if f.plays(chipCapturesRunAtOnce) {
		return success, false
	}
	if external {
		f.captureMu.Lock()
		at := &place{c, c.tails[s]}
		f.captureMu.Unlock()
		fault := f.addNode(c, s, recordNode(e))
		if fault == success && f.plays(amdExternalRecordMarks) {
			e.records(f, s, at)
		}
		return fault, true
	}
	if e.shared != nil && f.plays(cudaIPCEventInCapture) {
		return captureUnsupported, true
	}
	f.captureMu.Lock()
	defer f.captureMu.Unlock()
	if c.status == captureSpoilt && f.plays(amdSpoiltCaptureRecords) {
		return success, false
	}
	if fault := c.refuses(); fault != success {
		return fault, true
	}
	e.records(f, s, &place{c, c.tails[s]})
	return success, true
}

// The methods below take an interprocess event's records of other processes into account.

func (e *event) record(q *host.Queue) error {
	if e.shared != nil {
		return e.shared.record(q, e.event)
	}
	_, err := q.Record(e.event)
	return err
}

func (e *event) wait(q *host.Queue) error {
	if e.shared != nil {
		return e.shared.wait(q)
	}
	return q.WaitEvent(e.event)
}

func (e *event) state() host.State {
	if e.shared != nil {
		return e.shared.state()
	}
	return e.event.State()
}

func (e *event) query() (bool, error) {
	if e.shared != nil {
		return e.shared.query()
	}
	return e.event.Query()
}

func (e *event) sync() error {
	if e.shared != nil {
		return e.shared.sync(e.context.engine)
	}
	return e.event.Sync()
}

func (e *event) close() {
	_ = e.event.Close()
	if e.shared != nil {
		e.shared.close()
	}
}
