package native

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Device is what the native streams and events of a device share.
type Device struct {
	Driver driver.Driver
	Info   *driver.Info
	Leaks  atomic.Uint64 // streams and events that were dropped without Close

	report func(error) // takes failures that no call can return
	pool   pool
	relays relays
	roster roster
	events atomic.Int64 // that count in Device.Stats
	late   late
	ended  atomic.Pointer[string] // why the device is gone; nil while it is there
	// streams has owned streams by handle: all of them if events need their stream, otherwise those
	// that were exported.
	streams sync.Map
	// siblings are the devices to which captures can spread, with this one; nil if there are none.
	siblings atomic.Pointer[[]*Device]

	attach   sync.Once
	attached any
}

// NewDevice returns the device of a driver. Failures that no call can return go to report.
func NewDevice(d driver.Driver, report func(error)) *Device {
	return &Device{Driver: d, Info: d.Info(), report: report}
}

// Gone reports whether the device's library was replaced or its simulated machine closed, so that
// its handles are meaningless.
func (d *Device) Gone() bool { return d.Driver.Gone() || d.ended.Load() != nil }

// End makes the device gone.
func (d *Device) End(why string) { d.ended.Store(&why) }

// Ended returns why the device is gone by End, or "".
func (d *Device) Ended() string {
	if why := d.ended.Load(); why != nil {
		return *why
	}
	return ""
}

// Attached returns the result of make at its first call: the state that package compute keeps for
// the device.
func (d *Device) Attached(make func() any) any {
	d.attach.Do(func() { d.attached = make() })
	return d.attached
}

// Settle destroys the idle relays and the pooled events. It reports whether nothing is left to be
// destroyed.
func (d *Device) Settle() bool {
	d.DropRelays()
	d.DrainPool(func(error) {}) // a lost device fails all calls
	return !d.Retiring()
}

// UnknownLabel returns the name used for an unknown device of the backend.
func (d *Device) UnknownLabel() string { return d.Info.Backend + ":?" }

// ReportLate reports a failure to destroy. When the driver has shut down at the end of the process,
// it does nothing.
func (d *Device) ReportLate(err error) {
	if driver.ScopeOf(err) != driver.ScopeEnded {
		d.report(err)
	}
}

// joinLater adds a failure to the one before it, if there is one.
func joinLater(first, later error) error {
	switch {
	case later == nil:
		return first
	case first == nil:
		return later
	}
	return errors.Join(first, later)
}
