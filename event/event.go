package event

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Event marks a place in a stream's work. Record it, then ask whether the stream has come that far, wait for it, let other streams
// wait for it, or take the time between two. Get one with [Device.NewEvent] or [Stream.RecordNew], and close it when it is no longer needed.
//
// All methods are safe for concurrent use; none of them changes the caller's current context or device, and no call that waits keeps
// another out. Events are equal if they are the same object: drivers reuse native handles.
type Event struct {
	backend  Backend
	device   *Device // nil if unknown: an imported event
	importer *Device // who imported it
	driver   driver
	flags    eventFlags
	native   *nativeEvent
	ipc      *IPCDescriptor

	rec    atomicRecord            // the last record
	done   atomicRecord            // the last record that is known to be done
	broken atomic.Pointer[failure] // the last record that is known to have failed

	mu     sync.Mutex // orders records; guards what follows
	stream *Stream    // the stream of the last record
	seq    uint64     // the number of the last record in its stream
	point  *point     // who waits for the last record; nil if nobody does
}

type nativeEvent struct {
	guard
	handle eventHandle
}

// failure is a record that will never be reached.
type failure struct {
	rec record
	err error
}

// NewEvent creates an event that is not recorded yet. Options that the device can't honour are an error.
func (d *Device) NewEvent(options ...EventOption) (*Event, error) {
	const op = "Device.NewEvent"
	f := eventOptions(options)
	if err := f.check(op, d); err != nil {
		return nil, err
	}
	h, err := d.driver.createEvent(f)
	if err != nil {
		return nil, failed(op, d, err)
	}
	drv := d.driver
	e := newEvent(d, d.Backend(), drv, h, f, func() error { return drv.destroyEvent(h) })
	if f.ipc {
		raw, err := drv.exportEvent(h)
		if err != nil {
			_, _ = e.native.close() // nothing was done with it; the first error is what matters
			return nil, failed(op, d, err)
		}
		e.ipc = &IPCDescriptor{backend: d.Backend(), blocking: f.blocking, handle: raw}
	}
	runtime.AddCleanup(e, cleanupEvent, e.native)
	return e, nil
}

func newEvent(d *Device, b Backend, drv driver, h eventHandle, f eventFlags, destroy func() error) *Event {
	e := &Event{backend: b, device: d, driver: drv, flags: f, native: &nativeEvent{handle: h}}
	name := e.String()
	e.native.destroy = destroy
	e.native.late = func(err error) { report(fmt.Errorf("destroy %s: %w", name, err)) }
	return e
}

func cleanupEvent(n *nativeEvent) {
	if _, err := n.close(); err != nil {
		n.late(err)
	}
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
	case f.fence != FenceDefault && d.Backend() != HIP:
		return refuse(ErrUnsupported, "fences are an option of AMD devices; leave WithFence out")
	case f.fence < FenceDefault || f.fence > FenceNone:
		return refuse(ErrInvalidOption, fmt.Sprintf("there is no fence %d", int(f.fence)))
	}
	return nil
}

// WrapEvent makes an event of a native handle that was created elsewhere on this device: a cudrv.Event or hip.Event. The handle stays its
// creator's, who keeps it alive as long as the wrapper is used; Close closes the wrapper only. The options say what the handle was
// created with. Whether it was recorded is not known, so it counts as recorded. The host has no native handles.
func (d *Device) WrapEvent(handle uintptr, options ...EventOption) (*Event, error) {
	const op = "Device.WrapEvent"
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
	e := newEvent(d, d.Backend(), d.driver, eventHandle{word: handle}, f, func() error { return nil })
	e.rec.Store(newRecord(1, foreign))
	return e, nil
}

