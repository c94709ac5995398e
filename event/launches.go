package event

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/door"
)

// launched notes that a kernel was launched on a stream.
func (h *nativeStream) launched(name *string) {
	l := h.launches.Load()
	if l == nil {
		h.launches.CompareAndSwap(nil, &door.Launches{})
		l = h.launches.Load()
	}
	l.Note(name, h.newest())
}

// inFlight returns the kernels in flight on the stream behind an object: a stream, or an event,
// whose stream is the one that it was recorded on last.
func inFlight(object fmt.Stringer) []string {
	var h *nativeStream
	switch o := object.(type) {
	case *Stream:
		h = o.native
	case *Event:
		h = o.native.Load().on.Load()
	}
	if h == nil {
		return nil
	}
	h = h.root()
	l := h.launches.Load()
	if l == nil {
		return nil
	}
	return l.Names(h.hasPassed)
}
