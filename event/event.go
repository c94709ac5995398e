package event

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
)

// Event marks a place in a stream's work. Record it, then ask whether the stream has come that far, wait for it, let other streams
// wait for it, or take the time between two. Get one with [Device.NewEvent] or [Stream.RecordNew], and close it when it is no longer needed.
//
// All methods are safe for concurrent use; none of them changes the caller's current context or device, and no call that waits keeps
// another out. Events are equal if they are the same object: drivers reuse native handles. Methods of a nil event return [ErrNilEvent] or zero values.
type Event struct {
	backend Backend
	device  *Device // nil if unknown: an imported event
	polls   *poller
	driver  driver
	flags   eventFlags
	native  *nativeEvent
	ipc     *IPCDescriptor
	// open: others may record it as well, another process or whoever has the raw handle. Then nothing about its records is
	// known without asking the driver.
	open atomic.Bool
	seen atomic.Bool // open, and was once pending, so that it has been recorded by whomever

	rec    recordLock              // the last record; its lock orders records, and Close
	done   atomicRecord            // the last record that is known to be done
	broken atomic.Pointer[failure] // the last record that was waited for in vain

	// Guarded by rec's lock.
	stream *Stream // the stream of the last record
	seq    uint64  // the number of the last record in its stream
	point  *point  // who waits for the last record; nil if nobody does
}

// failure is a record that will never be reached.
type failure struct {
	rec record
	err error
}

// NewEvent creates an event that is not recorded yet. Options that the device can't honour are an error.
func (d *Device) NewEvent(options ...EventOption) (*Event, error) {
	const op = "Device.NewEvent"
	if err := d.present(op); err != nil {
		return nil, err
	}
	f := eventOptions(options)
	if err := f.check(op, d); err != nil {
		return nil, err
	}
	h, err := d.driver.createEvent(f)
	if err != nil {
		return nil, failed(op, d, err)
	}
	e := newEvent(d, newNativeEvent(d, d.label(), h, true), f)
	if f.ipc {
		raw, err := d.driver.exportEvent(h)
		if err != nil {
			return nil, failed(op, d, joinLater(err, e.native.close()))
		}
		e.ipc = &IPCDescriptor{backend: d.Backend(), blocking: f.blocking, handle: raw}
		e.open.Store(true)
	}
	runtime.AddCleanup(e, reap, &e.native.guard)
	return e, nil
}

// joinLater adds a failure to the one that caused it.
func joinLater(first, later error) error {
	if later == nil {
		return first
	}
	return errors.Join(first, later)
}

func newEvent(d *Device, n *nativeEvent, f eventFlags) *Event {
	return &Event{backend: n.device.Backend(), device: d, polls: n.device.polls, driver: n.device.driver, flags: f, native: n}
}

// check refuses options that contradict each other or that the device lacks.
func (f eventFlags) check(op string, d *Device) error {
	refuse := func(cause error, why string) error { return &Error{op, d.String(), cause, why} }
	can := d.Capabilities()
	switch {
	case f.ipc && f.timing:
		return refuse(ErrInvalidOption, "an event shared between processes keeps no time; use WithTiming or WithIPC, not both")
	case f.ipc && !can.Has(CapIPC):
		return refuse(ErrUnsupported, "events can't be shared between processes here; leave WithIPC out")
	case f.external && !can.Has(CapExternal):
		return refuse(ErrUnsupported, "external records into graphs are not supported here; leave WithExternal out")
	case f.fence < FenceDefault || f.fence > FenceNone:
		return refuse(ErrInvalidOption, fmt.Sprintf("there is no fence %d", int(f.fence)))
	case f.fence != FenceDefault && d.Backend() != HIP:
		return refuse(ErrUnsupported, "fences are an option of AMD devices; leave WithFence out")
	}
	return nil
}

// WrapEvent makes an event of a native handle that was created elsewhere on this device: a cudrv.Event or hip.Event. The handle stays its
// creator's, who keeps it alive as long as the wrapper is used; Close closes the wrapper only. The options say what the handle was
// created with. Whether it was recorded is not known, so it counts as recorded. The host has no native handles.
func (d *Device) WrapEvent(handle uintptr, options ...EventOption) (*Event, error) {
	const op = "Device.WrapEvent"
	if err := d.present(op); err != nil {
		return nil, err
	}
	if d.IsHost() {
		return nil, &Error{op, d.String(), ErrUnsupported, "the host's events have no native handle; use NewEvent"}
	}
	if handle == 0 {
		return nil, &Error{op, d.String(), ErrInvalidOption, "0 is no event"}
	}
	f := eventOptions(options)
	if err := f.check(op, d); err != nil {
		return nil, err
	}
	return foreignEvent(d, newNativeEvent(d, d.label(), eventHandle{word: handle}, false), f), nil
}

// foreignEvent is an event that was created elsewhere, perhaps recorded there.
func foreignEvent(d *Device, n *nativeEvent, f eventFlags) *Event {
	e := newEvent(d, n, f)
	e.open.Store(true)
	e.rec.unlock(newRecord(1, foreign))
	return e
}

// enter begins a use of the native handle; leave it with e.native.leave.
func (e *Event) enter(op string) error {
	if e == nil {
		return nilEvent(op)
	}
	if !e.native.enter() {
		return e.closedError(op)
	}
	return nil
}

// Close destroys the event once no call uses it any more. It may be pending: the work goes on, and streams that wait for it keep waiting. Whoever
// waits for it in this process gets [ErrClosed]. Later calls of Close do nothing; all other methods return ErrClosed, or what was known of the event.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	rec := e.rec.lock()
	first := e.native.shut()
	p := e.point
	e.point = nil
	e.rec.unlock(rec)
	if p != nil {
		p.abandon(e.closedError("Event.Wait"))
	}
	if !first {
		return nil
	}
	return failed("Event.Close", e, e.native.dispose())
}

func nilEvent(op string) error {
	return &Error{op, "event <nil>", ErrNilEvent, "create one with Device.NewEvent or Stream.RecordNew"}
}

func (e *Event) closedError(op string) error {
	return &Error{op, e.String(), ErrClosed, "create a new event"}
}

func (e *Event) capturedError(op string) error {
	return &Error{op, e.String(), ErrCaptured,
		"its last record is a place in a graph, not in time, and asking the driver could end the capture; record it outside a capture, or create it WithExternal"}
}
