package cudrv

import (
	"errors"
	"fmt"
	"runtime"
)

// Do runs f with c as the current context of its thread. Afterwards the thread has the contexts
// that it had before, also when f panics, leaves the goroutine, or changes them: what f pushes,
// creates or makes current is taken off, what it pops is put back. The goroutine stays on one OS
// thread meanwhile. Calls may nest, also with different contexts.
//
// While f runs c is the only context on the thread's stack. It costs five short driver calls, and
// three more for each context that the thread had.
//
// The error is f's own; or, if c could not be entered, why (f does not run then). A failure to
// restore is joined to f's error and says what is current then: one context can't be put back, the
// one that f has destroyed. A nil context is refused with [ErrInvalidContext] before the driver
// sees it.
func (c Context) Do(f func() error) (err error) {
	if c == 0 {
		return fmt.Errorf(
			"enter a CUDA context: %w: the handle is 0; create a context or retain a device's primary one first",
			ErrInvalidContext,
		)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	var room [4]Context
	found, err := takeOff(room[:0])
	if err == nil {
		err = CtxPushCurrent(c)
	} else if len(found) == 0 {
		return fmt.Errorf("enter CUDA context %#x: %w", uintptr(c), err)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("enter CUDA context %#x: %w", uintptr(c), err), restore(found))
	}
	defer func() {
		if restoreErr := restore(found); restoreErr != nil {
			err = errors.Join(err, restoreErr)
		}
	}()
	return f()
}
