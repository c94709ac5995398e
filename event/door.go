package event

import (
	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
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
