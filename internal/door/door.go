// Package door is what package event opens to the other packages of this module, and to nobody
// else: event/eventsim makes devices of drivers that no search finds, and compute enqueues work on
// native streams. Package event imports neither, so that no program links what it does not use.
package door

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Package event sets these. Objects are passed as any, since their types are package event's.
var (
	// NewDevice returns a *event.Device, a new one at each call.
	NewDevice func(driver.Driver) any
	// Stream returns the native stream of a *event.Stream, and whether it is open. The handle does
	// not count as given out: no capture may begin on it, unless Captures is called first.
	Stream func(stream any) (native driver.Object, open bool)
	// Captures notes that a capture may begin on a *event.Stream: from now on each record asks
	// whether one is in progress. Whoever begins a capture on what Stream returned calls it before.
	Captures func(stream any)
	// Settle makes a *event.Device destroy what it keeps for reuse. It reports whether nothing is
	// left to be destroyed.
	Settle func(device any) bool

	// End makes operations on a *event.Device whose calls fail from now on return event.ErrClosed
	// with the reason. Nothing of the device is destroyed any more.
	End func(device any, why string)

	// Driver returns the driver of a *event.Device, nil if the device is.
	Driver func(device any) driver.Driver
	// Attached returns what is attached to a *event.Device. What make returns is, at the first call.
	Attached func(device any, make func() any) any

	// Use begins a use of a *event.Stream, which is not destroyed before its Release. ok is false
	// if the stream is closed; then there is nothing to release.
	Use     func(stream any) (native driver.Object, ok bool)
	Release func(stream any)
	// Shadow returns another *event.Stream for a stream, which stays open when the stream is closed.
	// The native stream is not destroyed before the shadow is dropped with Unshadow. ok is false if
	// the stream is closed.
	Shadow   func(stream any) (shadow any, ok bool)
	Unshadow func(shadow any)
	// Key returns what stands for a *event.Stream without keeping it: the stream may be dropped.
	Key func(stream any) (key any)
	// Ended reports whether the stream of a key is closed or dropped, and no call that began before
	// is still using it: nothing will be enqueued on it any more, except on its shadows.
	Ended func(key any) bool
	// Capturing reports whether a stream in use, or that of a key, is being captured.
	Capturing func(stream any) (bool, error)
	// Discard gives up a *event.Stream whose capture its driver can't end, and the other streams for
	// which same returns true: their calls return event.ErrCaptureFailed, until they are closed.
	Discard func(stream any, same func(native driver.Object) bool)
	// Discarded reports whether a stream was discarded, and whether its work is known to have ended.
	// It has once the native stream is destroyed.
	Discarded func(stream any) (is, ended bool)
	// ClosedError returns the error for a call on a stream for which Use returned false.
	ClosedError func(op string, stream any) error
	// NoteLaunch notes that a kernel was launched on a stream in use. The name is the kernel's,
	// always at the same address. It reports whether the stream may be captured.
	NoteLaunch func(stream any, name *string) (mayCapture bool)
	// Failed turns an error of internal/driver into one of package event, about an operation on a
	// *event.Stream or another object that the user knows, of a *event.Device, which may be nil.
	Failed func(op string, object fmt.Stringer, device any, err error) error
	// Twins gives the simulator of a *event.Device the Go functions of a source by the names of the
	// kernels, a map[string]*kernel.Func. module is the native module that was loaded from it; 0
	// before the source is compiled. Package eventsim sets it; it is nil in other processes.
	Twins func(device any, module uintptr, functions any)
	// Report passes a failure that no call can return to the error handler.
	Report func(error)
)
