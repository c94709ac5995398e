package event

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event/internal/driver"
)

// Event marks a place in a stream's work. Record it, then ask whether the stream has come that far,
// wait for it, let other streams wait for it, or take the time between two. Get one with
// [Device.NewEvent] or [Stream.RecordNew], and close it when it is no longer needed.
//
// All methods are safe for concurrent use; none of them changes the caller's current context or
// device, and no call that waits keeps another out. Events are equal if they are the same object:
// drivers reuse native handles. Methods of a nil or zero Event return [ErrNilEvent] or zero values.
type Event struct {
	device *Device // nil if unknown: an imported event
	home   *Device // whose driver has the handle
	flags  driver.EventFlags
	id     uintptr // names the event, whichever handle it has by now
	ipc    *IPCDescriptor
	// native is exchanged when the event is recorded anew while somebody waits for the last record:
	// they keep the handle.
	native  atomic.Pointer[handle]
	cleanup runtime.Cleanup // of the native handle; guarded by mu
	// shared: others may record it as well, another process or whoever has the raw handle. Then
	// nothing about its records is known without asking the driver, and the handle stays.
	shared atomic.Bool
	seen   atomic.Bool // shared, and was once pending, so that it has been recorded by somebody

	rec        recordLock              // the last record; its lock orders records
	done       atomic.Uint64           // the last record that is known to be done
	broken     atomic.Pointer[failure] // the last record that was waited for in vain
	begin, end uint32                  // the last record's order on its stream; guarded by rec

	// Locks are taken in the order rec, mu, a completion's, a poller's, the dispatcher's. No driver
	// call is made under mu, and under rec none but those that record.
	mu      sync.Mutex
	waiting atomic.Pointer[completion] // of the last record, where somebody waits; written under mu
	// others are completions that nobody may join any more, for Close. Made when first needed.
	others atomic.Pointer[sync.Map]
}

// failure is a record that will never be reached.
type failure struct {
	rec record
	err error
}

// NewEvent creates an event that is not recorded yet. Options that the device can't honour are an
// error.
func (d *Device) NewEvent(options ...EventOption) (*Event, error) {
	const op = "Device.NewEvent"
	if err := d.present(op); err != nil {
		return nil, err
	}
	f := eventOptions(options)
	if err := checkFlags(f, op, d); err != nil {
		return nil, err
	}
	return d.newEvent(op, d, f)
}

// newEvent creates an event; an error names the object.
func (d *Device) newEvent(op string, object fmt.Stringer, f driver.EventFlags) (*Event, error) {
	h, err := d.createEvent(f)
	if err != nil {
		return nil, failed(op, object, err)
	}
	e := newEvent(d, h, f)
	if f.IPC {
		raw, err := d.driver.ExportEvent(h.native)
		if err != nil {
			var refused *driver.Error
			if errors.As(err, &refused) && refused.Unshareable() {
				err = joinLater(&driver.Refusal{Cause: ErrUnsupported, Detail: "events can't be " +
					"shared between processes here; leave WithIPC out"}, err)
			}
			return nil, failed(op, object, joinLater(err, h.close()))
		}
		e.ipc = &IPCDescriptor{backend: d.Backend(), blocking: f.Blocking, handle: raw}
		e.shared.Store(true)
	}
	d.young.add(e)
	return e, nil
}

func newEvent(d *Device, h *handle, f driver.EventFlags) *Event {
	e := &Event{device: d, home: h.device, flags: f, id: h.id()}
	e.native.Store(h)
	return e
}

// check refuses options that contradict each other or that the device lacks.
func checkFlags(f driver.EventFlags, op string, d *Device) error {
	refuse := func(cause error, why string) error { return &Error{op, d.String(), cause, why} }
	switch {
	case f.IPC && f.Timing:
		return refuse(ErrInvalidOption, "an event shared between processes keeps no time; "+
			"use WithTiming or WithIPC, not both")
	case f.IPC && !d.driver.May().Has(driver.CanShare):
		return refuse(ErrUnsupported, "events can't be shared between processes here; "+
			"leave WithIPC out")
	case f.External && !d.driver.May().Has(driver.CanRecordExternal):
		return refuse(ErrUnsupported, "external records into graphs are not supported here; "+
			"leave WithExternal out")
	case f.Fence > driver.FenceNone:
		return refuse(ErrInvalidOption, "there is no such fence; use one of the Fence constants")
	case f.Fence != driver.FenceDefault && d.Backend() != HIP:
		return refuse(ErrUnsupported, "fences are an option of AMD devices; leave WithFence out")
	}
	return nil
}

