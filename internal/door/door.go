// Package door is the way from event/eventsim into package event: eventsim makes devices of drivers
// that no search finds. Package event does not export it, since every user could call it then, and
// does not import the simulator, since no program should link it.
package door

import "github.com/gpuevent/gpuevent/internal/driver"

// Package event sets these.
var (
	// NewDevice returns a *event.Device, a new one at each call.
	NewDevice func(driver.Driver) any
	// Stream returns the native stream of a *event.Stream, and whether it is open. The handle does
	// not count as given out: no capture can begin on it.
	Stream func(stream any) (native driver.Object, open bool)
	// Settle makes a *event.Device destroy what it keeps for reuse. It reports whether nothing is
	// left to be destroyed.
	Settle func(device any) bool
)
