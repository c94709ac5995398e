package soak

import (
	"slices"
	"sync"
	"sync/atomic"
)

// tick is logical time: it orders the beginnings and ends of calls.
type tick = uint64

type recordKind uint8

const (
	plain    recordKind = iota
	captured            // a place in a graph
	unknown             // nothing is known: it may be in a graph, or order nothing
)

// record is one record of a native event. A nil *record is the state before the first.
type record struct {
	stream *stream
	kind   recordKind
	begin  tick
	turns  uint64        // how often a capture of its stream had begun or ended at its begin
	end    atomic.Uint64 // 0 while the call goes on
	behind []*gate       // what was on its stream before it and closed
	known  atomic.Bool   // somebody has seen it done
	told   atomic.Bool   // the package has said so, and knows it for good
	unsure atomic.Bool   // the call failed, perhaps after its work
	// alone: recorded through the package and the stream's own object, so callbacks are in order.
	alone bool
}

// pending reports whether the record is certainly not done yet.
func (r *record) pending() bool { return r != nil && r.kind == plain && anyClosed(r.behind) }

// done reports whether the record is certainly done.
func (r *record) done() bool {
	if r == nil {
		return true
	}
	if r.kind != plain {
		return false
	}
	if r.known.Load() {
		return true
	}
	end := r.end.Load()
	return end != 0 && end < r.stream.progress.passed.Load()
}

// truth is what is known of a native event, which several Event objects may stand for.
type truth struct {
	mu      sync.Mutex
	last    []*record // those that may be the last: several if calls overlapped
	flight  []*record // those whose calls go on
	begun   int       // how many calls ever began
	recent  [16]*record
	touched int64 // the watch when a call last ended
}

func newTruth(first ...*record) *truth {
	if len(first) == 0 {
		first = []*record{nil}
	}
	return &truth{last: first}
}

// begin notes that a record is about to be made.
func (t *truth) begin(w *world, s *stream, kind recordKind) *record {
	r := &record{stream: s, kind: kind, turns: s.captures.Load()}
	if kind == plain {
		r.behind = merge(s.held(), nil)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r.begin = w.now()
	t.flight = append(t.flight, r)
	t.recent[t.begun%len(t.recent)] = r
	t.begun++
	return r
}

// outcome of a call that records.
type outcome uint8

const (
	made  outcome = iota
	not           // it certainly had no effect
	maybe         // it failed, perhaps after its work
)

// end notes that the call has returned.
func (t *truth) end(w *world, r *record, o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.end.Store(w.now())
	t.touched = w.watch.Load()
	t.flight = slices.DeleteFunc(t.flight, func(q *record) bool { return q == r })
	switch o {
	case made: // those whose calls ended before this one began are replaced
		t.last = append(slices.DeleteFunc(t.last, func(q *record) bool {
			return q == nil || q.end.Load() < r.begin
		}), r)
	case maybe:
		r.unsure.Store(true)
		t.last = append(t.last, r)
		if len(t.last) > 8 {
			some := &record{stream: r.stream, kind: unknown, begin: r.begin}
			some.unsure.Store(true)
			some.end.Store(r.end.Load())
			t.last = append(t.last[:0], some)
		}
	}
}

// view is what may have been an event's last record during a call.
type view struct {
	t      *truth
	from   int
	start  []*record
	begin  tick
	buf    [4]*record
	isDone bool // all of them were certainly done before the call
	fuzzy  bool // the stream of one was captured meanwhile
	turns  uint64
}

// look is taken before a call.
func (t *truth) look(w *world, v *view) {
	t.mu.Lock()
	v.t, v.from = t, t.begun
	v.start = append(append(v.buf[:0], t.last...), t.flight...)
	t.mu.Unlock()
	v.isDone = true
	for _, r := range v.start {
		v.isDone = v.isDone && r.done()
	}
	v.turns = v.captures(v.start)
	v.begin = w.now()
}

// captures counts the beginnings and ends of captures on the records' streams, and notes one that
// goes on.
func (v *view) captures(rs []*record) (n uint64) {
	for _, r := range rs {
		if r != nil {
			turns := r.stream.captures.Load()
			n += turns
			v.fuzzy = v.fuzzy || turns%2 == 1
		}
	}
	return n
}

// settle is taken after the call. It returns all records that may have been meant, and whether
// these are all.
func (v *view) settle() (all []*record, complete bool) {
	v.t.mu.Lock()
	n := v.t.begun - v.from
	if n > len(v.t.recent) {
		v.t.mu.Unlock()
		return nil, false
	}
	if v.captures(v.start) != v.turns {
		v.fuzzy = true
	}
	all = v.start
	for i := range n {
		all = append(all, v.t.recent[(v.from+i)%len(v.t.recent)])
	}
	v.t.mu.Unlock()
	for _, r := range all[len(v.start):] { // a capture may have begun and ended during the call
		v.fuzzy = v.fuzzy || r.turns%2 == 1 || r.stream.captures.Load() != r.turns
	}
	return all, true
}

// grown reports whether a record was begun since look.
func (v *view) grown() bool {
	v.t.mu.Lock()
	defer v.t.mu.Unlock()
	return v.t.begun != v.from
}

func all(rs []*record, is func(*record) bool) bool {
	for _, r := range rs {
		if !is(r) {
			return false
		}
	}
	return true
}

func some(rs []*record, is func(*record) bool) bool {
	for _, r := range rs {
		if is(r) {
			return true
		}
	}
	return false
}

func isCaptured(r *record) bool  { return r != nil && r.kind == captured }
func mayCaptured(r *record) bool { return r != nil && r.kind != plain }
func isUnknown(r *record) bool   { return r != nil && r.kind == unknown }
