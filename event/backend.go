package event

import (
	"time"

	"github.com/gpuevent/gpuevent/internal/host"
)

// eventHandle and streamHandle are native objects: a word on a GPU, an object of the engine on the host.
type (
	eventHandle struct {
		word uintptr
		host *host.Event
	}
	streamHandle struct {
		word uintptr
		host *host.Queue
	}
)

// eventFlags are what an event is created with.
type eventFlags struct {
	timing   bool
	blocking bool
	ipc      bool
	external bool
	fence    Fence
}

// driver is one device of a backend. It knows handles only; everything about state, ownership and order is decided above it. No
// method changes the calling thread's current context or device. Failures are callErrors. All methods are safe for concurrent use.
type driver interface {
	info() *deviceInfo
	// context is the native context that the device's objects belong to; 0 where there is none.
	context() (uintptr, error)
	sync() error

	createStream(nonBlocking bool, priority int) (streamHandle, error)
	destroyStream(streamHandle) error
	queryStream(streamHandle) (done bool, err error)
	syncStream(streamHandle) error
	waitEvent(s streamHandle, e eventHandle, external bool) error
	hostFunc(s streamHandle, f func() error) error
	capturing(streamHandle) (bool, error)

	createEvent(eventFlags) (eventHandle, error)
	destroyEvent(eventHandle) error
	record(e eventHandle, s streamHandle, external bool) error
	queryEvent(eventHandle) (done bool, err error)
	syncEvent(e eventHandle, blocking bool) error
	elapsed(start, end eventHandle) (time.Duration, error)
	exportEvent(eventHandle) ([descriptorBytes]byte, error)
	importEvent([descriptorBytes]byte) (eventHandle, error)

	// notify has f called once when the event's present record is reached or has failed. A driver that can't do that returns false, and the
	// event is polled.
	notify(e eventHandle, f func(error)) bool
	// pollerThread prepares the calling thread, which stays the poller's, and returns what undoes that.
	pollerThread() (restore func())
}

// deviceInfo is what is known of a device once and for all.
type deviceInfo struct {
	backend      Backend
	ordinal      int
	name         string
	architecture string
	memory       uint64
	pci          string
	uuid         [16]byte
	least        int
	greatest     int
	capabilities Capability
}
