package event

import "context"

// Device returns the device of the stream.
func (s *Stream) Device() *Device {
	if s.isNil() {
		return nil
	}
	return s.device
}

// Backend returns the backend of the stream's device.
func (s *Stream) Backend() Backend { return s.Device().Backend() }

// Context returns the native context of the stream, as [Device.Context] does.
func (s *Stream) Context() (uintptr, error) {
	const op = "Stream.Context"
	if err := s.enter(op); err != nil {
		return 0, err
	}
	defer s.native.Release()
	c, err := s.device.driver.Context()
	return c, failed(op, s, err)
}

// Priority returns the priority the stream was created with; lower numbers go first.
func (s *Stream) Priority() int {
	if s == nil {
		return 0
	}
	return int(s.priority)
}

// IsNonBlocking reports whether the stream was created not to synchronize with the legacy default
// stream. It returns false for a wrapped stream, for which that is unknown.
func (s *Stream) IsNonBlocking() bool {
	return !s.isNil() && s.native.Owned && !s.blocking
}

// IsDefault reports whether s is its device's default stream.
func (s *Stream) IsDefault() bool { return !s.isNil() && s.native.IsDefault }

// IsClosed reports whether the stream was closed.
func (s *Stream) IsClosed() bool { return s.isNil() || s.native.Closed() }

// String returns the device's name, "stream", and "default" or the native handle, an address on the
// host: "cuda:0 stream 0x5581…", "cuda:0 stream default".
func (s *Stream) String() string {
	if s.isNil() {
		return "stream <nil>"
	}
	return s.native.String()
}

// A context holds the current stream twice: the innermost of all, and the innermost of each device.
type (
	currentStream   struct{}
	currentStreamOf struct{ device *Device }
)

// WithStream returns a context whose current stream is s. The current stream follows the context,
// down calls and across goroutines, not the thread. A callee can't change its caller's current
// stream, and nothing has to be restored, not even after a panic.
func WithStream(ctx context.Context, s *Stream) context.Context {
	if s == nil {
		return ctx
	}
	ctx = context.WithValue(ctx, currentStreamOf{s.device}, s)
	return context.WithValue(ctx, currentStream{}, s)
}

// CurrentStream returns the context's current stream. Without one it is the default stream of
// [Default].
func CurrentStream(ctx context.Context) *Stream {
	if s, ok := ctx.Value(currentStream{}).(*Stream); ok {
		return s
	}
	return Default().DefaultStream()
}

// CurrentStream returns the context's current stream on this device. Without one it is the device's
// default stream.
func (d *Device) CurrentStream(ctx context.Context) *Stream {
	if s, ok := ctx.Value(currentStreamOf{d}).(*Stream); ok {
		return s
	}
	return d.DefaultStream()
}
