package hip

import (
	"errors"
	"fmt"
	"runtime"
)

// Do runs f with d as the current device of its thread. It then restores the previous device, even
// if f panics, calls [runtime.Goexit] or selects another one. The goroutine is locked to one OS
// thread meanwhile. Calls may nest, also with different devices.
//
// Do returns f's error. If d cannot be selected, Do returns the reason and does not run f. An error
// of restoring is joined to f's error and says what is current now. For a negative device Do
// returns an error that wraps [ErrInvalidValue], without calling the runtime.
//
// HIP's deprecated contexts are devices, so Do also undoes what [CtxSetCurrent] and
// [CtxPushCurrent] make current. HIP also keeps a stack of contexts, which only [CtxPopCurrent]
// reads; Do does not restore that stack.
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
			err = errors.Join(err,
				fmt.Errorf("restore HIP device %d: %w; %s", previous, restoreErr, current()))
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

// current describes what is current on the thread, for errors.
func current() string {
	now, err := GetDevice()
	if err != nil {
		return "what is current on the thread now is unknown: " + err.Error()
	}
	return fmt.Sprintf("device %d is current on the thread now", now)
}
