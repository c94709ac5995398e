// Package hook lets tests make devices that package event offers no way to make.
package hook

// NewHost makes a host device of an engine with a clock and failures of the test's choosing. It takes a *host.Engine and
// returns an *event.Device. Package event sets it.
var NewHost func(engine any) any
