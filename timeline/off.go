package timeline

import (
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

// offSpan is a span of a nil *Timeline. It keeps the streams, because waits for it must still order
// the streams' work.
type offSpan struct {
	begin *event.Stream
	end   atomic.Pointer[event.Stream] // once it has ended
}

func newOffSpan(s *event.Stream) Span { return Span{off: &offSpan{begin: s}} }

// finish ends the span on a stream.
func (o *offSpan) finish(s *event.Stream) error {
	if !o.end.CompareAndSwap(nil, s) {
		return ErrEnded
	}
	return nil
}

// wait makes a stream wait for the span. There is no event at its end, so the stream waits for
// all that was enqueued until now on the stream where it ended.
func (o *offSpan) wait(s *event.Stream) error {
	end := o.end.Load()
	if end == nil {
		return ErrOpen
	}
	return s.WaitStream(end)
}

// isZero reports whether New did not make the timeline.
func (tl *Timeline) isZero() bool { return tl.devices == nil }
