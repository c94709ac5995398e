package timeline

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

// slot is a span or a mark between its begin and the moment when it is resolved. It belongs to a
// device and keeps two events, which are used again and again.
type slot struct {
	device     *device
	begin, end *event.Event
	state      atomic.Uint64 // how often it was used, and the phase in the lowest bits
	hold       sync.Mutex    // held to free it, and while a stream is made to wait for its end

	kind             Kind
	id, parent, from uint64
	name             string
	attrs            []Attr
	value            float64
	called           int64 // when it was begun, in nanoseconds since the timeline's origin
	lane, endLane    *lane
	partner          *slot // whose end ends the span, if that is on another device
}

// The phases of a slot. Only the holder of a Span changes an open one.
const (
	slotFree uint64 = iota
	slotOpen
	slotEnding // End is recording
	slotEnded
	phases = 3 // the bits of the phase
)

// open makes a free slot open and returns its state.
func (s *slot) open() uint64 {
	state := s.state.Load()&^phases | slotOpen
	s.state.Store(state)
	return state
}

// endEvent is the event that is recorded last.
func (s *slot) endEvent() *event.Event {
	switch {
	case s.kind == KindMark || s.kind == KindCounter:
		return s.begin
	case s.partner != nil:
		return s.partner.end
	}
	return s.end
}

// unanchored returns the clock of one of its devices that has no anchor yet, or nil.
func (s *slot) unanchored() *keeper {
	switch {
	case !s.device.keeper.ready():
		return &s.device.keeper
	case s.partner != nil && !s.partner.device.keeper.ready():
		return &s.partner.device.keeper
	}
	return nil
}

// fill sets what the user gave. It returns how many attributes were left out.
func (s *slot) fill(k Kind, id, parent uint64, name string, l *lane, attrs []Attr) (out int) {
	if len(attrs) > MaxAttrs {
		out = len(attrs) - MaxAttrs
		attrs = attrs[:MaxAttrs]
	}
	s.kind, s.id, s.parent, s.from, s.name = k, id, parent, 0, name
	s.lane, s.endLane, s.partner = l, l, nil
	s.attrs = append(s.attrs[:0], attrs...)
	return out
}

// free ends the slot's use. Spans that still refer to it no longer do.
func (s *slot) free() {
	s.hold.Lock()
	s.state.Store(s.state.Load()&^phases + phases + 1) // one more use, and slotFree
	s.hold.Unlock()
	clear(s.attrs) // the texts
	s.name, s.partner = "", nil
}

func (s *slot) close() error { return firstError(s.begin.Close(), s.end.Close()) }
