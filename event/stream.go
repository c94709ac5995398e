package event

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
)

// Stream is a queue of work on a device: what is enqueued runs in order. Get one with [Device.NewStream], [Device.DefaultStream] or
// [Device.WrapStream]. All methods are safe for concurrent use. Streams are equal if they are the same object.
type Stream struct {
	device   *Device
	native   *nativeStream
	priority int
	blocking bool
	standing bool // the device's default stream, which is not ours to close

	seq atomic.Uint64 // counts records, the order in which the poller asks for them
	// watched: the stream may be capturing, so every record asks. A capture can only begin through the raw handle, and only spread
	// to a stream by a wait for an event that was captured; until one of the two has happened there is nothing to ask.
	watched atomic.Bool
}

type nativeStream struct {
	guard
	handle streamHandle
}

func newStream(d *Device, h streamHandle, destroy func() error) *Stream {
	s := &Stream{device: d, native: &nativeStream{handle: h}}
	name := s.String()
	s.native.destroy = destroy
	s.native.late = func(err error) { report(fmt.Errorf("destroy %s: %w", name, err)) }
	return s
}

// NewStream creates a stream: non-blocking towards the legacy default stream and of the lowest priority, unless options say otherwise.
// Close it when it is no longer needed.
func (d *Device) NewStream(options ...StreamOption) (*Stream, error) {
	const op = "Device.NewStream"
	var f streamFlags
	for _, o := range options {
		o(&f)
	}
	least, greatest := d.PriorityRange()
	if !f.prioritized {
		f.priority = least
	}
	if f.priority > least || f.priority < greatest {
		return nil, &Error{op, d.String(), ErrInvalidOption,
			fmt.Sprintf("priority %d lies outside the device's range %d (lowest) to %d (highest)", f.priority, least, greatest)}
	}
	h, err := d.driver.createStream(!f.blocking, f.priority)
	if err != nil {
		return nil, failed(op, d, err)
	}
	drv := d.driver
	s := newStream(d, h, func() error { return drv.destroyStream(h) })
	s.priority, s.blocking = f.priority, f.blocking
	runtime.AddCleanup(s, cleanupStream, s.native)
	return s, nil
}

func cleanupStream(n *nativeStream) {
	if _, err := n.close(); err != nil {
		n.late(err)
	}
}

// WrapStream makes a stream of a native handle that was created elsewhere on this device: a cudrv.Stream or hip.Stream. The handle stays its
// creator's, who keeps it alive as long as the wrapper is used; Close closes the wrapper only. 0 is the legacy default stream. The host has no native handles.
func (d *Device) WrapStream(handle uintptr) (*Stream, error) {
	if d.IsHost() {
		return nil, &Error{"Device.WrapStream", d.String(), ErrUnsupported, "the host's streams have no native handle; use NewStream"}
	}
	s := newStream(d, streamHandle{word: handle}, func() error { return nil })
	s.watched.Store(true)
	return s, nil
}

// Device returns the device of the stream.
func (s *Stream) Device() *Device { return s.device }

// Handle returns the native handle for use with cudrv or hip: a cudrv.Stream or hip.Stream, 0 for the default stream and on the
// host. It stays the stream's: don't destroy it, and keep the stream alive while it is used.
func (s *Stream) Handle() uintptr {
	s.watched.Store(true) // whoever has the handle can begin a capture
	return s.native.handle.word
}

// Priority returns the priority the stream was created with; lower numbers go first.
func (s *Stream) Priority() int { return s.priority }

// IsNonBlocking tells whether the stream ignores the legacy default stream.
func (s *Stream) IsNonBlocking() bool { return !s.blocking && !s.standing }

// IsDefault tells whether s is its device's default stream.
func (s *Stream) IsDefault() bool { return s.standing }

// String returns "cuda[0]:stream@0x…".
func (s *Stream) String() string {
	if s == nil {
		return "stream <nil>"
	}
	if s.standing {
		return s.device.label() + ":stream@default"
	}
	return fmt.Sprintf("%s:stream@%#x", s.device.label(), s.native.handle.id())
}

// enter begins a use of the native handle; leave it with s.native.leave.
func (s *Stream) enter(op string) error {
	if !s.native.enter() {
		return &Error{op, s.String(), ErrClosed, "create a new stream"}
	}
	return nil
}

// RecordNew creates an event with the options and records it.
func (s *Stream) RecordNew(options ...EventOption) (*Event, error) {
	if s == nil {
		return nil, nilStream("Stream.RecordNew", "no event", nil)
	}
	e, err := s.device.NewEvent(options...)
	if err != nil {
		return nil, err
	}
	if err := e.Record(s); err != nil {
		_ = e.Close() // it was never used; the first error is what matters
		return nil, err
	}
	return e, nil
}

// Record records e on the stream: e.Record(s).
func (s *Stream) Record(e *Event) error { return e.Record(s) }

