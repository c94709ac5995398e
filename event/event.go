package event

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// Event marks a place in a stream's work. Record it, then query whether the stream has passed it,
// wait for it, make other streams wait for it, or take the time between two events. Create one with
// [Device.NewEvent] or [Stream.RecordNew], and close it when it is no longer needed.
//
// All methods are safe for concurrent use. None changes the caller's current context or device, and
// none blocks another while it waits. Compare events by pointer, not by native handle: drivers
// reuse handles. Methods of a nil or zero Event return [ErrNilEvent] or zero values.
type Event struct {
	home  *Device // whose driver has the native event; the event's device, unless it is foreign
	flags driver.EventFlags
	id    uintptr // for its name: the handle it was created with
	// native is exchanged when the event is recorded again while the last record is waited for: the
	// waiters keep the old handle.
	native atomic.Pointer[native.Event]

	rec        recordLock    // the last record; its lock orders records
	done       atomic.Uint64 // the last record that is known to be done
	begin, end uint32        // the last record's order on its stream; guarded by rec

	// Locks are taken in the order rec, mu, a completion's, a poller's, the dispatcher's. The driver
	// is called under rec to record, and to create the native objects that a record needs. It is
	// not called under mu.
	mu      sync.Mutex
	waiting atomic.Pointer[completion] // of the last record, if it is waited for; written under mu
	rare    atomic.Pointer[rare]       // nil if there is nothing
}

// rare is what few events have. It is made at first use.
type rare struct {
	ipc    *IPCDescriptor          // set before others see the event
	broken atomic.Pointer[failure] // the last record that is known to have failed
	others sync.Map                // completions that no call can join any more, kept for Close

	mirror   atomic.Pointer[Event] // a shared event's, on AMD: see mirrors
	holds    sync.Map              // completions for which streams wait instead: see waitShared
	exported atomic.Bool           // another process may have the descriptor
}

// makeRare returns what few events have, and makes it if there is nothing yet.
func (e *Event) makeRare() *rare {
	if e.rare.Load() == nil {
		e.rare.CompareAndSwap(nil, new(rare))
	}
	return e.rare.Load()
}

// failure is a record that will never be reached.
type failure struct {
	rec record
	err error
}

// NewEvent creates an unrecorded event. Options that the device can't honour are an error.
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

// newEvent creates an event; its errors name object.
func (d *Device) newEvent(op string, object fmt.Stringer, f driver.EventFlags) (*Event, error) {
	h, err := d.native.CreateEvent(f)
	if err != nil {
		return nil, failed(op, object, err)
	}
	e := &Event{home: d, flags: f, id: native.ID(h.Object)}
	e.native.Store(h)
	if f.IPC {
		if err := e.export(h); err != nil {
			return nil, failed(op, object, joinLater(err, h.Close()))
		}
	}
	d.registerLater(e)
	return e, nil
}

// export makes the descriptor of an event that can be shared between processes.
func (e *Event) export(h *native.Event) error {
	raw, err := h.Device.Driver.ExportEvent(h.Object)
	if err != nil {
		var refused *driver.Error
		if errors.As(err, &refused) && refused.Unshareable() {
			err = joinLater(&driver.Refusal{Cause: ErrUnsupported, Detail: "the device " +
				"can't share events between processes; leave WithIPC out"}, err)
		}
		return err
	}
	e.makeRare().ipc = &IPCDescriptor{backend: e.home.Backend(), blocking: e.flags.Blocking,
		handle: raw}
	e.rec.set(flagShared)
	return nil
}

// checkFlags refuses options that contradict each other or that the device does not support.
func checkFlags(f driver.EventFlags, op string, d *Device) error {
	refuse := func(cause error, why string) error { return &Error{op, d.String(), cause, why} }
	switch {
	case f.IPC && f.Timing:
		return refuse(ErrInvalidOption, "an event shared between processes keeps no time; "+
			"use WithTiming or WithIPC, not both")
	case f.IPC && !d.driver.May().Has(driver.CanShare):
		return refuse(ErrUnsupported, "the device can't share events between processes; "+
			"leave WithIPC out")
	case f.External && !d.driver.May().Has(driver.CanRecordExternal):
		return refuse(ErrUnsupported, "the device does not support external records in graphs; "+
			"leave WithExternal out")
	case f.Fence > driver.FenceNone:
		return refuse(ErrInvalidOption, "there is no such fence; use one of the Fence constants")
	case f.Fence != driver.FenceDefault && d.Backend() != HIP:
		return refuse(ErrUnsupported, "fences are an option of AMD devices; leave WithFence out")
	}
	return nil
}

