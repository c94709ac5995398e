package soak

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

// stream is a stream of the model. Calls of the package may race with each other and with Close;
// what the rules of the drivers forbid is kept apart by locks that are only tried, never waited
// for.
type stream struct {
	// stays: raw records were made on it that no event of package event knows of. AMD's driver must
	// not be asked about those once the stream is gone.
	stays atomic.Bool
	// doubtful: it may have failed by a wait across backends, or may later.
	doubtful  atomic.Bool
	dev       *device
	obj       atomic.Pointer[event.Stream] // nil once dropped
	isDefault bool
	blocking  bool

	whole sync.RWMutex // a capture has the stream for itself; all else shares it
	raw   sync.RWMutex // the handle is in use, shared; Close excludes that

	gates      atomic.Pointer[[]*gate] // what holds it up
	progress   *progress
	closeBegan atomic.Uint64
	closeEnded atomic.Uint64
	captures   atomic.Uint64 // how often one began or ended: odd while one goes on
	order      callbackOrder
	history
}

// held are the gates known to hold up what is enqueued from now on.
func (s *stream) held() []*gate {
	if g := s.gates.Load(); g != nil {
		return *g
	}
	return nil
}

// hold adds gates that later work is behind.
func (s *stream) hold(more ...*gate) {
	for {
		old := s.gates.Load()
		var have []*gate
		if old != nil {
			have = *old
		}
		next := merge(have, more)
		if s.gates.CompareAndSwap(old, &next) {
			return
		}
	}
}

// progress is how far a stream has come. It is apart from the stream, for functions that a stream
// runs hold on to it: one that a broken device never comes to is kept for ever, with all that it
// refers to.
type progress struct {
	passed atomic.Uint64 // what was enqueued before this tick is done
}

// pass notes that what was enqueued before a tick is done.
func (p *progress) pass(at tick) {
	for {
		old := p.passed.Load()
		if old >= at || p.passed.CompareAndSwap(old, at) {
			return
		}
	}
}

// share begins a use of the stream; it is nil if there is none to use.
func (s *stream) share() *event.Stream {
	if !s.whole.TryRLock() {
		return nil
	}
	if o := s.obj.Load(); o != nil {
		return o
	}
	s.whole.RUnlock()
	return nil
}

func (s *stream) unshare() { s.whole.RUnlock() }

// device is one of the devices under test.
type device struct {
	dev     *event.Device
	name    string
	backend event.Backend
	caps    event.Capability
	dead    *atomic.Bool // set once it was broken
	holds   holds        // its streams' gates
	failing *atomic.Bool // its vendor has a broken device, or is about to
	// asking keeps queries that the drivers refuse away from captures in global mode. It is the
	// vendor's.
	asking *sync.RWMutex
	// syncing keeps waits for the whole device away from captures in any mode. It is the vendor's.
	syncing *sync.RWMutex
	// blocksCaller: host functions run on the thread that enqueues them, so that gates are the
	// simulator's.
	blocksCaller bool
	// shares: events can be made to be shared.
	shares bool
	// ipcOrders: a shared event tells the truth about its records.
	ipcOrders bool
}