// WaitEvent makes all work enqueued from now on wait for the event's last record. It returns at once. The event may belong to another
// device; if it belongs to another backend, the wait goes through the host: a goroutine of this package waits and then releases the stream. An event that was never recorded, or is done, delays nothing.
// A later record of the event does not move the wait.
func (s *Stream) WaitEvent(e *Event) error {
	const op = "Stream.WaitEvent"
	if s == nil {
		return nilStream(op, e.String(), nil)
	}
	if e == nil {
		return &Error{op, s.String(), ErrNilEvent, "pass an event"}
	}
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.leave()
	if !e.native.enter() {
		return e.closedError(op)
	}
	defer e.native.leave()

	rec := e.rec.Load()
	if e.backend != s.device.Backend() {
		return s.waitAcross(op, e, rec)
	}
	if rec.unrecorded() {
		return nil
	}
	external := false
	if e.flags.external && s.watched.Load() {
		capturing, err := s.device.driver.capturing(s.native.handle)
		if err != nil {
			return failed(op, s, err)
		}
		external = capturing
	}
	if rec.captured() {
		s.watched.Store(true) // the capture spreads to this stream
	}
	return failed(op, s, s.device.driver.waitEvent(s.native.handle, e.native.handle, external))
}

// waitAcross lets a stream wait for an event of another backend: a host function that lasts until the event is done.
func (s *Stream) waitAcross(op string, e *Event, rec record) error {
	if rec.captured() {
		return e.capturedError(op)
	}
	if rec.unrecorded() {
		return nil
	}
	if !s.device.Capabilities().Has(CapHostFunc) {
		return &Error{op, s.String(), ErrUnsupported, "waiting for an event of another backend needs host functions; wait on the host with Event.Wait"}
	}
	p := e.await()
	if p == nil {
		return nil
	}
	return failed(op, s, s.device.driver.hostFunc(s.native.handle, func() error {
		<-p.done
		return p.err
	}))
}

// WaitStream makes all work enqueued from now on wait for what is enqueued on other now. It returns at once.
func (s *Stream) WaitStream(other *Stream) error {
	const op = "Stream.WaitStream"
	if s == nil || other == nil {
		return nilStream(op, s.String(), nil)
	}
	e, err := other.RecordNew()
	if err != nil {
		return err
	}
	err = s.WaitEvent(e)
	if closeErr := e.Close(); err == nil && closeErr != nil { // the wait outlives the event
		err = closeErr
	}
	return err
}

// IsDone tells whether everything enqueued so far has run. An error is never "not done".
func (s *Stream) IsDone() (bool, error) {
	const op = "Stream.IsDone"
	if err := s.ready(op); err != nil {
		return false, err
	}
	defer s.native.leave()
	done, err := s.device.driver.queryStream(s.native.handle)
	return done, failed(op, s, err)
}

// Sync waits until everything enqueued so far has run. It blocks an OS thread; [Stream.Wait] does not.
func (s *Stream) Sync() error {
	const op = "Stream.Sync"
	if err := s.ready(op); err != nil {
		return err
	}
	defer s.native.leave()
	return failed(op, s, s.device.driver.syncStream(s.native.handle))
}

// ready begins a use that a capture would not survive: it refuses while the stream is capturing.
func (s *Stream) ready(op string) error {
	if s == nil {
		return nilStream(op, "stream <nil>", nil)
	}
	if err := s.enter(op); err != nil {
		return err
	}
	if !s.watched.Load() {
		return nil
	}
	capturing, err := s.device.driver.capturing(s.native.handle)
	if err == nil && !capturing {
		return nil
	}
	s.native.leave()
	if err != nil {
		return failed(op, s, err)
	}
	return &Error{op, s.String(), ErrCaptured, "asking a capturing stream would end its capture; end the capture first"}
}

// Wait waits until everything enqueued so far has run, or until ctx ends, with ctx's error then. It holds no OS thread, and after it returns
// nothing of it is left behind.
func (s *Stream) Wait(ctx context.Context) error {
	const op = "Stream.Wait"
	if err := s.ready(op); err != nil {
		return err
	}
	s.native.leave()
	e, err := s.RecordNew()
	if err != nil {
		return err
	}
	err = e.Wait(ctx)
	if closeErr := e.Close(); err == nil {
		err = closeErr
	}
	return err
}

// HostFunc enqueues a Go function as work: what is enqueued after it waits until f has returned. f runs on a thread of the driver's and must not
// call the driver, nor anything that waits for a device: to react to finished work, use [Event.OnDone]. On the host, an error from f fails the stream; on a GPU it goes to the error handler, for the drivers
// have no way to fail a stream. A panic in f counts as an error. If the device fails first, f may never run.
func (s *Stream) HostFunc(f func() error) error {
	const op = "Stream.HostFunc"
	if s == nil {
		return nilStream(op, "stream <nil>", nil)
	}
	if f == nil {
		return &Error{op, s.String(), ErrInvalidOption, "the function is nil"}
	}
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.native.leave()
	if !s.device.Capabilities().Has(CapHostFunc) {
		return &Error{op, s.String(), ErrUnsupported, "this driver has no host functions; use Event.OnDone"}
	}
	return failed(op, s, s.device.driver.hostFunc(s.native.handle, f))
}

// Close destroys the stream once no call uses it any more. Work that is enqueued runs to its end; on AMD, Close waits for it. Later calls
// do nothing. The device's default stream can't be closed.
func (s *Stream) Close() error {
	if s == nil {
		return nil
	}
	if s.standing {
		return &Error{"Stream.Close", s.String(), ErrInvalidOption, "a default stream belongs to its device and stays open"}
	}
	_, err := s.native.close()
	return failed("Stream.Close", s, err)
}

// nilStream is the error for a stream that is nil.
func nilStream(op, object string, d *Device) error {
	detail := "name the stream; for the default one use Device.DefaultStream()"
	if d != nil {
		detail = fmt.Sprintf("name the stream; for the default one of %v use its DefaultStream()", d)
	}
	return &Error{op, object, ErrNilStream, detail}
}
