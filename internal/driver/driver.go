// Package driver implements the devices of package event on CUDA, HIP and the host. It handles
// native objects only. Their state, their ownership and the order in which they may be queried are
// up to package event.
//
// No method changes the calling thread's current context or device, and a method that fails to
// create an object leaves nothing behind. Failures are an [Error] or a [Refusal], joined if there
// are several. All methods are safe for concurrent use. docs/driver-facts.md lists what the code
// relies on.
package driver

import (
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/poll"
)

// Object is a native event or stream: a word on a GPU, an object of the engine on the host.
type Object struct {
	Word uintptr
	Host any
}

// DescriptorBytes is the size of CUipcEventHandle and of hipIpcEventHandle_t, the native part of an
// IPC descriptor.
const DescriptorBytes = 64

// Driver is one device of a backend.
type Driver interface {
	Info() *Info
	// Can is what the device and its driver can do. It may have to try things out, so it is not
	// part of Info.
	Can() Can
	// May is Can without trying: what is promised, or known so far.
	May() Can
	// Gone reports whether the library was replaced, so that handles are meaningless.
	Gone() bool
	// Context is the native context that the device's objects belong to; 0 where there is none.
	Context() (uintptr, error)
	// Priorities returns the range of stream priorities. It may have to initialize the device.
	Priorities() (least, greatest int, err error)
	Sync() error
	// Memory returns the device's total and free memory in bytes.
	Memory() (total, free uint64, err error)
	// Do runs f on a locked thread with the device's context or the device current, and restores
	// the thread, even if f panics or ends its goroutine.
	Do(f func()) error

	DefaultStream() Object
	CreateStream(nonBlocking bool, priority int) (Object, error)
	DestroyStream(Object) error
	// Accepts refuses a stream that was created elsewhere and belongs to another device or context.
	Accepts(stream Object) error
	// QueryStream reports whether the stream is idle. Like SyncStream, it disturbs no capture of
	// another thread. If such a capture keeps the driver from answering, the error is ErrCapturing.
	QueryStream(Object) (done bool, err error)
	SyncStream(Object) error
	WaitEvent(stream, event Object, external bool) error
	// HostFunc enqueues f; if repeat is set, f may run any number of times, since the stream is
	// capturing. An error of f fails the stream if the driver can do that.
	HostFunc(stream Object, f func() error, repeat bool) error
	// Fail fails the stream with an error, from within one of its host functions. It does nothing
	// if the driver can't fail a stream.
	Fail(stream Object, err error)
	// Failure returns why the stream has failed, as far as that is known without a driver call.
	Failure(stream Object) error
	// Hold holds the stream up until release is called, which never blocks. An error passed to
	// release fails the stream if the driver can do that. The stream is held up also after an error
	// of OnlyRestore.
	Hold(stream Object) (release func(error), err error)
	// Capturing reports whether the stream is being captured.
	Capturing(stream Object) (bool, error)

	CreateEvent(EventFlags) (Object, error)
	DestroyEvent(Object) error
	Record(event, stream Object, external bool) error
	// RecordUnlessCapturing records, unless the stream is being captured.
	RecordUnlessCapturing(event, stream Object) (Capture, error)
	QueryEvent(Object) (done bool, err error)
	SyncEvent(event Object, blocking bool) error
	// Elapsed takes the time between two events. A GPU's driver writes it to ms, which is in the
	// heap, and which nobody else uses meanwhile.
	Elapsed(start, end Object, ms *float32) (time.Duration, error)
	ExportEvent(Object) ([DescriptorBytes]byte, error)
	ImportEvent([DescriptorBytes]byte) (Object, error)

	// Relaxed runs f on a thread whose queries don't disturb the captures of others.
	Relaxed(f func())
	// Watch ends the item's task when the event's last record is reached or has failed.
	Watch(event Object, it *poll.Item) Watch
	// Passed ends the tasks that precede number n in the lane: the task that began with it is done.
	Passed(lane any, n uint32)
	// Retire polls a task that nobody waits for: a handle to destroy.
	Retire(*poll.Item)
}

// Watch is a task given to [Driver.Watch].
type Watch interface {
	// Stop stops watching. It reports whether it came in time; then End is not called.
	Stop() bool
	// Done ends the task, which is known to be done.
	Done()
	// Pending reports whether the task is still watched. Once it is not, End is called soon, after
	// the tasks that ended before it, unless Stop came in time.
	Pending() bool
	// Loosen takes the task out of its lane: the stream's order no longer applies to it.
	Loosen()
}

// Capture is the result of a record on a stream that may be captured.
type Capture uint8

// The results.
const (
	CaptureUnknown Capture = iota // the query failed; nothing was recorded
	Capturing                     // nothing was recorded
	NotCapturing                  // it was recorded, unless there is an error
)

// EventFlags are the options of an event.
type EventFlags struct {
	Timing   bool
	Blocking bool
	IPC      bool
	External bool
	Fence    Fence
}

// Fence is the scope in which the writes of finished work become visible when an event is recorded
// on an AMD device.
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

// The default streams' handles, the same for both vendors. They name no stream of their own: 0 and
// 1 are the legacy default stream, and perThread is a different stream on each thread.
const (
	null      = 0
	legacy    = 1
	perThread = 2
)

// IsDefaultStream reports whether the word is a handle of the legacy default stream, which can't
// be captured.
func IsDefaultStream(word uintptr) bool { return word == null || word == legacy }

// IsPerThread reports whether the word stands for a different stream on each thread.
func IsPerThread(word uintptr) bool { return word == perThread }

// milliseconds turns a driver's float32 milliseconds into a duration.
func milliseconds(ms float32) time.Duration {
	return time.Duration(float64(ms) * float64(time.Millisecond))
}

// ipcHandle turns bytes into a vendor's IPC handle.
func ipcHandle[T any](raw [DescriptorBytes]byte) (h T) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), raw[:])
	return h
}
