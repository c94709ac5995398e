package driver

import (
	"time"

	"github.com/gpuevent/gpuevent/event/internal/poll"
)

// Object is a native event or stream: a word on a GPU, an object of the engine on the host.
type Object struct {
	Word uintptr
	Host any
}

// DescriptorBytes is the size of the native part of an IPC descriptor, which is the same
// everywhere: CUipcEventHandle, hipIpcEventHandle_t and the host's own.
const DescriptorBytes = 64

// Driver is one device of a backend.
type Driver interface {
	Info() *Info
	// Can is what the device and its driver can do. It may have to try, so it is not part of Info.
	Can() Can
	// May is Can without a try: what is promised, or known by now.
	May() Can
	// Gone reports whether the library was replaced: handles mean nothing any more.
	Gone() bool
	// Context is the native context that the device's objects belong to; 0 where there is none.
	Context() (uintptr, error)
	// Priorities is the range of stream priorities. It may have to wake the device up.
	Priorities() (least, greatest int, err error)
	Sync() error
	// Memory is how much memory the device has and how much of that is free, in bytes.
	Memory() (total, free uint64, err error)
	// Do runs f with the device's context or the device current, on a locked thread, and gives the
	// thread its own back, also where f panics or ends its goroutine.
	Do(f func()) error

	DefaultStream() Object
	CreateStream(nonBlocking bool, priority int) (Object, error)
	DestroyStream(Object) error
	// Accepts refuses a stream that was created elsewhere and belongs to another device or context.
	Accepts(stream Object) error
	QueryStream(Object) (done bool, err error)
	SyncStream(Object) error
	WaitEvent(stream, event Object, external bool) error
	// HostFunc enqueues f; with repeat it may run any number of times, for the stream is capturing.
	// An error of f fails the stream where that is possible.
	HostFunc(stream Object, f func() error, repeat bool) error
	// Fail fails the stream with an error, from within one of its host functions. It does nothing
	// where the driver has no way to fail a stream.
	Fail(stream Object, err error)
	// Failure is why the stream has failed, as far as that is known without a call of the driver.
	Failure(stream Object) error
	// Hold holds the stream up until release is called, which never blocks. An error fails the
	// stream where that is possible. After an error of OnlyRestore the stream is held up.
	Hold(stream Object) (release func(error), err error)
	// Capturing reports whether the stream is being captured.
	Capturing(stream Object) (bool, error)

	CreateEvent(EventFlags) (Object, error)
	DestroyEvent(Object) error
	Record(event, stream Object, external bool) error
	// RecordUnlessCapturing records on a stream that may be captured, if it is not.
	RecordUnlessCapturing(event, stream Object) (Capture, error)
	QueryEvent(Object) (done bool, err error)
	SyncEvent(event Object, blocking bool) error
	Elapsed(start, end Object) (time.Duration, error)
	ExportEvent(Object) ([DescriptorBytes]byte, error)
	ImportEvent([DescriptorBytes]byte) (Object, error)

	// Relaxed runs f on a thread whose questions disturb no capture of others.
	Relaxed(f func())
	// Watch has the item's task end when the event's last record is reached or has failed.
	Watch(event Object, it *poll.Item) Watch
	// Passed says that the task which began with number n is done, and all that precede it in the
	// lane.
	Passed(lane any, n uint32)
	// Retire has a task asked for that nobody waits for: something to destroy.
	Retire(*poll.Item)
}

// Watch is a task that [Driver.Watch] looks after.
type Watch interface {
	// Stop has it looked after no more. It reports whether that came in time: End is not called
	// then.
	Stop() bool
	// Done ends it, since it is known to be done.
	Done()
	// Loosen says that the order on the stream does not hold for it any more.
	Loosen()
}

// EventFlags are what an event is created with.
type EventFlags struct {
	Timing   bool
	Blocking bool
	IPC      bool
	External bool
	Fence    Fence
}

// Fence is how far the writes of finished work reach when an event is recorded on an AMD device.
type Fence uint8

// The fences, as package event numbers them.
const (
	FenceDefault Fence = iota
	FenceDevice
	FenceSystem
	FenceNone
)

var fenceNames = [...]string{"FenceDefault", "FenceDevice", "FenceSystem", "FenceNone"}

// String returns the fence's name in package event.
func (f Fence) String() string {
	if int(f) < len(fenceNames) {
		return fenceNames[f]
	}
	return "Fence(?)"
}
