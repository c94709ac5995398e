package driver

import (
	"sync"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// api is a vendor's driver as data. [gpu] does with it what the drivers of all vendors do alike.
type api struct {
	lib   *dl.Library
	calls [callCount]dl.Proc
	// retain returns the context that a device's calls need, which stays for the life of the process.
	// Without it, calls need the device's number.
	retain func(device int32) (uintptr, error)
	// insists: a driver may refuse any call without a current context, before it does anything.
	insists bool
	result  func(code int32) error
	// stays describes what is current on a thread that could not be restored.
	stays func(ours, theirs uintptr) string
	// capturing, if it is set, interprets the status of a stream and the error of reading it.
	capturing func(status uint64, err error) (bool, error)

	// These are not in calls: their arguments are structs or callbacks, or differ between vendors.

	do          func(ours uintptr, f func() error) error // the binding's Do
	hostFunc    func(stream uintptr, f func(), repeat bool) error
	waitValue   func(stream, device uintptr, number uint64) error
	importEvent func(raw [DescriptorBytes]byte) (uintptr, error)

	idle sync.Pool // of entries
}

// call is a function that all vendors' drivers have, with the same arguments.
type call uint8

const (
	getCurrent call = iota // reads and sets the thread's current context or device
	setCurrent
	syncDevice
	memInfo
	priorityRange
	exchangeCaptureMode
	streamCreate
	streamDestroy
	streamQuery
	streamSync // not called on AMD
	streamWaitEvent
	streamCapturing
	eventCreate
	eventDestroy
	eventRecord
	eventRecordFlags
	eventQuery
	eventSync // not called on AMD
	eventElapsed
	eventElapsedV2 // not on AMD
	eventExport
	callCount
)

// Numbers that are the same for all vendors.
const (
	codeNotReady = 600

	captureInvalidated = 2 // the status of a stream; 0 if it is not captured
	captureRelaxed     = 2 // the mode of a thread

	streamNonBlocking = 1
	recordExternal    = 1
	waitExternal      = 1

	eventBlockingSync  = 1
	eventDisableTiming = 2
	eventInterprocess  = 4
)

// fails returns the error of a code.
func (v *api) fails(p *dl.Proc, code int32) error { return Failed(p.Symbol, v.result(code)) }