// WrapEvent makes an event of a native handle that was created elsewhere on this device: a
// cudrv.Event or hip.Event. The handle stays its creator's, who keeps it alive as long as the
// wrapper is used; Close closes the wrapper only. The options say what the handle was created with.
// Whether it was recorded is not known, so it counts as recorded. The host has no native handles.
func (d *Device) WrapEvent(handle uintptr, options ...EventOption) (*Event, error) {
	const op = "Device.WrapEvent"
	if err := d.present(op); err != nil {
		return nil, err
	}
	if d.IsHost() {
		return nil, &Error{op, d.String(), ErrUnsupported,
			"the host's events have no native handle; use NewEvent"}
	}
	if handle == 0 {
		return nil, &Error{op, d.String(), ErrInvalidOption, "0 is no event"}
	}
	f := eventOptions(options)
	if err := checkFlags(f, op, d); err != nil {
		return nil, err
	}
	return foreignEvent(d, newHandle(d, driver.Object{Word: handle}, 0), f), nil
}

// foreignEvent is an event that was created elsewhere, perhaps recorded there.
func foreignEvent(d *Device, h *handle, f driver.EventFlags) *Event {
	e := newEvent(d, h, f)
	e.shared.Store(true)
	e.rec.word.Store(uint64(newRecord(1, foreign)))
	e.cleanup = runtime.AddCleanup(e, (*handle).closeAsync, h)
	return e
}

// isNil reports whether the event is nil or its zero value, which no function returns.
func (e *Event) isNil() bool { return e == nil || e.home == nil }

// use begins a use of the native handle: release it.
func (e *Event) use(op string) (*handle, error) {
	if e.isNil() {
		return nil, nilEvent(op)
	}
	for !e.rec.closed() {
		if h := e.native.Load(); h.use() {
			return h, nil
		} // it was exchanged
	}
	return nil, e.closedError(op)
}

// useAlone is use for one caller at a time: give it back with releaseAlone.
func (e *Event) useAlone(op string) (*handle, error) {
	for !e.rec.closed() {
		if h := e.native.Load(); h.useAlone() {
			return h, nil
		} // it was exchanged
	}
	return nil, e.closedError(op)
}

// Close destroys the event once no call uses it any more. It may be pending: the work goes on, and
// streams that wait for it keep waiting. Whoever waits for it in this process gets [ErrClosed].
// Later calls of Close do nothing; all other methods return ErrClosed, or what was known of the
// event.
//
// The native handle of an event that was recorded or waited for [WithExternal] in a capture is part
// of the graph, which may be launched as long as the process lives: it is never destroyed.
//
// Close of a wrapped event returns once its creator may destroy the handle: when no call and no
// question to the driver uses it. If one still does after 100 ms the error is [ErrNotReady]; call
// Close again then.
func (e *Event) Close() error {
	if e.isNil() {
		return nil
	}
	if e.rec.close() {
		if err := e.closeNative(); err != nil {
			return err
		}
	}
	return e.handedBack()
}

// closeNative has all waits end and gives the native handle up.
func (e *Event) closeNative() error {
	if e.waiting.Load() != nil || e.others.Load() != nil { // who begins to wait now sees the close
		e.endWaiting(e.closedError("Event.Wait"))
	}
	if e.rec.taken() { // as by a record that is under way, which sees that the event is closed
		return nil
	}
	h := e.native.Load()
	if h.waitsForDevice() && !e.rec.load().unrecorded() {
		h.closeAsync()
		return nil
	}
	return failed("Event.Close", e, h.close())
}

// handedBack waits until the package no longer uses the handle of a closed event whose creator may
// destroy it from now on.
func (e *Event) handedBack() error {
	h := e.native.Load()
	if h.is(isOwned) || soon(patience, func() bool { return !e.rec.taken() && !h.inUse() }) {
		return nil
	}
	return &Error{"Event.Close", e.String(), ErrNotReady, "it is closed, but a call still uses " +
		"the native handle; keep the handle, and close the event again before you destroy it"}
}

func nilEvent(op string) error {
	return &Error{op, "event <nil>", ErrNilEvent,
		"create one with Device.NewEvent or Stream.RecordNew"}
}

func (e *Event) closedError(op string) error {
	return &Error{op, e.String(), ErrClosed, "create a new event"}
}

func (e *Event) capturedError(op string) error {
	return &Error{op, e.String(), ErrCaptured, "its last record is a place in a graph, not in " +
		"time, and asking the driver could end the capture; record it outside a capture" +
		e.externalRemedy()}
}

// externalRemedy is what else helps with events in captures, where the device can do it.
func (e *Event) externalRemedy() string {
	if e.home.driver.May().Has(driver.CanRecordExternal) {
		return ", or create it WithExternal"
	}
	return ""
}

// capturingError says that a capture that goes on keeps the driver from answering.
func (e *Event) capturingError(op string) error {
	return &Error{op, e.String(), ErrCaptured, "the stream that it was recorded on is being " +
		"captured, and asking the driver could end the capture; ask again after it, or wait"}
}
