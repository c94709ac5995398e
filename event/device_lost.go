package event

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Err returns why the device is lost, or nil if this package knows of no loss. The error is an
// [ErrDeviceLost], and a [DriverError] with the call that showed it. It never changes: a lost
// device stays lost for the life of the process. The host is never lost.
//
// Err makes no driver call and returns at once. It reports what other calls have observed:
//
//   - an error of this package or of compute, about the device or one of its streams, events,
//     buffers and so on, with a code after which the vendor wants the process to be restarted;
//   - an error with a code that may mean anything, such as ErrUnknown, or about work that has
//     waited for another device, if the driver could not report the device's memory either. A
//     context that can't be made is no loss, since it may be possible later.
//
// So a loss goes unnoticed until the driver is called. A goroutine in [Event.Wait], a channel of
// [Event.Done] and a callback of [Event.OnDone] have the driver queried all the time, and end with
// the loss.
func (d *Device) Err() error {
	if err := d.present("Device.Err"); err != nil {
		return err
	}
	e := d.lost.Load()
	if e == nil {
		return nil
	}
	return &DriverError{Op: "Device.Err", Object: d.String(), Call: e.Call, Code: e.Code,
		Detail: "the device is lost; go on with another one, or restart the process", lost: true}
}

// diagnose notes that the device is lost if a driver's error, of a call about the device, shows it.
// It reports whether the device is lost and the error is due to that. If only is not set, the call
// may have failed for another device; so may work that has waited for one. It may call the driver.
func (d *Device) diagnose(err *driver.Error, only bool) bool {
	if d.isNil() || d.IsHost() || err.TookEffect {
		return false
	}
	if d.lost.Load() != nil {
		return err.Class == nil || err.Class == driver.ErrHandle || err.Class == driver.ErrContext
	}
	switch scope := driver.ScopeOf(err); {
	case scope.IsLost() && only && !d.abroad.Load():
	case scope.IsLost(), scope == driver.ScopeUnclear:
		if d.diagnosed.Swap(err) == err || !d.failsAgain() {
			return false
		}
	default:
		return false
	}
	d.lost.CompareAndSwap(nil, err)
	return true
}

// failsAgain reports whether a call that concerns nothing but the device fails.
func (d *Device) failsAgain() bool {
	_, _, err := d.driver.Memory()
	scope := driver.ScopeOf(err)
	return scope.IsLost() || scope == driver.ScopeUnclear
}

// diagnoseQuery is diagnose for a query of the poller.
func (d *Device) diagnoseQuery(err error) {
	var e *driver.Error
	if errors.As(err, &e) {
		d.diagnose(e, true)
	}
}

// deviceOf returns the device of an object that an error is about, or nil.
func deviceOf(object fmt.Stringer) *Device {
	switch o := object.(type) {
	case *Device:
		return o
	case *Event:
		if o.isNil() {
			return nil
		}
		return o.home
	case interface{ Device() *Device }:
		return o.Device()
	}
	return nil
}
