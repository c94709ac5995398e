package event

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// nativeEvent is an event of a driver: one that this package owns, or one that it wraps. An event
// that is recorded again while it is waited for gets another one. Like a stream, it is never
// destroyed under a lock.
type nativeEvent struct {
	uses
	traits atomic.Uint32
	device *Device // whose driver destroys it
	object driver.Object
	// on is the stream on which this package last recorded it. If the driver needs that stream while
	// the event is queried, this counts as a use of the stream.
	on       atomic.Pointer[nativeStream]
	watchers atomic.Int32 // completions that query its last record
	kind     eventKind
	ms       float32    // where the driver writes a time, guarded by timing
	timing   sync.Mutex // held during such a call
	// list is where the driver's event may go when this one is closed; nil for no list.
	list *poolList
	// cleanup closes the native event if the event is dropped; guarded by the event's mu.
	cleanup runtime.Cleanup
}

type eventKind uint8

const (
	eventOwned   eventKind = 1 << iota // this package destroys it
	eventForeign                       // its device is unknown
	eventShared                        // it can be shared with other processes
	eventCounted                       // it counts in Device.Stats
)

// Traits that an event acquires.
const (
	isKept     = 1 << iota // part of a graph, and never destroyed
	isExported             // code outside of this package, or a graph, may have its handle
	isReused               // from the pool: the driver still has an earlier record of it
)

func newNativeEvent(d *Device, o driver.Object, kind eventKind) *nativeEvent {
	return &nativeEvent{device: d, object: o, kind: kind}
}

func (h *nativeEvent) is(k eventKind) bool   { return h.kind&k != 0 }
func (h *nativeEvent) has(trait uint32) bool { return h.traits.Load()&trait != 0 }
func (h *nativeEvent) note(trait uint32)     { h.traits.Or(trait) }

// needsStream reports whether the driver reads the stream of the last record when the event is
// queried.
func (h *nativeEvent) needsStream() bool { return h.device.about.Traits.EventsNeedStream }

// queryEndsCaptures reports whether a query of an event ends a capture of its stream.
func (h *nativeEvent) queryEndsCaptures() bool { return h.device.about.Traits.StreamHearsQuestions }

// release ends a use. After the last one a closed event is destroyed.
func (h *nativeEvent) release() {
	if h.drop() {
		h.disposeLater()
	}
}

// quiet waits a moment for the event to be unused, and reports whether it is.
func (h *nativeEvent) quiet() bool { return soon(patience, func() bool { return !h.inUse() }) }

// close closes the event, which is destroyed now or after its last use.
func (h *nativeEvent) close() error {
	if !h.shut() {
		return nil
	}
	_, err := h.dispose(nil)
	return err
}

// closeAsync is close without waiting; failures go to the error handler.
func (h *nativeEvent) closeAsync() {
	if h.shut() {
		h.disposeLater()
	}
}

// dropped closes the native event of an event that the garbage collector has found, and counts it
// unless the event was closed.
func (h *nativeEvent) dropped() {
	if h.shut() {
		h.device.counts.leaks.Add(1)
		h.disposeLater()
	}
}

func (h *nativeEvent) disposeLater() {
	d := &disposal{object: h, device: h.device}
	d.Task = d
	if h.waitsForDevice() {
		dispatch(lateLane{h.device}, []func(error){func(error) { d.now() }}, nil)
		return
	}
	h.device.driver.Retire(&d.Item)
}

// waitsForDevice reports whether destroying an event that was recorded waits for the device.
func (h *nativeEvent) waitsForDevice() bool {
	return h.is(eventShared) && h.device.info().Traits.SharedNeedIdle
}

// dispose destroys the event, unless it is in use.
func (h *nativeEvent) dispose(*disposal) (over bool, err error) {
	if h.claim() {
		err = h.destroy()
	}
	return true, err
}

func (h *nativeEvent) destroy() (err error) {
	if h.is(eventOwned) && !h.has(isKept) && !h.device.gone() &&
		(!h.mayReuse() || !h.device.put(h.object, h.list)) {
		err = h.device.driver.DestroyEvent(h.object)
	}
	if h.is(eventCounted) {
		h.device.counts.events.Add(-1)
	}
	return joinLater(err, h.leaveStream())
}

