package event

import (
	"github.com/gpuevent/gpuevent/event/internal/door"
	"github.com/gpuevent/gpuevent/event/internal/driver"
)

func init() {
	door.NewDevice = func(d driver.Driver) any { return newDevice(d) }
	door.Stream = func(stream any) (driver.Object, bool) {
		s, _ := stream.(*Stream)
		if s.isNil() {
			return driver.Object{}, false
		}
		return s.native.native, !s.native.closed()
	}
	door.Settle = func(device any) bool { return device.(*Device).settle() }
}

// settle destroys the idle relays and the spares. It reports whether nothing is left to be
// destroyed.
func (d *Device) settle() bool {
	d.relays.clear()
	d.dropSpares(func(error) {}) // a lost device fails all calls
	return !d.retiring()
}

// retiring reports whether the device has handles waiting to be destroyed.
func (d *Device) retiring() bool {
	dispatcher.Lock()
	_, late := dispatcher.lanes[lateLane{d}]
	dispatcher.Unlock()
	b, ok := d.driver.(interface{ Retiring() bool })
	return late || ok && b.Retiring()
}

// dropSpares destroys all spare events.
func (d *Device) dropSpares(report func(error)) {
	for range 2 { // the first look keeps those used since the look before
		natives, _ := d.spares.unneeded()
		d.destroySpares(natives, report)
	}
}
