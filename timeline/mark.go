package timeline

import (
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// Mark marks a moment: when the stream has passed everything enqueued so far.
func (tl *Timeline) Mark(s *event.Stream, name string, attrs ...Attr) error {
	_, err := tl.point(s, KindMark, name, 0, attrs)
	return err
}

// MarkNow marks the moment of the call on the host, outside of all streams.
func (tl *Timeline) MarkNow(name string, attrs ...Attr) { tl.now(KindMark, name, 0, attrs) }

// Counter sets the value of a counter at the moment of the call.
func (tl *Timeline) Counter(name string, value float64) { tl.now(KindCounter, name, value, nil) }

// CounterOn sets the value of a counter of the stream's device when the stream has passed
// everything enqueued so far.
func (tl *Timeline) CounterOn(s *event.Stream, name string, value float64) error {
	_, err := tl.point(s, KindCounter, name, value, nil)
	return err
}

// Record records a user's event on a stream and marks the moment, so that [Timeline.WaitEvent]
// knows where it was recorded.
func (tl *Timeline) Record(s *event.Stream, e *event.Event) error {
	if tl != nil && tl.isZero() {
		return refused("Record", s, ErrNoTimeline)
	}
	if err := e.Record(s); err != nil {
		return refused("Record", s, err)
	}
	id, err := tl.point(s, KindMark, "record", 0, nil)
	if err == nil && tl != nil {
		tl.note(e, id)
	}
	return nil // the event is recorded; that the mark is missing is counted
}

// point records a moment on a stream.
func (tl *Timeline) point(s *event.Stream, k Kind, name string, value float64, attrs []Attr) (
	uint64, error,
) {
	if tl == nil {
		return 0, nil
	}
	l, err := tl.lane(s)
	if err != nil {
		return 0, tl.failed("Mark", s, err).err
	}
	sp := tl.begin(l, k, 0, name, attrs)
	if sp.err != nil {
		return 0, sp.err
	}
	sp.slot.value = value
	sp.slot.state.Store(sp.state&^phases | slotEnded)
	tl.queue(l, sp.slot)
	return sp.id, nil
}

// now puts a moment of the host on the timeline.
func (tl *Timeline) now(k Kind, name string, value float64, attrs []Attr) {
	if tl == nil || tl.isZero() {
		return
	}
	at := int64(time.Since(tl.origin))
	if len(attrs) > MaxAttrs {
		tl.count.attrs.Add(uint64(len(attrs) - MaxAttrs))
		attrs = attrs[:MaxAttrs]
	}
	tl.ring.put(&record{kind: k, id: tl.ids.Add(1), name: name, value: value, start: at, end: at,
		attrs: attrs})
	tl.count.finished.Add(1)
}
