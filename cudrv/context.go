package cudrv

import (
	"errors"
	"fmt"
	"runtime"
)

// Do runs f with c as the current context of its thread. It then restores the thread's contexts,
// even if f panics, calls [runtime.Goexit], or changes them: contexts that f pushes, creates or
// makes current are popped, and those that it pops are pushed again. The goroutine is locked to one
// OS thread meanwhile. Calls may nest, also with different contexts.
//
// While f runs, c is the only context on the thread's stack. Do costs five short driver calls, and
// three more for each context that was on the stack.
//
// Do returns f's error. If c cannot be made current, Do returns the reason and does not run f. An
// error of restoring, such as for a context that f destroyed, is joined to f's error and says what
// is current now. For a zero context Do returns an error that wraps [ErrInvalidContext], without
// calling the driver.
func (c Context) Do(f func() error) (err error) {
	if c == 0 {
		return fmt.Errorf("enter a CUDA context: %w: the handle is 0; create a context "+
			"or retain a device's primary one first", ErrInvalidContext)
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
