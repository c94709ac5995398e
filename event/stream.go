package event

import (
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// Stream is a queue of work on a device: what is enqueued runs in order. Get one with
// [Device.NewStream], [Device.DefaultStream] or [Device.WrapStream]. All methods are safe for
// concurrent use. Compare streams by pointer. Methods of a nil stream return [ErrNilStream] or zero
// values.
type Stream struct {
	streamLink // the native stream, for the module's other packages
	device     *Device
	native     *native.Stream
	priority   int32
	blocking   bool
}

type streamLink = native.StreamLink

func newStream(d *Device, h *native.Stream) *Stream {
	return &Stream{streamLink: h, device: d, native: h}
}

// NewStream creates a stream. Unless options say otherwise, it does not synchronize with the legacy
// default stream and has the lowest priority. Close it when it is no longer needed.
func (d *Device) NewStream(options ...StreamOption) (*Stream, error) {
	const op = "Device.NewStream"
	if err := d.present(op); err != nil {
		return nil, err
	}
	f := streamOptions(options)
	least, greatest, err := d.driver.Priorities()
	if err != nil {
		return nil, failed(op, d, driver.Undone(err, nil))
	}
	if !f.prioritized {
		f.priority = least
	}
	if f.priority > least || f.priority < greatest {
		return nil, &Error{op, d.String(), ErrInvalidOption,
			fmt.Sprintf("priority %d lies outside the device's range %d (lowest) to %d (highest)",
				f.priority, least, greatest)}
	}
	h, err := d.native.CreateStream(!f.blocking, f.priority)
	if err != nil {
		return nil, failed(op, d, err)
	}
	s := newStream(d, h)
	s.priority, s.blocking = int32(f.priority), f.blocking
	runtime.AddCleanup(s, (*native.Stream).Dropped, h)
	return s, nil
}

// WrapStream wraps a native stream created elsewhere on this device: a cudrv.Stream or hip.Stream.
// The creator still owns the native stream and must keep it alive while the wrapper is used; Close
// closes only the wrapper. 0 is the legacy default stream; 2 is the per-thread default stream,
// which only makes sense on goroutines locked to their threads. A stream of another device, or of a
// CUDA context other than the device's primary one, is refused with [ErrDeviceMismatch]. The host
// has no native handles.
func (d *Device) WrapStream(word uintptr) (*Stream, error) {
	const op = "Device.WrapStream"
	if err := d.present(op); err != nil {
		return nil, err
	}
	if d.IsHost() {
		return nil, &Error{op, d.String(), ErrUnsupported,
			"the host's streams have no native handle; use NewStream"}
	}
	object := driver.Object{Word: word}
	if err := d.driver.Accepts(object); err != nil {
		return nil, failed(op, d, err)
	}
	s := newStream(d, d.native.WrapStream(object))
	s.native.Export()
	runtime.AddCleanup(s, (*native.Stream).Dropped, s.native)
	return s, nil
}

// isNil reports whether the stream is nil or its zero value, which no function returns.
func (s *Stream) isNil() bool { return s == nil || s.native == nil }

// enter begins a use of the native handle; the caller must release it.
func (s *Stream) enter(op string) error {
	if s.isNil() {
		return nilStream(op, "stream <nil>", nil)
	}
	if !s.native.Retain() {
		return s.closedError(op)
	}
	return nil
}

// enterNumbered is enter. It also returns a number that follows those of all records made before.
func (s *Stream) enterNumbered(op string) (number uint32, err error) {
	if s.isNil() {
		return 0, nilStream(op, "stream <nil>", nil)
	}
	if !s.native.Retain() {
		return 0, s.closedError(op)
	}
	return s.native.Number(), nil
}

func (s *Stream) closedError(op string) error {
	r := s.native.ClosedRefusal()
	return &Error{op, s.String(), r.Cause, r.Detail}
}

// Close destroys the stream once no call uses it any more. Enqueued work still runs; on AMD, Close
// waits for it. Later calls do nothing. The device's default stream can't be closed.
//
// On AMD the native stream is kept while events exist that were last recorded on it: the runtime
// needs it to query them.
func (s *Stream) Close() error {
	if s.isNil() {
		return nil
	}
	if s.native.IsDefault {
		return &Error{"Stream.Close", s.String(), ErrInvalidOption,
			"a default stream belongs to its device and stays open"}
	}
	return failed("Stream.Close", s, s.native.Close())
}

// nilStream returns the error for a nil stream.
func nilStream(op, object string, d *Device) error {
	detail := "pass a stream; the default stream is Device.DefaultStream()"
	if d != nil {
		detail = fmt.Sprintf("pass a stream; the default stream of %v is its DefaultStream()", d)
	}
	return &Error{op, object, ErrNilStream, detail}
}

// keepalive returns another stream object for the native stream, which stays open when the stream
// is closed: package compute orders the end of memory after work that was enqueued before. It
// returns nil if the stream is closed. A default stream is never closed and needs none.
func (s *Stream) keepalive() *Stream {
	if s.native.IsDefault {
		return s
	}
	h := s.native.Keepalive()
	if h == nil {
		return nil
	}
	k := newStream(s.device, h)
	k.priority, k.blocking = s.priority, s.blocking
	return k
}
