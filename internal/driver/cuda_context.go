package driver

import (
	"errors"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
)

// retain returns the primary context.
func (c *cudaDevice) retain() (cudrv.Context, error) {
	if ctx := c.primary.Load(); ctx != 0 {
		return cudrv.Context(ctx), nil
	}
	return c.retainFirst()
}

// retainFirst is retain without a context. It is retained at first use, since a context takes much
// device memory, and never released, since others in the process may be using it by then.
func (c *cudaDevice) retainFirst() (cudrv.Context, error) {
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

// inside runs f with the device's context current, and restores the thread's own. It is for more
// than [cudaDevice.enter] can do.
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

// Do restores the thread's whole stack of contexts, whatever f does to it.
func (c *cudaDevice) Do(f func()) error {
	ctx, err := c.retain()
	if err != nil {
		return err
	}
	return cudaError("cudrv.Context.Do", ctx.Do(func() error { f(); return nil }))
}

// notRestored returns the error for a thread whose own context or device could not be restored
// after an operation that ended with err.
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

// needsContext reports whether a call on a stream depends on the current context: the default
// stream's handle names none.
func (c *cudaDevice) needsContext(s Object) bool {
	return s.Word <= perThread || c.strict.Load()
}

// insists reports whether the driver refused a call for lack of a current context, and remembers
// that it does.
func (c *cudaDevice) insists(err error) bool {
	if !errors.Is(err, cudrv.ErrInvalidContext) {
		return false
	}
	c.strict.Store(true)
	return true
}

// onStream makes a call on a stream, inside the context if necessary.
func (c *cudaDevice) onStream(s Object, f func() error) error {
	if s.Word <= perThread {
		return c.inside(f)
	}
	return c.onEvent(f)
}

// onEvent makes a call that finds its context through a handle, and repeats it inside ours if the
// driver insists on a current one.
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
