package bench

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/event"
)

// raw are a vendor's functions, by the bindings alone. Handles and addresses are words. The device
// has to be current.
type raw interface {
	newStream() (uintptr, error)
	closeStream(s uintptr) error
	syncStream(s uintptr) error
	waitEvent(s, e uintptr) error

	newEvent(timed bool) (uintptr, error)
	closeEvent(e uintptr) error
	record(e, s uintptr) error
	done(e uintptr) (bool, error)
	syncEvent(e uintptr) error
	elapsed(start, end uintptr) (milliseconds float32, err error)

	load(image []byte) (uintptr, error)
	unload(module uintptr) error
	function(module uintptr, name string) (uintptr, error)
	launch0(f, s uintptr) error
	launch4(f, s uintptr, a, b uint64, n int32, x float32) error
	spin(f, s uintptr, ticks uint64) error

	// capture makes an executable graph of what f enqueues on the stream.
	capture(s uintptr, f func() error) (uintptr, error)
	launchGraph(g, s uintptr) error
	closeGraph(g uintptr) error

	allocAsync(bytes, s uintptr) (uintptr, error)
	freeAsync(address, s uintptr) error
	copyIn(s, to uintptr, from unsafe.Pointer, bytes uintptr) error
	copyOut(s uintptr, to unsafe.Pointer, from, bytes uintptr) error
}

// rawOf returns the functions of a device's vendor; nil for the host.
func rawOf(d *event.Device) raw {
	switch d.Backend() {
	case event.CUDA:
		return cudaRaw{}
	case event.HIP:
		return hipRaw{}
	}
	return nil
}