// mayReuse reports whether another event may get the driver's event.
func (h *nativeEvent) mayReuse() bool { return h.list != nil && !h.has(isExported) }

// leaveStream ends the event's use of the stream that it was recorded on, and destroys the stream
// if that was the last use.
func (h *nativeEvent) leaveStream() error {
	if s := h.on.Load(); s != nil && h.needsStream() {
		return s.leave()
	}
	return nil
}

// record makes the driver call. If ask is set, it records only if the stream is not being captured;
// query and record are then one crossing into the driver.
func (h *nativeEvent) record(s *nativeStream, kind recordKind, ask bool) (driver.Capture, error) {
	if ask {
		return h.device.driver.RecordUnlessCapturing(h.object, s.object)
	}
	return driver.NotCapturing, h.device.driver.Record(h.object, s.object, kind == inGraph)
}

// drained reports whether the stream that the event was recorded on is closed and idle.
func (h *nativeEvent) drained() bool {
	s := h.on.Load()
	return s != nil && s.has(isDrained)
}

// query queries the event directly, unless that could end a capture: then asked is false.
func (h *nativeEvent) query() (done, asked bool, err error) {
	if h.queryEndsCaptures() {
		if s := h.on.Load(); s != nil {
			return h.queryUnlessExported(s)
		}
	}
	done, err = h.device.driver.QueryEvent(h.object)
	return done, true, err
}

// queryUnlessExported queries the event, unless the stream it was recorded on was exported.
// nativeStream.export waits for a query in flight.
func (h *nativeEvent) queryUnlessExported(s *nativeStream) (done, asked bool, err error) {
	s.queries.Add(1) // no defer, for speed
	if asked = !s.has(mayCapture); asked {
		done, err = h.device.driver.QueryEvent(h.object)
	}
	s.queries.Add(-1)
	return done, asked, err
}

// queryByRelay queries the event through a new relay. The caller uses the event.
func (h *nativeEvent) queryByRelay() (bool, error) {
	if h.hasNoRelay() {
		return h.queryUnlessCaptured()
	}
	r, err := h.device.newRelay(h)
	if r == nil {
		return err == nil, err
	}
	done, err := h.device.driver.QueryEvent(r.event.object)
	r.giveBack(done)
	return done, err
}

// hasNoRelay reports whether only queries of the event itself are right.
func (h *nativeEvent) hasNoRelay() bool {
	return h.is(eventShared) && h.device.info().Traits.SharedWaitsFail
}

// queryUnlessCaptured queries an event that has no relay, unless that would end a capture of its
// stream: the answer then is that it is not done. The caller uses the event.
func (h *nativeEvent) queryUnlessCaptured() (bool, error) {
	err := h.refuseInCapture()
	if errors.Is(err, driver.ErrCapturing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return h.device.driver.QueryEvent(h.object)
}

// onExported reports whether the stream of the event may be being captured.
func (h *nativeEvent) onExported() bool {
	s := h.on.Load()
	return s != nil && s.has(mayCapture)
}

// refuseInCapture returns an error if the stream of the event is being captured, so that the event
// must not be queried.
func (h *nativeEvent) refuseInCapture() error {
	s := h.on.Load()
	if s == nil || !s.has(mayCapture) {
		return nil
	}
	capturing, err := h.device.driver.Capturing(s.object)
	if capturing {
		err = driver.ErrCapturing
	}
	return err
}

// String returns "cuda:0 event 0x…"; the device is "cuda:?" if it is unknown.
func (h *nativeEvent) String() string {
	if h.is(eventForeign) {
		return eventName(unknownDevice(h.device), idOf(h.object))
	}
	return eventName(h.device.label(), idOf(h.object))
}

func eventName(label string, id uintptr) string { return fmt.Sprintf("%s event %#x", label, id) }

// unknownDevice returns the name used for an unknown device of a backend.
func unknownDevice(home *Device) string { return string(home.Backend()) + ":?" }

// idOf returns the number in an object's name: the handle on a GPU, an address on the host.
func idOf(o driver.Object) uintptr {
	if o.Host != nil {
		return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&o.Host))[1])
	}
	return o.Word
}
