package timeline

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// Lane is a stream on the timeline.
type Lane struct {
	ID     int // from 1, in the order in which the timeline came to know them
	Device *event.Device
	Name   string // the stream's, or what [Timeline.NameStream] set
}

// label is what users see of a lane. It outlives the lane.
type label = atomic.Pointer[Lane]

// lane is a stream's queue of ended spans.
type lane struct {
	label  *label
	device *device
	stream *event.Stream
	fire   func(error) // arms it again; made once

	mu     sync.Mutex
	queue  []*slot // ended, in the order of their ends
	pushed uint64
	gone   bool // the resolver no longer looks here

	// The resolver's own:
	pending []*slot // taken from the queue
	head    int     // how many of them are resolved
	armed   int     // how many of them are awaited by one callback; 0 is none
	since   time.Duration
	batch   int
	taken   uint64
	fired   atomic.Bool
}

// Batches grow while they end fast, so that one callback serves many spans of a busy stream, and
// shrink where work is slow.
const (
	mostInBatch = 1024
	fastBatch   = 2 * time.Millisecond
	slowBatch   = 20 * time.Millisecond
)

// push queues an ended slot. If the lane was forgotten, the resolver has to look here again.
func (l *lane) push(s *slot) (forgotten bool) {
	l.mu.Lock()
	l.queue = append(l.queue, s)
	l.pushed++
	forgotten = l.gone
	l.gone = false
	l.mu.Unlock()
	return forgotten
}

// pull takes what was queued, and reports whether there was anything.
func (l *lane) pull() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return false
	}
	if l.head == len(l.pending) { // the usual case: exchange the arrays
		l.pending, l.queue, l.head = l.queue, l.pending[:0], 0
		return true
	}
	if l.head > len(l.pending)/2 {
		l.pending = l.pending[:copy(l.pending, l.pending[l.head:])]
		l.head = 0
	}
	l.pending = append(l.pending, l.queue...)
	l.queue = l.queue[:0]
	return true
}

// next takes so many pending slots, which are resolved now.
func (l *lane) next(n int) []*slot {
	all := l.pending[l.head : l.head+n]
	l.head += n
	l.taken += uint64(n)
	return all
}

// isQueued reports whether something is queued.
func (l *lane) isQueued() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue) > 0
}

// leave makes the lane one that is not looked at, unless something is unresolved.
func (l *lane) leave() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = l.armed == 0 && l.head == len(l.pending) && len(l.queue) == 0
	return l.gone
}

// awaited is how many slots have been queued so far.
func (l *lane) awaited() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pushed
}

// adapt sets the size of the next batch.
func (l *lane) adapt(took time.Duration) {
	switch {
	case took < fastBatch:
		l.batch = min(2*l.batch, mostInBatch)
	case took > slowBatch:
		l.batch = max(l.batch/2, 1)
	}
}
