package cudrv

import (
	"errors"
	"fmt"
	"slices"
)

// The driver tells a thread's current context, which is the top of its stack, but not how many
// there are. So the stack is taken off to know it.

// takeOff empties the thread's stack of contexts and appends them, the top first.
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

// pop takes the current context off. The driver may return a failure of earlier work from a call
// that did its own, so what is current afterwards counts. To make none current takes off, too.
func pop(now Context) error {
	popped, err := CtxPopCurrent()
	if err == nil && popped == now || changed(now) {
		return nil
	}
	if CtxSetCurrent(0) == nil && changed(now) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf(
			"the driver does not take %#x off the thread's contexts: %w",
			uintptr(now),
			ErrInvalidContext,
		)
	}
	return err
}

func changed(before Context) bool {
	now, err := CtxGetCurrent()
	return err == nil && now != before
}

// restore gives the thread the contexts that were found, the top first, and no others.
func restore(found []Context) error {
	var room [4]Context
	_, err := takeOff(room[:0])
	if err != nil {
		err = fmt.Errorf("take off what is left of CUDA contexts: %w", err)
		// The right one is to be current all the same, in the place of the one that can't be taken off.
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

// current says what is current on the thread.
func current() string {
	switch now, err := CtxGetCurrent(); {
	case err != nil:
		return "what is current on the thread now can't be told: " + err.Error()
	case now == 0:
		return "no context is current on the thread now"
	default:
		return fmt.Sprintf("context %#x is current on the thread now", uintptr(now))
	}
}
