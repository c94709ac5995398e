package event

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// Stream is a queue of work on a device: what is enqueued runs in order. Get one with [Device.NewStream], [Device.DefaultStream] or
// [Device.WrapStream]. All methods are safe for concurrent use. Streams are equal if they are the same object.
// Methods of a nil stream return [ErrNilStream] or zero values.
type Stream struct {
	device   *Device
	native   *nativeStream
	priority int
	blocking bool

	// watched: the stream may be capturing, so every record asks. A capture can only begin through the raw handle, and only spread
	// to a stream by a wait for an event that was captured; until one of the two has happened there is nothing to ask.
	watched atomic.Bool
}

// NewStream creates a stream: non-blocking towards the legacy default stream and of the lowest priority, unless options say otherwise.
// Close it when it is no longer needed.
func (d *Device) NewStream(options ...StreamOption) (*Stream, error) {
	const op = "Device.NewStream"
	if err := d.present(op); err != nil {
		return nil, err
	}
	f := streamOptions(options)
	least, greatest, err := d.driver.priorities()
	if err != nil {
		return nil, failed(op, d, err)
	}
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
	s := &Stream{device: d, native: newNativeStream(d, h, true), priority: f.priority, blocking: f.blocking}
	runtime.AddCleanup(s, reap, &s.native.guard)
	return s, nil
}

// WrapStream makes a stream of a native handle that was created elsewhere on this device: a cudrv.Stream or hip.Stream. The handle stays its
// creator's, who keeps it alive as long as the wrapper is used; Close closes the wrapper only. 0 is the legacy default stream, 2 the per-thread one, of use only to goroutines
// that are locked to their threads. The host has no native handles.
func (d *Device) WrapStream(handle uintptr) (*Stream, error) {
	const op = "Device.WrapStream"
	if err := d.present(op); err != nil {
		return nil, err
	}
	if d.IsHost() {
		return nil, &Error{op, d.String(), ErrUnsupported, "the host's streams have no native handle; use NewStream"}
	}
	s := &Stream{device: d, native: newNativeStream(d, streamHandle{word: handle}, false)}
	s.watched.Store(true)
	return s, nil
}

// enter begins a use of the native handle; leave it with s.native.leave.
func (s *Stream) enter(op string) error {
	if s == nil {
		return nilStream(op, "stream <nil>", nil)
	}
	if !s.native.enter() {
		return s.closedError(op)
	}
	return nil
}

func (s *Stream) closedError(op string) error {
	return &Error{op, s.String(), ErrClosed, "create a new stream"}
}

// Close destroys the stream once no call uses it any more. Work that is enqueued runs to its end; on AMD, Close waits for it. Later calls
// do nothing. The device's default stream can't be closed.
func (s *Stream) Close() error {
	if s == nil {
		return nil
	}
	if s.native.standing {
		return &Error{"Stream.Close", s.String(), ErrInvalidOption, "a default stream belongs to its device and stays open"}
	}
	return failed("Stream.Close", s, s.native.close())
}

// nilStream is the error for a stream that is nil.
func nilStream(op, object string, d *Device) error {
	detail := "name the stream; for the default one use Device.DefaultStream()"
	if d != nil {
		detail = fmt.Sprintf("name the stream; for the default one of %v use its DefaultStream()", d)
	}
	return &Error{op, object, ErrNilStream, detail}
}
