package soak

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

// ev is an Event of the model.
type ev struct {
	dev   *device // nil for an imported one
	obj   atomic.Pointer[event.Event]
	truth *truth

	timing, blocking, ipc, external bool
	wrapped                         bool
	imported                        bool
	mayCapture                      bool // recorded in captures; streams don't wait for it

	open       atomic.Bool // others may record it too
	elsewhere  atomic.Bool // a shared one: they have begun to
	closeBegan atomic.Uint64
	closeEnded atomic.Uint64
	raw        sync.RWMutex // the handle is in use, shared; Close excludes that
	native     uintptr      // the native event of a wrapper, until it is destroyed; guarded by raw
	// recording: records share it; a capture that needs the event as it left it excludes them.
	recording sync.RWMutex
	history
}

// sight is an event together with what may be its record during a call.
type sight struct {
	e         *ev
	obj       *event.Event
	view      view
	wasClosed bool
	all       []*record
	complete  bool
	told      bool // the package had said before the call that it is done
}

// see begins a call on an event; false if it is gone.
func (w *worker) see(s *sight, e *ev) bool {
	s.e, s.obj = e, e.obj.Load()
	if s.obj == nil {
		return false
	}
	s.wasClosed = e.closeEnded.Load() != 0
	e.truth.look(w.world, &s.view)
	if len(s.view.start) == 1 && s.view.start[0] != nil {
		s.told = s.view.start[0].told.Load()
	}
	return true
}

func (s *sight) settle() { s.all, s.complete = s.view.settle() }

// exact is the one record that was meant, if there is only one.
func (s *sight) exact() (*record, bool) {
	if s.complete && len(s.all) == 1 {
		return s.all[0], true
	}
	return nil, false
}
