// Package hooks has the functions of package event that compute and eventsim need and that are not
// part of its API. They make or return values of event's types, so no lower package can have them.
package hooks

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
	// Report passes a failure that no call can return to the error handler.
	Report func(error)
)
