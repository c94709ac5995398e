package native

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Event is an event of a driver: one that this package owns, or one that it wraps. An event
// that is recorded again while it is waited for gets another one. Like a stream, it is never
// destroyed under a lock.
type Event struct {
	uses
	traits atomic.Uint32
	Device *Device // whose driver destroys it
	Object driver.Object
	// On is the stream on which this package last recorded it. If the driver needs that stream while
	// the event is queried, this counts as a use of the stream.
	On       atomic.Pointer[Stream]
	Watchers atomic.Int32 // completions that query its last record
	kind     Kind
	MS       float32    // where the driver writes a time, guarded by Timing
	Timing   sync.Mutex // held during such a call
	// list is where the driver's event may go when this one is closed; nil for no list.
	list *poolList
	// Cleanup closes the native event if the event is dropped; guarded by the event's mu.
	Cleanup runtime.Cleanup
}

// Kind is the set of an event's constant properties.
type Kind uint8

const (
	Owned   Kind = 1 << iota // this package destroys it
	Foreign                  // its device is unknown
	Shared                   // it can be shared with other processes
	counted                  // it counts in Device.Stats
)

// Traits that an event acquires.
const (
	Kept     = 1 << iota // part of a graph, and never destroyed
	Exported             // code outside of this package, or a graph, may have its handle
	Reused               // from the pool: the driver still has an earlier record of it
)

func newEvent(d *Device, o driver.Object, kind Kind) *Event {
	return &Event{Device: d, Object: o, kind: kind}
}

// Is reports whether the event has a property.
func (e *Event) Is(k Kind) bool { return e.kind&k != 0 }

// Has reports whether the event has a trait.
func (e *Event) Has(trait uint32) bool { return e.traits.Load()&trait != 0 }

// Note adds a trait.
func (e *Event) Note(trait uint32) { e.traits.Or(trait) }

// NeedsStream reports whether the driver reads the stream of the last record when the event is
// queried.
func (e *Event) NeedsStream() bool { return e.Device.Info.Traits.EventsNeedStream }

// QueryEndsCapture reports whether a query of an event ends a capture of its stream.
func (e *Event) QueryEndsCapture() bool { return e.Device.Info.Traits.QueryEndsStreamCapture }

// Release ends a use. After the last one a closed event is destroyed.
func (e *Event) Release() {
	if e.drop() {
		e.disposeLater()
	}
}

// Quiet waits a moment for the event to be unused, and reports whether it is.
func (e *Event) Quiet() bool { return Soon(Patience, func() bool { return !e.InUse() }) }

// Close closes the event, which is destroyed now or after its last use.
func (e *Event) Close() error {
	if !e.shut() {
		return nil
	}
	_, err := e.dispose(nil)
	return err
}

// CloseAsync is close without waiting; failures go to the error handler.
func (e *Event) CloseAsync() {
	if e.shut() {
		e.disposeLater()
	}
}

// Dropped closes the native event of an event that the garbage collector has found, and counts it
// unless the event was closed.
func (e *Event) Dropped() {
	if e.shut() {
		e.Device.Leaks.Add(1)
		e.disposeLater()
	}
}

func (e *Event) disposeLater() {
	d := &disposal{object: e, device: e.Device}
	d.Task = d
	if e.WaitsForDevice() {
		e.Device.late.destroy(d)
		return
	}
	e.Device.Driver.Retire(&d.Item)
}

// WaitsForDevice reports whether destroying an event that was recorded waits for the device.
func (e *Event) WaitsForDevice() bool {
	return e.Is(Shared) && e.Device.Info.Traits.SharedNeedIdle
}

// dispose destroys the event, unless it is in use.
func (e *Event) dispose(*disposal) (over bool, err error) {
	if e.claim() {
		err = e.destroy()
	}
	return true, err
}

func (e *Event) destroy() (err error) {
	if e.Is(Owned) && !e.Has(Kept) && !e.Device.Gone() &&
		(!e.mayReuse() || !e.Device.put(e.Object, e.list)) {
		err = e.Device.Driver.DestroyEvent(e.Object)
	}
	if e.Is(counted) {
		e.Device.events.Add(-1)
	}
	return joinLater(err, e.leaveStream())
}

