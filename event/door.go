package event

import (
	"fmt"

	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

func init() {
	door.NewDevice = func(d driver.Driver) any { return newDevice(d) }
	door.Stream = func(stream any) (driver.Object, bool) {
		s, _ := stream.(*Stream)
		if s.isNil() {
			return driver.Object{}, false
		}
		return s.native.Object, !s.native.Closed()
	}
	door.Captures = func(stream any) {
		if s, _ := stream.(*Stream); !s.isNil() {
			s.noteExported()
		}
	}
	door.Settle = func(device any) bool { return device.(*Device).settle() }
	door.End = func(device any, why string) { device.(*Device).native.End(why) }
	door.Driver = func(device any) driver.Driver {
		if d := device.(*Device); !d.isNil() {
			return d.driver
		}
		return nil
	}
	door.Attached = func(device any, make func() any) any { return device.(*Device).attachment(make) }
	door.Use = func(stream any) (driver.Object, bool) {
		s := stream.(*Stream)
		if s.isNil() || !s.native.Retain() {
			return driver.Object{}, false
		}
		return s.native.Object, true
	}
	door.Release = func(stream any) { stream.(*Stream).native.Release() }
	door.Shadow = func(stream any) (any, bool) {
		shadow := stream.(*Stream).keepalive()
		return shadow, shadow != nil
	}
	door.Unshadow = func(shadow any) { shadow.(*Stream).dropKeepalive() }
	door.Key = func(stream any) any { return stream.(*Stream).native }
	door.Ended = func(stream any) bool {
		h := stream.(*native.Stream)
		return h.Closed() && !h.IsBusy()
	}
	door.Capturing = func(stream any) (bool, error) {
		if h, ok := stream.(*native.Stream); ok {
			return h.Capturing()
		}
		return stream.(*Stream).native.Capturing()
	}
	door.Discard = func(stream any, same func(driver.Object) bool) { stream.(*Stream).discard(same) }
	door.Discarded = func(stream any) (is, ended bool) {
		root := stream.(*Stream).native.Root()
		return root.Has(native.Discarded), root.Has(native.Drained)
	}
	door.ClosedError = func(op string, stream any) error { return stream.(*Stream).closedError(op) }
	door.NoteLaunch = func(stream any, name *string) bool {
		s := stream.(*Stream)
		s.native.Root().Launched(name)
		return s.native.Has(native.MayCapture)
	}
	door.Failed = func(op string, object fmt.Stringer, device any, err error) error {
		// It may be about a copy between devices.
		return describe(op, object, about{device.(*Device), false}, err)
	}
	door.Report = report
}

// attachment returns what make returned at its first call.
func (d *Device) attachment(make func() any) any {
	d.attachOnce.Do(func() { d.attached = make() })
	return d.attached
}

// settle destroys the idle relays and the pooled events. It reports whether nothing is left to be
// destroyed.
func (d *Device) settle() bool {
	d.native.DropRelays()
	d.native.DrainPool(func(error) {}) // a lost device fails all calls
	return !d.native.Retiring()
}
