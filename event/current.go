package event

import "context"

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
