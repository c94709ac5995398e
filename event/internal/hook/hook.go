// Package hook lets tests that exchange a vendor's library behind package event make it look for devices again.
package hook

// Reset forgets all devices but the host. What still belongs to them can't reach a driver any more: a handle of one library means nothing to
// the next. Package event sets it.
var Reset func()

// NewHost makes a host device of an engine with a clock and failures of the test's choosing. It takes a *host.Engine and returns an
// *event.Device. Package event sets it.
var NewHost func(engine any) any
