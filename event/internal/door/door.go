// Package door is what package event leaves open to event/eventsim: its devices are made of drivers
// that nobody finds by a search. Event can't be asked by its exported names, for those would be
// everybody's, and can't import the simulator, for no program should link it.
package door

import "github.com/gpuevent/gpuevent/event/internal/driver"

// Package event sets these.
var (
	// NewDevice returns a *event.Device. Each call makes another one.
	NewDevice func(driver.Driver) any
	// Stream returns the native stream of a *event.Stream, and whether it is open. Nobody takes the
	// handle for given out: captures can't begin on it.
	Stream func(stream any) (native driver.Object, open bool)
	// Settle has a *event.Device destroy what it keeps for later use. It reports whether nothing is
	// left that waits to be destroyed.
	Settle func(device any) bool
)
