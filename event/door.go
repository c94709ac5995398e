package event

import (
	"fmt"

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
		return s.native.object, !s.native.closed()
	}
	door.Captures = func(stream any) {
		if s, _ := stream.(*Stream); !s.isNil() {
			s.noteExported()
		}
	}
	door.Settle = func(device any) bool { return device.(*Device).settle() }
	door.End = func(device any, why string) { device.(*Device).ended.Store(&why) }
	door.Driver = func(device any) driver.Driver {
		if d := device.(*Device); !d.isNil() {
			return d.driver
		}
		return nil
	}
	door.Attached = func(device any, make func() any) any { return device.(*Device).attachment(make) }
	door.Use = func(stream any) (driver.Object, bool) {
		s := stream.(*Stream)
		if s.isNil() || !s.native.retain() {
			return driver.Object{}, false
		}
		return s.native.object, true
	}
	door.Release = func(stream any) { stream.(*Stream).native.release() }
	door.Shadow = func(stream any) (any, bool) {
		shadow := stream.(*Stream).keepalive()
		return shadow, shadow != nil
	}
	door.Unshadow = func(shadow any) { shadow.(*Stream).dropKeepalive() }
	door.Key = func(stream any) any { return stream.(*Stream).native }
	door.Ended = func(stream any) bool {
		h := stream.(*nativeStream)
		return h.closed() && !h.isBusy()
	}
	door.Capturing = func(stream any) (bool, error) {
		if h, ok := stream.(*nativeStream); ok {
			return h.capturing()
		}
		return stream.(*Stream).capturing()
	}
	door.Discard = func(stream any, same func(driver.Object) bool) { stream.(*Stream).discard(same) }
	door.Discarded = func(stream any) (is, ended bool) {
		root := stream.(*Stream).native.root()
		return root.has(isDiscarded), root.has(isDrained)
	}
	door.ClosedError = func(op string, stream any) error { return stream.(*Stream).closedError(op) }
	door.NoteLaunch = func(stream any, name *string) bool {
		s := stream.(*Stream)
		s.native.root().launched(name)
		return s.native.has(mayCapture)
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
	d.relays.clear()
	d.drainPool(func(error) {}) // a lost device fails all calls
	return !d.retiring()
}
