package cudrv

import (
	"errors"
	"fmt"
	"slices"
)

// The driver reports a thread's current context, which is the top of its stack, but not the
// contexts below it. So the stack is popped to learn its contents.

// takeOff pops all contexts of the thread and appends them to taken, the top first.
func takeOff(taken []Context) ([]Context, error) {
	for {
		now, err := CtxGetCurrent()
		if err != nil || now == 0 {
			return taken, err
		}
		if err := pop(now); err != nil {
			return taken, err
		}
		taken = append(taken, now)
	}
}

// pop pops the current context. A driver call that succeeded may still return an error of earlier
// work, so pop checks what is current afterwards. Making no context current also pops.
func pop(now Context) error {
	popped, err := CtxPopCurrent()
	if err == nil && popped == now || changed(now) {
		return nil
	}
	if CtxSetCurrent(0) == nil && changed(now) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("the driver does not pop context %#x: %w", uintptr(now), ErrInvalidContext)
	}
	return err
}

func changed(before Context) bool {
	now, err := CtxGetCurrent()
	return err == nil && now != before
}

// restore makes found, the top first, the thread's contexts, and no others.
func restore(found []Context) error {
	var room [4]Context
	_, err := takeOff(room[:0])
	if err != nil {
		err = fmt.Errorf("pop the remaining CUDA contexts: %w", err)
		// The right context must be current anyway: it replaces the one that can't be popped.
		if bottom := len(found) - 1; bottom >= 0 {
			err = errors.Join(err, put(found[bottom], CtxSetCurrent))
			found = found[:bottom]
		} else {
			err = errors.Join(err, CtxSetCurrent(0))
		}
	}
	for _, c := range slices.Backward(found) {
		err = errors.Join(err, put(c, CtxPushCurrent))
	}
	if err != nil {
		err = fmt.Errorf("%w; %s", err, current())
	}
	return err
}

func put(c Context, how func(Context) error) error {
	if err := how(c); err != nil {
		return fmt.Errorf("restore CUDA context %#x: %w", uintptr(c), err)
	}
	return nil
}

// current describes what is current on the thread, for errors.
func current() string {
	switch now, err := CtxGetCurrent(); {
	case err != nil:
		return "what is current on the thread now is unknown: " + err.Error()
	case now == 0:
		return "no context is current on the thread now"
	default:
		return fmt.Sprintf("context %#x is current on the thread now", uintptr(now))
	}
}
