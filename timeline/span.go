package timeline

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// Span is work on a stream between its begin and its end. It is a small value: pass it on freely,
// also to other goroutines. It must be ended once; until then it takes one of the places that
// [Options.Pending] sets.
type Span struct {
	tl    *Timeline
	lane  *lane
	slot  *slot
	state uint64
	id    uint64
	err   error
	off   *offSpan // of a nil *Timeline
}

// Begin begins a span on a stream, after everything enqueued so far. Spans of a stream may be
// nested; see [Span.Begin] for one that names its parent. Begin never waits, and returns no error,
// so that code needs no branches for it: [Span.Err] and [Span.End] return why the span is not on
// the timeline.
func (tl *Timeline) Begin(s *event.Stream, name string, attrs ...Attr) Span {
	if tl == nil {
		return newOffSpan(s)
	}
	l, err := tl.lane(s)
	if err != nil {
		return tl.failed("Begin", s, err)
	}
	return tl.begin(l, KindSpan, 0, name, attrs)
}

// Begin begins a span within this one, on the stream where this one began.
func (sp Span) Begin(name string, attrs ...Attr) Span {
	if sp.off != nil {
		return newOffSpan(sp.off.begin)
	}
	if sp.err != nil || sp.slot == nil {
		return Span{err: sp.Err()}
	}
	return sp.tl.begin(sp.lane, KindSpan, sp.id, name, attrs)
}

// BeginOn begins a span within this one on another stream, also of another device.
func (sp Span) BeginOn(s *event.Stream, name string, attrs ...Attr) Span {
	if sp.off != nil {
		return newOffSpan(s)
	}
	if sp.err != nil || sp.slot == nil {
		return Span{err: sp.Err()}
	}
	l, err := sp.tl.lane(s)
	if err != nil {
		return sp.tl.failed("BeginOn", s, err)
	}
	return sp.tl.begin(l, KindSpan, sp.id, name, attrs)
}

// BeginAsync begins a span that overlaps others of the stream in any way. Pictures show it apart
// from the nested ones. A span that ends on another stream is of this kind by itself.
func (tl *Timeline) BeginAsync(s *event.Stream, name string, attrs ...Attr) Span {
	if tl == nil {
		return newOffSpan(s)
	}
	l, err := tl.lane(s)
	if err != nil {
		return tl.failed("BeginAsync", s, err)
	}
	return tl.begin(l, KindAsync, 0, name, attrs)
}

// begin takes a slot and records its begin.
func (tl *Timeline) begin(l *lane, k Kind, parent uint64, name string, attrs []Attr) Span {
	if tl.closed.Load() {
		return Span{err: ErrClosed}
	}
	s, err := l.device.take()
	if err != nil {
		return tl.failed("Begin", l.stream, err)
	}
	id := tl.ids.Add(1)
	if out := s.fill(k, id, parent, name, l, attrs); out > 0 {
		tl.count.attrs.Add(uint64(out))
	}
	s.called = int64(time.Since(tl.origin))
	state := s.open()
	if err := s.begin.Record(l.stream); err != nil {
		l.device.giveBack(s)
		return tl.failed("Begin", l.stream, err)
	}
	return Span{tl: tl, lane: l, slot: s, state: state, id: id}
}

// ID returns the span's number on its timeline, from 1; 0 if it is not on it.
func (sp Span) ID() uint64 { return sp.id }

// Err returns why the span is not on the timeline, and nil if it is or the timeline is off.
func (sp Span) Err() error {
	if sp.err == nil && sp.slot == nil && sp.off == nil {
		return ErrNoSpan
	}
	return sp.err
}

// isCurrent reports whether the slot still is this span's.
func (sp Span) isCurrent() bool { return sp.slot.state.Load()&^phases == sp.state&^phases }

// End ends the span on the stream where it began, after everything enqueued so far. It may be
// called from any goroutine.
func (sp Span) End() error {
	if sp.off != nil {
		return sp.off.finish(sp.off.begin)
	}
	if sp.err != nil || sp.slot == nil {
		return sp.Err()
	}
	s := sp.slot
	if !s.state.CompareAndSwap(sp.state, sp.state&^phases|slotEnding) {
		return ErrEnded
	}
	return sp.end(sp.lane, s.end)
}

// EndOn ends the span on another stream, also of another device.
func (sp Span) EndOn(stream *event.Stream) error {
	if sp.off != nil {
		return sp.off.finish(stream)
	}
	if sp.err != nil || sp.slot == nil {
		return sp.Err()
	}
	l, err := sp.tl.lane(stream)
	if err != nil {
		return refused("EndOn", stream, err)
	}
	s := sp.slot
	if !s.state.CompareAndSwap(sp.state, sp.state&^phases|slotEnding) {
		return ErrEnded
	}
	if l != s.lane {
		s.kind, s.endLane = KindAsync, l
	}
	if l.device == s.device {
		return sp.end(l, s.end)
	}
	partner, err := l.device.take()
	if err != nil {
		return sp.lost(l, err)
	}
	s.partner = partner
	return sp.end(l, partner.end)
}

// end records the end and leaves the span to the resolver.
func (sp Span) end(l *lane, e *event.Event) error {
	if err := e.Record(l.stream); err != nil {
		return sp.lost(l, err)
	}
	sp.slot.state.Store(sp.state&^phases | slotEnded)
	sp.tl.queue(l, sp.slot)
	return nil
}

// queue leaves an ended slot to the resolver.
func (tl *Timeline) queue(l *lane, s *slot) {
	if l.push(s) {
		tl.remember(l)
	}
	tl.resolver.wake()
}

// lost gives up a span whose end can't be recorded.
func (sp Span) lost(l *lane, err error) error {
	sp.tl.release(sp.slot)
	sp.tl.count.failed.Add(1)
	return refused("End", l.stream, err)
}

// release frees a slot and its partner.
func (tl *Timeline) release(s *slot) {
	if s.partner != nil {
		s.partner.device.giveBack(s.partner)
	}
	s.device.giveBack(s)
}

// failed counts a span that is not on the timeline, and returns it with its error.
func (tl *Timeline) failed(op string, s *event.Stream, err error) Span {
	switch {
	case errors.Is(err, ErrFull):
		tl.count.dropped.Add(1)
		return Span{err: ErrFull} // without a text of its own: it must cost nothing
	case errors.Is(err, ErrClosed):
		return Span{err: ErrClosed}
	}
	tl.count.failed.Add(1)
	return Span{err: refused(op, s, err)}
}

// refused names operation and stream, unless the error does.
func refused(op string, s *event.Stream, err error) error {
	var own *event.Error
	var drivers *event.DriverError
	if errors.As(err, &own) || errors.As(err, &drivers) {
		return fmt.Errorf("timeline: %s: %w", op, err)
	}
	return fmt.Errorf("timeline: %s on %v: %w", op, s, err)
}

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