// mayReuse reports whether another event may get the driver's event.
func (e *Event) mayReuse() bool { return e.list != nil && !e.Has(Exported) }

// leaveStream ends the event's use of the stream that it was recorded on, and destroys the stream
// if that was the last use.
func (e *Event) leaveStream() error {
	if s := e.On.Load(); s != nil && e.NeedsStream() {
		return s.Leave()
	}
	return nil
}

// Record makes the driver call. If checkCapture is set, it records only if the stream is not being
// captured; query and record are then one crossing into the driver.
func (e *Event) Record(s *Stream, external, checkCapture bool) (driver.Capture, error) {
	if checkCapture {
		return e.Device.Driver.RecordUnlessCapturing(e.Object, s.Object)
	}
	return driver.NotCapturing, e.Device.Driver.Record(e.Object, s.Object, external)
}

// StreamDrained reports whether the stream that the event was recorded on is closed and idle.
func (e *Event) StreamDrained() bool {
	s := e.On.Load()
	return s != nil && s.Has(Drained)
}

// Query queries the event directly, unless that could end a capture: then queried is false.
func (e *Event) Query() (done, queried bool, err error) {
	if e.QueryEndsCapture() {
		if s := e.On.Load(); s != nil {
			return e.queryUnlessExported(s)
		}
	}
	done, err = e.Device.Driver.QueryEvent(e.Object)
	return done, true, err
}

// queryUnlessExported queries the event, unless the stream it was recorded on was exported.
// Stream.export waits for a query in flight.
func (e *Event) queryUnlessExported(s *Stream) (done, queried bool, err error) {
	s.queries.Add(1) // no defer, for speed
	if queried = !s.Has(MayCapture); queried {
		done, err = e.Device.Driver.QueryEvent(e.Object)
	}
	s.queries.Add(-1)
	return done, queried, err
}

// QueryByRelay queries the event through a new relay. The caller uses the event.
func (e *Event) QueryByRelay() (bool, error) {
	if e.HasNoRelay() {
		return e.QueryUnlessCaptured()
	}
	r, err := e.Device.NewRelay(e)
	if r == nil {
		return err == nil, err
	}
	done, err := e.Device.Driver.QueryEvent(r.Event.Object)
	r.GiveBack(done)
	return done, err
}

// HasNoRelay reports whether only queries of the event itself are right.
func (e *Event) HasNoRelay() bool {
	return e.Is(Shared) && e.Device.Info.Traits.SharedWaitsFail
}

// QueryUnlessCaptured queries an event that has no relay, unless that would end a capture of its
// stream: the answer then is that it is not done. The caller uses the event.
func (e *Event) QueryUnlessCaptured() (bool, error) {
	err := e.RefuseInCapture()
	if errors.Is(err, driver.ErrCapturing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return e.Device.Driver.QueryEvent(e.Object)
}

// OnExported reports whether the stream of the event may be being captured.
func (e *Event) OnExported() bool {
	s := e.On.Load()
	return s != nil && s.Has(MayCapture)
}

// RefuseInCapture returns an error if the stream of the event is being captured, so that the event
// must not be queried.
func (e *Event) RefuseInCapture() error {
	s := e.On.Load()
	if s == nil || !s.Has(MayCapture) {
		return nil
	}
	capturing, err := e.Device.Driver.Capturing(s.Object)
	if capturing {
		err = driver.ErrCapturing
	}
	return err
}

// String returns "cuda:0 event 0x…"; the device is "cuda:?" if it is unknown.
func (e *Event) String() string {
	if e.Is(Foreign) {
		return EventName(e.Device.UnknownLabel(), ID(e.Object))
	}
	return EventName(e.Device.Info.Label, ID(e.Object))
}

// EventName returns the name of an event of a device with a label.
func EventName(label string, id uintptr) string { return fmt.Sprintf("%s event %#x", label, id) }

// ID returns the number in an object's name: the handle on a GPU, an address on the host.
func ID(o driver.Object) uintptr {
	if o.Host != nil {
		return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&o.Host))[1])
	}
	return o.Word
}
