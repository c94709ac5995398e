package event

import (
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/door"
)

// launched notes that a kernel was launched on a stream.
func (h *handle) launched(name *string) {
	l := h.launches.Load()
	if l == nil {
		h.launches.CompareAndSwap(nil, &door.Launches{})
		l = h.launches.Load()
	}
	l.Note(name, h.records())
}

// inFlight returns the kernels in flight on the stream behind an object: a stream, or an event,
// whose stream is the one that it was recorded on last. Nothing is known of a closed event's.
func inFlight(object fmt.Stringer) []string {
	var h *handle
	switch o := object.(type) {
	case *Stream:
		h = o.native
	case *Event:
		if native, err := o.use(""); err == nil {
			h = native.on.Load()
			native.release()
		}
	case closing:
		h = o.on
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

// isOfKernel reports whether a driver's code can be the failure of a kernel. The numbers are the
// same for both vendors.
func isOfKernel(code error) bool {
	var n int32
	switch c := code.(type) {
	case cudrv.Result:
		n = int32(c)
	case hip.Result:
		n = int32(c)
	}
	switch n {
	case 700, 702, 710, 714, 715, 716, 717, 718, 719:
		return true
	}
	return false
}
