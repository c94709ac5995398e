package hip

import (
	"errors"
	"fmt"
	"runtime"
)

// Do runs f with d as the current device of its thread, and restores the thread's previous device
// afterwards, also when f panics, leaves the goroutine or selects another one. The goroutine stays
// on one OS thread meanwhile. Calls may nest, also with different devices.
//
// The error is f's own; or, if d could not be selected, why (f does not run then). A failure to
// restore is joined to f's error and says what is current then. A negative device is refused with
// [ErrInvalidValue] before the runtime sees it.
//
// HIP's deprecated contexts are devices, and what [CtxSetCurrent] and [CtxPushCurrent] make current
// is undone as well; but HIP keeps a stack of contexts beside the current device, which only
// [CtxPopCurrent] reads: that is left as f leaves it.
func (d Device) Do(f func() error) (err error) {
	if d < 0 {
		return fmt.Errorf("select HIP device %d: %w: devices count from 0", d, ErrInvalidValue)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	previous, err := GetDevice()
	if err != nil {
		return fmt.Errorf("select HIP device %d: %w", d, err)
	}
	if previous != int32(d) {
		if err := SetDevice(int32(d)); err != nil {
			return fmt.Errorf("select HIP device %d: %w", d, err)
		}
	}
	defer func() {
		if restoreErr := restore(previous); restoreErr != nil {
			err = errors.Join(
				err,
				fmt.Errorf("restore HIP device %d: %w; %s", previous, restoreErr, current()),
			)
		}
	}()
	return f()
}

// restore makes previous the thread's current device again, if f or Do changed it.
func restore(previous int32) error {
	if now, err := GetDevice(); err == nil && now == previous {
		return nil
	}
	return SetDevice(previous)
}

// current says what is current on the thread.
func current() string {
	now, err := GetDevice()
	if err != nil {
		return "what is current on the thread now can't be told: " + err.Error()
	}
	return fmt.Sprintf("device %d is current on the thread now", now)
}
