// Package natives gives tests native handles as words, whichever backend they are of.
package natives

import "github.com/gpuevent/gpuevent/event"

// Word returns the native handle of a stream or an event, of which it counts as given out; 0 if
// there is none to give: on the host, once it is closed, of a default stream.
func Word[T *event.Stream | *event.Event](x T) uintptr {
	switch x := any(x).(type) {
	case *event.Stream:
		if x.Backend() == event.CUDA {
			h, _ := x.CUDAStream()
			return uintptr(h)
		}
		h, _ := x.HIPStream()
		return uintptr(h)
	case *event.Event:
		if x.Backend() == event.CUDA {
			h, _ := x.CUDAEvent()
			return uintptr(h)
		}
		h, _ := x.HIPEvent()
		return uintptr(h)
	}
	return 0
}
