package event

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/native"
)

// inFlight returns the kernels in flight on the stream behind an object: a stream, or an event,
// whose stream is the one that it was recorded on last.
func inFlight(object fmt.Stringer) []string {
	var h *native.Stream
	switch o := object.(type) {
	case *Stream:
		h = o.native
	case *Event:
		h = o.native.Load().On.Load()
	}
	if h == nil {
		return nil
	}
	return h.Root().InFlight()
}
