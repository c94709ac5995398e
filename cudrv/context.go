package cudrv

import (
	"errors"
	"fmt"
	"runtime"
)

// Do runs f with c as the current context of its thread, and restores the thread's previous context afterwards, also when f panics or leaves
// the goroutine. The goroutine stays on one OS thread meanwhile. Calls may nest, also with different contexts.
//
// The error is f's own; or, if c could not be entered, why (f does not run then). A failure to restore is joined to f's error. A nil
// context is refused with [ErrInvalidContext] before the driver sees it.
func (c Context) Do(f func() error) (err error) {
	if c == 0 {
		return fmt.Errorf("enter a CUDA context: %w: the handle is 0; create a context or retain a device's primary one first", ErrInvalidContext)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	previous, err := CtxGetCurrent()
	if err != nil {
		return fmt.Errorf("enter CUDA context %#x: %w", uintptr(c), err)
	}
	if previous != c {
		if err := CtxSetCurrent(c); err != nil {
			return fmt.Errorf("enter CUDA context %#x: %w", uintptr(c), err)
		}
	}
	defer func() {
		if restoreErr := restore(previous); restoreErr != nil {
			err = errors.Join(err, fmt.Errorf("restore CUDA context %#x: %w", uintptr(previous), restoreErr))
		}
	}()
	return f()
}

// restore makes previous the thread's current context again, if f or Do changed it.
func restore(previous Context) error {
	if now, err := CtxGetCurrent(); err == nil && now == previous {
		return nil
	}
	return CtxSetCurrent(previous)
}
