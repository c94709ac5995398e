package driver

import (
	"errors"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
)

// retain returns the primary context. It is retained at the first use, for a context takes much of
// a device's memory; and once, for good: others in the process may be using it when we would
// release it.
func (c *cudaDevice) retain() (cudrv.Context, error) {
	if ctx := c.primary.Load(); ctx != 0 {
		return cudrv.Context(ctx), nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx := c.primary.Load(); ctx != 0 {
		return cudrv.Context(ctx), nil
	}
	ctx, err := cudrv.DevicePrimaryCtxRetain(c.device)
	if err != nil {
		return 0, cudaError("cuDevicePrimaryCtxRetain", err)
	}
	c.primary.Store(uintptr(ctx))
	return ctx, nil
}

func (c *cudaDevice) Context() (uintptr, error) {
	ctx, err := c.retain()
	return uintptr(ctx), err
}

func (c *cudaDevice) Priorities() (int, int, error) {
	c.mu.Lock()
	least, greatest, known := c.least, c.greatest, c.ranged
	c.mu.Unlock()
	if known {
		return least, greatest, nil
	}
	err := c.inside(func() error {
		l, g, err := cudrv.CtxGetStreamPriorityRange()
		least, greatest = int(l), int(g)
		return cudaError("cuCtxGetStreamPriorityRange", err)
	})
	if err != nil {
		return 0, 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.least, c.greatest, c.ranged = least, greatest, true
	return least, greatest, nil
}

// inside is [cudaDevice.enter] for what is more than a few calls of words: it runs f with the
// device's context current, and gives the thread its own back.
func (c *cudaDevice) inside(f func() error) error {
	ctx, err := c.retain()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	previous, err := cudrv.CtxGetCurrent()
	if err != nil {
		return cudaError("cuCtxGetCurrent", err)
	}
	if previous == ctx {
		return f()
	}
	if err := cudrv.CtxSetCurrent(ctx); err != nil {
		return cudaError("cuCtxSetCurrent", err)
	}
	err = f()
	if cudrv.CtxSetCurrent(previous) == nil {
		return err
	}
	restoreErr := cudrv.CtxSetCurrent(previous)
	if restoreErr == nil {
		return err
	}
	return notRestored("cuCtxSetCurrent", restoreErr, err,
		cuda.stays(uintptr(ctx), uintptr(previous)))
}

// Do leaves the thread's whole stack of contexts as it was, whatever f does to it.
func (c *cudaDevice) Do(f func()) error {
	ctx, err := c.retain()
	if err != nil {
		return err
	}
	return cudaError("cudrv.Context.Do", ctx.Do(func() error { f(); return nil }))
}

// notRestored is the failure to give a thread its own context or device back after an operation
// that ended with err.
func notRestored(call string, code, err error, now string) error {
	e := called(call, code)
	e.TookEffect = err == nil
	if err != nil {
		e.Detail = "the operation failed, and " + now
		return errors.Join(err, e)
	}
	e.Detail = "the operation took effect, but " + now
	return e
}

// needsContext reports whether a call on a stream goes by the current context: the default
// stream's handle names no context.
func (c *cudaDevice) needsContext(s Object) bool {
	return s.Word <= perThread || c.strict.Load()
}

// insists reports whether the driver refused a call for want of a current context, and remembers
// that it does.
func (c *cudaDevice) insists(err error) bool {
	if !errors.Is(err, cudrv.ErrInvalidContext) {
		return false
	}
	c.strict.Store(true)
	return true
}

// onStream makes a call that concerns a stream, inside the context if need be.
func (c *cudaDevice) onStream(s Object, f func() error) error {
	if s.Word <= perThread {
		return c.inside(f)
	}
	return c.onEvent(f)
}

// onEvent makes a call that finds its context by a handle, and again inside ours if the driver
// insists on a current one.
func (c *cudaDevice) onEvent(f func() error) error {
	if c.strict.Load() {
		return c.inside(f)
	}
	err := f()
	if c.insists(err) {
		return c.inside(f)
	}
	return err
}