// Record marks the place that stream s has come to once everything enqueued on it so far has run. A new record replaces the one before; streams and
// waiters that wait already keep the place they wait for. The stream must belong to the event's device.
func (e *Event) Record(s *Stream) error {
	const op = "Event.Record"
	if e == nil {
		return &Error{op, "event <nil>", ErrNilEvent, "create one with Device.NewEvent"}
	}
	if s == nil {
		return nilStream(op, e.String(), e.device)
	}
	if e.device != s.device {
		if err := e.mismatch(op, s.device, "stream "+s.String()); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.native.enter() {
		return e.closedError(op)
	}
	defer e.native.leave()
	if !s.native.enter() {
		return &Error{op, s.String(), ErrClosed, "create a new stream"}
	}
	defer s.native.leave()

	kind := plain
	if s.watched.Load() {
		capturing, err := e.driver.capturing(s.native.handle)
		if err != nil {
			return failed(op, s, err)
		}
		if capturing {
			kind = inCapture
			if e.flags.external {
				kind = inGraph
			}
		}
	}
	if e.point != nil {
		if err := e.supersede(); err != nil {
			return failed(op, e, err)
		}
	}
	if err := e.driver.record(e.native.handle, s.native.handle, kind == inGraph); err != nil {
		return failed(op, e, err)
	}
	e.stream, e.seq = s, s.seq.Add(1)
	e.rec.Store(newRecord(e.rec.Load().generation()+1, kind))
	return nil
}

// mismatch is the error for an event that does not belong to device d, or nil if it may: an event of unknown device belongs
// to every device of its backend.
func (e *Event) mismatch(op string, d *Device, other string) error {
	if e.backend != d.Backend() {
		return &Error{op, e.String(), ErrBackendMismatch,
			fmt.Sprintf("it belongs to %s, %s to %s; create the event on the other's device", e.backend, other, d.Backend())}
	}
	if e.device != nil && e.device != d {
		return &Error{op, e.String(), ErrDeviceMismatch,
			fmt.Sprintf("it belongs to %v, %s to %v; create the event on the other's device", e.device, other, d)}
	}
	return nil
}

// IsDone tells whether the stream has come as far as the last record. An event that was never recorded is done: there is nothing
// to wait for (see [Event.State] to tell the two apart). A device that failed is an error, never "not done".
func (e *Event) IsDone() (bool, error) {
	const op = "Event.IsDone"
	if e == nil {
		return false, &Error{op, "event <nil>", ErrNilEvent, "create one with Device.NewEvent"}
	}
	if !e.native.enter() {
		return false, e.closedError(op)
	}
	defer e.native.leave()
	return e.query(op, e.rec.Load())
}

// query asks for one record. The caller is inside the guard.
func (e *Event) query(op string, rec record) (bool, error) {
	if rec.unrecorded() || rec == e.done.Load() {
		return true, nil
	}
	if rec.captured() {
		return false, e.capturedError(op)
	}
	if f := e.broken.Load(); f != nil && f.rec == rec {
		return false, failed(op, e, f.err)
	}
	done, err := e.driver.queryEvent(e.native.handle)
	if err != nil {
		e.fail(rec, err)
		return false, failed(op, e, err)
	}
	if done {
		e.settle(rec)
	}
	return done, nil
}

// settle notes that a record is done, so that the driver need not be asked again.
func (e *Event) settle(rec record) {
	if rec.settles() {
		e.done.Store(rec)
	}
}

// fail notes that a record will never be reached.
func (e *Event) fail(rec record, err error) {
	if rec.settles() {
		e.broken.Store(&failure{rec, err})
	}
}

// Sync waits in the driver until the stream has come as far as the last record: spinning, or asleep if the event was created
// [WithBlockingSync]. It blocks an OS thread and can't be interrupted; [Event.Wait] does neither.
func (e *Event) Sync() error {
	const op = "Event.Sync"
	if e == nil {
		return &Error{op, "event <nil>", ErrNilEvent, "create one with Device.NewEvent"}
	}
	if !e.native.enter() {
		return e.closedError(op)
	}
	defer e.native.leave()
	rec := e.rec.Load()
	if rec.unrecorded() || rec == e.done.Load() {
		return nil
	}
	if rec.captured() {
		return e.capturedError(op)
	}
	if err := e.driver.syncEvent(e.native.handle, e.flags.blocking); err != nil {
		e.fail(rec, err)
		return failed(op, e, err)
	}
	e.settle(rec)
	return nil
}

// State tells what the event is now. A pending event is asked for, so the answer is of this moment. If the device can't be asked
// the state is [Failed].
func (e *Event) State() State {
	if e == nil || !e.native.enter() {
		return Closed
	}
	defer e.native.leave()
	rec := e.rec.Load()
	switch {
	case rec.unrecorded():
		return Unrecorded
	case rec.captured():
		return Captured
	}
	done, err := e.query("Event.State", rec)
	switch {
	case err != nil:
		return Failed
	case done:
		return Done
	}
	return Pending
}

// Generation counts the records of the event: 0 before the first.
func (e *Event) Generation() uint64 { return e.rec.Load().generation() }

// IsRecorded tells whether the event was recorded.
func (e *Event) IsRecorded() bool { return !e.rec.Load().unrecorded() }

// IsTimingEnabled tells whether the event keeps the time of its record.
func (e *Event) IsTimingEnabled() bool { return e.flags.timing }

// IsBlockingSync tells whether [Event.Sync] sleeps instead of spinning.
func (e *Event) IsBlockingSync() bool { return e.flags.blocking }

// IsIPCEnabled tells whether the event is shared between processes: created [WithIPC], or imported.
func (e *Event) IsIPCEnabled() bool { return e.flags.ipc }

// IsClosed tells whether the event was closed.
func (e *Event) IsClosed() bool { return e.native.closed() }

// Backend returns the backend of the event.
func (e *Event) Backend() Backend { return e.backend }

// Device returns the device of the event; nil for an imported event, whose device is not known.
func (e *Event) Device() *Device { return e.device }

// Context returns the native context of the event, a cudrv.Context: 0 for an imported event, and for HIP and the host, which have none.
func (e *Event) Context() (uintptr, error) {
	if e.device == nil {
		return 0, nil
	}
	return e.device.Context()
}

// Handle returns the native handle for use with cudrv or hip: a cudrv.Event or hip.Event, 0 on the host. It stays the event's: don't destroy it,
// and keep the event alive while it is used. Records made through it are not seen here.
func (e *Event) Handle() uintptr { return e.native.handle.word }

// String returns "cuda[0]:event@0x…"; the device is "?" if it is not known.
func (e *Event) String() string {
	if e == nil {
		return "event <nil>"
	}
	label := string(e.backend) + "[?]"
	if e.device != nil {
		label = e.device.label()
	}
	return fmt.Sprintf("%s:event@%#x", label, e.native.handle.id())
}

// Close destroys the event once no call uses it any more. It may be pending: the work goes on, and streams that wait for it keep waiting. Whoever
// waits for it in this process gets [ErrClosed]. Later calls of Close do nothing; all other methods return ErrClosed.
func (e *Event) Close() error {
	if e == nil {
		return nil
	}
	first, err := e.native.close()
	if !first {
		return nil
	}
	e.mu.Lock()
	p := e.point
	e.point = nil
	e.mu.Unlock()
	if p != nil {
		p.abandon(e.closedError("Event.Wait"))
	}
	return failed("Event.Close", e, err)
}

func (e *Event) closedError(op string) error {
	return &Error{op, e.String(), ErrClosed, "create a new event"}
}

func (e *Event) capturedError(op string) error {
	return &Error{op, e.String(), ErrCaptured,
		"its last record is a place in a graph, not in time, and asking the driver could end the capture; record it outside a capture, or create it WithExternal"}
}