// WrapEvent wraps a native event created elsewhere on this device: a cudrv.Event or hip.Event. The
// creator still owns the native event and must keep it alive until the wrapper's Close has
// returned nil; Close closes only the wrapper. The options state what the native event was created
// with. Whether it was recorded is not known, so it counts as recorded. The host has no native
// handles.
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
		return nil, &Error{op, d.String(), ErrInvalidOption, "0 is not an event handle"}
	}
	f := eventOptions(options)
	if err := checkFlags(f, op, d); err != nil {
		return nil, err
	}
	return foreignEvent(d, d.native.WrapEvent(driver.Object{Word: handle}, 0), f), nil
}

// foreignEvent returns an event that was created elsewhere and may have been recorded there.
func foreignEvent(d *Device, h *native.Event, f driver.EventFlags) *Event {
	e := &Event{home: d, flags: f, id: native.ID(h.Object)}
	e.native.Store(h)
	e.rec.set(flagShared)
	e.rec.publish(newRecord(1, foreign))
	h.Cleanup = runtime.AddCleanup(e, (*native.Event).Dropped, h)
	return e
}

// isForeign reports whether the event's device is unknown: it was imported.
func (e *Event) isForeign() bool { return e.native.Load().Is(native.Foreign) }

// isNil reports whether the event is nil or its zero value, which no function returns.
func (e *Event) isNil() bool { return e == nil || e.home == nil }

// retain begins a use of the native event, which the caller must release.
func (e *Event) retain(op string) (*native.Event, error) {
	if e.isNil() {
		return nil, nilEvent(op)
	}
	for !e.rec.closed() {
		if h := e.native.Load(); h.Retain() { // otherwise it was exchanged
			return h, nil
		}
	}
	return nil, e.closedError(op)
}

// Close destroys the event once no call uses it any more. If it is pending, the work goes on, and
// streams that wait for it keep waiting; goroutines of this process that wait for it get
// [ErrClosed]. Later calls of Close do nothing; all other methods return ErrClosed or what was
// known of the event.
//
// An event that was recorded or waited for [WithExternal] in a capture is part of the graph, which
// may be launched for the life of the process. Its native event is never destroyed.
//
// Close of a wrapped event returns when the creator may destroy the native event: no call and no
// query uses it any more. If one still does after 100 ms, the error is [ErrNotReady]; call Close
// again before destroying it.
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

// closeNative ends all waits and closes the native handle.
func (e *Event) closeNative() error {
	if e.waiting.Load() != nil || e.rare.Load() != nil { // a wait that begins now sees the close
		e.endWaiting(e.closedError("Event.Wait"))
		e.closeMirror()
	}
	if !e.rec.free() {
		go e.closeAfterRecord()
		return nil
	}
	h := e.native.Load()
	if h.WaitsForDevice() {
		h.CloseAsync()
		return nil
	}
	return failed("Event.Close", e, h.Close())
}

// closeAfterRecord closes the native handle once the calls in flight that use it under the record
// lock have returned.
func (e *Event) closeAfterRecord() {
	e.rec.mu.Lock()
	h := e.native.Load()
	e.rec.mu.Unlock()
	e.closeMirror()
	h.CloseAsync()
}

// handedBack waits until this package no longer uses the handle of a closed event that it does not
// own.
func (e *Event) handedBack() error {
	h := e.native.Load()
	unused := func() bool { return h.Closed() && !h.InUse() }
	if h.Is(native.Owned) || native.Soon(native.Patience, unused) {
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
		"time, and a query could end the capture; record it outside a capture" +
		e.externalRemedy()}
}

// externalRemedy adds a remedy for events in captures, if the device supports it.
func (e *Event) externalRemedy() string {
	if e.home.driver.May().Has(driver.CanRecordExternal) {
		return ", or create it WithExternal"
	}
	return ""
}

// capturingError reports that a capture in progress keeps the driver from answering.
func (e *Event) capturingError(op string) error {
	return &Error{op, e.String(), ErrCaptured, "the stream that it was recorded on is being " +
		"captured, and a query could end the capture; query after the capture, or use Event.Wait"}
}
