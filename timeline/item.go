package timeline

import "time"

// Kind is what an item of a timeline is.
type Kind uint8

const (
	KindSpan    Kind = iota // of [Timeline.Begin]
	KindAsync               // of [Timeline.BeginAsync], or ended on another stream
	KindWait                // of [Timeline.Wait]: From is what was waited for
	KindMark                // a moment
	KindCounter             // a counter's value from a moment on
)

var kindNames = [...]string{"span", "async", "wait", "mark", "counter"}

// String returns the kind's name.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "Kind(?)"
	}
	return kindNames[k]
}

// Item is a finished span, mark or counter value.
type Item struct {
	Kind    Kind
	ID      uint64
	Parent  uint64 // the span that it was begun within; 0 if none
	From    uint64 // of a wait, what was waited for; 0 if unknown
	Name    string
	Lane    *Lane // nil for moments of the host outside of all streams
	EndLane *Lane // where it ended
	// Start and End are on the host's monotonic clock: subtract other times of time.Now from them.
	// Both are zero if Err is set.
	Start, End time.Time
	// Bound is how far Start and End may be off on the host's clock. The span's length is more
	// exact, if it began and ended on one device. A device whose times are wrong may place a span
	// before its Begin was called. Bound then reaches to the call, and [Stats.Early] counts the span.
	Bound time.Duration
	Value float64       // of a counter
	Attrs []Attr        // yours to keep
	early time.Duration // the part of Bound by which a too early begin has widened it
	// Err is why the item has no times: the device or the stream failed, or the span was recorded
	// in a graph capture (event.ErrCaptured), where it marks a place in a graph, not in time.
	Err error
}

// Duration returns the time from start to end.
func (it Item) Duration() time.Duration { return it.End.Sub(it.Start) }

// stays is how far the item may be off relative to others of its stream.
func (it *Item) stays() time.Duration { return it.Bound - it.early }

// record is an item as the resolver makes it and the ring encodes it.
type record struct {
	kind             Kind
	id, parent, from uint64
	name             string
	lane, endLane    *label
	start, end       int64 // nanoseconds since the timeline's origin
	bound, early     int64
	value            float64
	attrs            []Attr
}

// item returns the record as users see it.
func (r *record) item(origin time.Time) Item {
	it := r.view(origin)
	return it.clone()
}

// view returns the record as users see it, with the record's own attributes.
func (r *record) view(origin time.Time) Item {
	it := Item{Kind: r.kind, ID: r.id, Parent: r.parent, From: r.from, Name: r.name,
		Start: origin.Add(time.Duration(r.start)), End: origin.Add(time.Duration(r.end)),
		Bound: time.Duration(r.bound), early: time.Duration(r.early), Value: r.value, Attrs: r.attrs}
	if r.lane != nil {
		it.Lane, it.EndLane = r.lane.Load(), r.endLane.Load()
	}
	return it
}

// clone returns the item with attributes of its own.
func (it *Item) clone() Item {
	c := *it
	c.Attrs = append([]Attr(nil), it.Attrs...)
	return c
}
