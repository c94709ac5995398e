package timeline

import "errors"

// The causes of refusals, for errors.Is. Failures of devices and streams are errors of package
// event.
var (
	// ErrFull: all slots for unfinished spans are taken, so this one is not on the timeline. It is
	// counted in [Stats.Dropped]. A larger Options.Pending lets more be in flight.
	ErrFull = errors.New("timeline: too many spans are unfinished: this one was dropped; " +
		"raise Options.Pending")
	// ErrClosed: the timeline was closed before the call.
	ErrClosed = errors.New("timeline: closed: create a new one")
	// ErrEnded: the span has ended already.
	ErrEnded = errors.New("timeline: the span has ended already: end each span once")
	// ErrOpen: a stream is to wait for a span that has not ended.
	ErrOpen = errors.New("timeline: the span has not ended: call End before a stream waits for it")
	// ErrNoTimeline: the Timeline is the zero value. A nil *Timeline is off instead.
	ErrNoTimeline = errors.New("timeline: zero Timeline: make one with timeline.New")
	// ErrNoSpan: the Span is the zero value.
	ErrNoSpan = errors.New("timeline: zero Span: get one from Timeline.Begin")
)
