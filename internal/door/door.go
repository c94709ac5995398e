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
	// Retained returns another *event.Stream for a stream, which stays open when the stream is
	// closed. The native stream is not destroyed before its DropKeepalive. ok is false if the stream
	// is closed.
	Retained func(stream any) (retained any, ok bool)
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
