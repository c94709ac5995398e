package timeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// Timeline collects spans on streams of any devices. All methods are safe for concurrent use. A nil
// *Timeline is off: its methods do nothing but record, wait and call as they would otherwise, and
// return no errors of the timeline. Methods of the zero value return [ErrNoTimeline].
type Timeline struct {
	options Options
	origin  time.Time
	ids     atomic.Uint64
	count   counts
	closed  atomic.Bool

	streams sync.Map // *event.Stream to *lane
	mu      sync.Mutex
	devices map[*event.Device]*device
	order   []*device
	lanes   []*lane
	marks   map[*event.Event]uint64 // the last record of a user's event
	calls   []*callback
	ring    ring

	resolver resolver
}

// Options of a timeline. The zero value serves most programs.
type Options struct {
	// Spans is how many finished spans, marks and counter values are kept; each further one takes
	// the place of the oldest. 0 means 65,536. A span takes some ten bytes, and its attributes.
	Spans int
	// Pending is how many spans of a device may be unfinished: begun, or ended but not yet reached
	// by the device. Each takes two events. 0 means 4,096.
	Pending int
	// Devices get their clocks anchored, and their first events created, before New returns.
	// Others get theirs when a span begins on them.
	Devices []*event.Device
	// OnError gets failures that no call returns: of a clock's anchors, of the function of
	// [Timeline.OnFinish]. nil drops them; [Stats.Failed] counts spans that failed.
	OnError func(error)
}

// New makes a timeline. Close it when it is no longer needed.
func New(o Options) (*Timeline, error) {
	if o.Spans < 0 || o.Pending < 0 {
		return nil, errors.New("timeline: Options.Spans and Options.Pending can't be negative: " +
			"0 means the default")
	}
	if o.Spans == 0 {
		o.Spans = 1 << 16
	}
	if o.Pending == 0 {
		o.Pending = 1 << 12
	}
	tl := &Timeline{options: o, origin: time.Now(), devices: map[*event.Device]*device{},
		marks: map[*event.Event]uint64{}, ring: ring{most: o.Spans}}
	tl.resolver.start(tl)
	for _, d := range o.Devices {
		if err := tl.prepare(d); err != nil {
			return nil, errors.Join(err, tl.Close(context.Background()))
		}
	}
	return tl, nil
}

// prepare gives a device its clock's first anchor and some events.
func (tl *Timeline) prepare(d *event.Device) error {
	if d == nil {
		return event.ErrNoDevice
	}
	own, err := tl.device(d)
	if err != nil {
		return err
	}
	if err := own.grow(64); err != nil {
		return err
	}
	return tl.resolver.anchored(own)
}

// device returns what is kept for a device; a new one at its first span.
func (tl *Timeline) device(d *event.Device) (*device, error) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if tl.closed.Load() {
		return nil, ErrClosed
	}
	if own := tl.devices[d]; own != nil {
		return own, nil
	}
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	own := &device{device: d, most: tl.options.Pending, keeper: newKeeper(d, tl.origin),
		all: map[*slot]struct{}{}, anchored: make(chan struct{})}
	own.keeper.stream = s
	tl.devices[d] = own
	tl.order = append(tl.order, own)
	tl.resolver.poke()
	return own, nil
}

// lane returns a stream's lane; a new one at its first span.
func (tl *Timeline) lane(s *event.Stream) (*lane, error) {
	if l, ok := tl.streams.Load(s); ok {
		return l.(*lane), nil
	}
	switch {
	case tl.isZero():
		return nil, ErrNoTimeline
	case s == nil || s.Device() == nil:
		return nil, event.ErrNilStream
	case s.IsClosed():
		return nil, event.ErrClosed
	}
	own, err := tl.device(s.Device())
	if err != nil {
		return nil, err
	}
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if l, ok := tl.streams.Load(s); ok {
		return l.(*lane), nil
	}
	if tl.closed.Load() {
		return nil, ErrClosed
	}
	l := &lane{label: new(label), device: own, stream: s, batch: 1}
	tl.count.lanes++
	l.label.Store(&Lane{tl.count.lanes, s.Device(), laneName(tl.count.lanes, s)})
	l.fire = func(error) {
		l.fired.Store(true)
		tl.resolver.poke()
	}
	tl.lanes = append(tl.lanes, l)
	tl.streams.Store(s, l)
	return l, nil
}

// laneName returns a name for a stream that has none. Handles are used again and pictures shorten
// them, so they would not distinguish streams.
func laneName(number int, s *event.Stream) string {
	if s.IsDefault() {
		return fmt.Sprintf("stream %d (default)", number)
	}
	return fmt.Sprintf("stream %d", number)
}

// forget drops the lane of a closed stream. Its items keep its name.
func (tl *Timeline) forget(l *lane) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.streams.CompareAndDelete(l.stream, l)
	tl.lanes = slices.DeleteFunc(slices.Clone(tl.lanes), func(o *lane) bool { return o == l })
}

// remember makes the resolver look at a lane again that it forgot.
func (tl *Timeline) remember(l *lane) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if !slices.Contains(tl.lanes, l) {
		tl.lanes = append(slices.Clone(tl.lanes), l)
	}
}

// NameStream sets the name of a stream's lane.
func (tl *Timeline) NameStream(s *event.Stream, name string) error {
	if tl == nil {
		return nil
	}
	l, err := tl.lane(s)
	if err != nil {
		return refused("NameStream", s, err)
	}
	about := *l.label.Load()
	about.Name = name
	l.label.Store(&about)
	return nil
}

// Origin returns the moment when the timeline was made, which its pictures count from.
func (tl *Timeline) Origin() time.Time {
	if tl == nil {
		return time.Time{}
	}
	return tl.origin
}

// Flush waits until everything that ended before the call is finished: reached by its device and on
// the timeline. It returns ctx's error if ctx ends first.
func (tl *Timeline) Flush(ctx context.Context) error {
	switch {
	case tl == nil:
		return nil
	case tl.isZero():
		return ErrNoTimeline
	}
	return tl.resolver.flush(ctx)
}

// Close refuses further spans, flushes, and releases events and streams. If ctx ends first, spans
// that their devices have not reached are given up, and the error is ctx's; the rest is released
// all the same. What is finished can still be written. Later calls do nothing.
func (tl *Timeline) Close(ctx context.Context) error {
	switch {
	case tl == nil:
		return nil
	case tl.isZero():
		return ErrNoTimeline
	}
	tl.mu.Lock()
	closed := tl.closed.Swap(true)
	tl.mu.Unlock()
	if closed {
		return nil
	}
	err := tl.resolver.flush(ctx)
	tl.resolver.stop()
	tl.mu.Lock()
	order := tl.order
	tl.streams.Clear()
	tl.lanes, tl.marks = nil, nil
	tl.mu.Unlock()
	for _, d := range order {
		err = errors.Join(err, d.close(), tl.resolver.closeKeeper(d))
	}
	return err
}

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
