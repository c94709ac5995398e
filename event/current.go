package event

import "context"

type currentStream struct{}

// WithStream returns a context whose current stream is s. The current stream travels with the context, down the calls and
// across goroutines, and never with a thread: a caller's is not changed by what it calls.
func WithStream(ctx context.Context, s *Stream) context.Context {
	return context.WithValue(ctx, currentStream{}, s)
}

// CurrentStream returns the context's current stream. Without one it is the default stream of [Default].
func CurrentStream(ctx context.Context) *Stream {
	if s, ok := ctx.Value(currentStream{}).(*Stream); ok && s != nil {
		return s
	}
	return Default().DefaultStream()
}
