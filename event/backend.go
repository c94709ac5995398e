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

// id tells handles apart in names: the word of a GPU's, the address of a host's.
func (h eventHandle) id() uintptr {
	if h.host != nil {
		return address(h.host)
	}
	return h.word
}

func (h streamHandle) id() uintptr {
	if h.host != nil {
		return address(h.host)
	}
	return h.word
}

// eventFlags are what an event is created with.
type eventFlags struct {
	timing   bool
	blocking bool
	ipc      bool
	external bool
	fence    Fence
}

// driver is one device of a backend. It knows handles only; everything about state, ownership and order is decided above it. No
// method changes the calling thread's current context or device, and one that fails to create leaves nothing behind. Failures are
// callErrors, joined if there are several. All methods are safe for concurrent use.
type driver interface {
	info() *deviceInfo
	// context is the native context that the device's objects belong to; 0 where there is none.
	context() (uintptr, error)
	// priorities is the range of stream priorities. It may have to wake the device up, so it is not part of info.
	priorities() (least, greatest int, err error)
	sync() error

	createStream(nonBlocking bool, priority int) (streamHandle, error)
	destroyStream(streamHandle) error
	queryStream(streamHandle) (done bool, err error)
	syncStream(streamHandle) error
	waitEvent(s streamHandle, e eventHandle, external bool) error
	// hostFunc enqueues f; with repeat it may run any number of times, for the stream is being captured.
	hostFunc(s streamHandle, f func() error, repeat bool) error
	capturing(streamHandle) (bool, error)

	createEvent(eventFlags) (eventHandle, error)
	destroyEvent(eventHandle) error
	record(e eventHandle, s streamHandle, external bool) error
	queryEvent(eventHandle) (done bool, err error)
	syncEvent(e eventHandle, blocking bool) error
	elapsed(start, end eventHandle) (time.Duration, error)
	exportEvent(eventHandle) ([descriptorBytes]byte, error)
	importEvent([descriptorBytes]byte) (eventHandle, error)

	// notify has f called once when the event's present record is reached or has failed, perhaps before notify returns; stop makes that
	// unlikely. A driver that can't do that returns nil, and the event is polled.
	notify(e eventHandle, f func(error)) (stop func())
	// relax lets the calling thread, which the goroutine must have locked, ask about events while some thread captures: drivers else refuse
	// in the strictest mode, and end the capture. It returns what undoes that.
	relax() (restore func())
}

// deviceInfo is what is known of a device once and for all.
type deviceInfo struct {
	backend      Backend
	ordinal      int
	label        string // "cuda[0]", the beginning of its objects' names
	name         string
	architecture string
	memory       uint64
	pci          string
	uuid         [16]byte
	capabilities Capability
}
