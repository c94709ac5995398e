package driver

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
)

func (c *cudaDevice) CreateStream(nonBlocking bool, priority int) (s Object, err error) {
	flags := cudrv.StreamDefault
	if nonBlocking {
		flags = cudrv.StreamNonBlocking
	}
	err = c.inside(func() error {
		word, err := cudrv.StreamCreateWithPriority(flags, int32(priority))
		s.Word = uintptr(word)
		return cudaError("cuStreamCreateWithPriority", err)
	})
	if err != nil && s.Word != 0 { // the caller gets no handle
		err = joinLater(err, c.DestroyStream(s))
	}
	return s, err
}

func (c *cudaDevice) DestroyStream(s Object) error {
	return c.onStream(s, func() error {
		return cudaError("cuStreamDestroy", cudrv.StreamDestroy(cudrv.Stream(s.Word)))
	})
}

// Accepts queries the stream's context: events of the primary context can't be recorded on a stream
// of another one.
func (c *cudaDevice) Accepts(s Object) error {
	if s.Word <= perThread { // stands for a stream of the current context
		return nil
	}
	primary, err := c.retain()
	if err != nil {
		return err
	}
	var ctx cudrv.Context
	err = c.onStream(s, func() (err error) {
		ctx, err = cudrv.StreamGetCtx(cudrv.Stream(s.Word))
		return cudaError("cuStreamGetCtx", err)
	})
	switch {
	case errors.Is(err, ErrUnsupported), missing(err): // a green context's stream, an old driver
		return nil
	case err != nil:
		return err
	case ctx == primary:
		return nil
	}
	detail := fmt.Sprintf("the stream belongs to context %#x, which is not the primary one of %s",
		uintptr(ctx), c.info.Label)
	if device, err := c.deviceOf(s, ctx); err == nil && device != c.device {
		detail = fmt.Sprintf("the stream belongs to device %d, not to %s", device, c.info.Label)
	}
	return &Refusal{ErrDeviceMismatch, detail + "; wrap it on its own device, in the primary context"}
}

// deviceOf returns the device of a stream of a context.
func (c *cudaDevice) deviceOf(s Object, ctx cudrv.Context) (d cudrv.Device, err error) {
	if cudrv.Has("cuStreamGetDevice") {
		return cudrv.StreamGetDevice(cudrv.Stream(s.Word))
	}
	err = ctx.Do(func() (err error) {
		d, err = cudrv.CtxGetDevice()
		return err
	})
	return d, err
}

// missing reports whether a call failed because the driver lacks the symbol.
func missing(err error) bool {
	return errors.Is(err, cudrv.ErrSymbolNotFound)
}

func (c *cudaDevice) QueryStream(s Object) (done bool, err error) {
	if !c.needsContext(s) {
		err := cudrv.StreamQuery(cudrv.Stream(s.Word))
		if !c.insists(err) {
			return cudaDone("cuStreamQuery", err)
		}
	}
	x, err := c.enter(1)
	if err != nil {
		return false, err
	}
	return x.query(&cuStreamQuery, s.Word)
}

func (c *cudaDevice) Relaxed(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mode := cudrv.StreamCaptureModeRelaxed
	if cudrv.ThreadExchangeStreamCaptureMode(&mode) == nil { // mode is now the previous one
		defer func() { _ = cudrv.ThreadExchangeStreamCaptureMode(&mode) }()
	}
	f()
}

func (c *cudaDevice) SyncStream(s Object) error {
	return c.onStream(s, func() error {
		return cudaError("cuStreamSynchronize", cudrv.StreamSynchronize(cudrv.Stream(s.Word)))
	})
}

func (c *cudaDevice) WaitEvent(s, e Object, external bool) error {
	flags := cudrv.EventWaitDefault
	if external {
		flags = cudrv.EventWaitExternal
	}
	if !c.needsContext(s) {
		err := cudrv.StreamWaitEvent(cudrv.Stream(s.Word), cudrv.Event(e.Word), flags)
		if err == nil {
			return nil
		}
		if !c.insists(err) {
			return cudaError("cuStreamWaitEvent", err)
		}
	}
	return c.callInside(&cuStreamWaitEvent, s.Word, e.Word, uintptr(flags))
}

func (c *cudaDevice) HostFunc(s Object, f func() error, repeat bool) error {
	return c.onStream(s, func() error {
		if repeat {
			// The graph may be launched for the life of the process, and nothing reports its end:
			// the registration stays.
			fn := cudrv.NewHostFn(ignoring(f))
			return cudaError("cuLaunchHostFunc", cudrv.LaunchHostFuncRef(cudrv.Stream(s.Word), fn))
		}
		return cudaError("cuLaunchHostFunc",
			cudrv.LaunchHostFunc(cudrv.Stream(s.Word), ignoring(f)))
	})
}

// Hold makes the stream wait for a value in memory if it can: that occupies no thread.
func (c *cudaDevice) Hold(s Object) (release func(error), err error) {
	if !c.info.Promises.Has(CanWaitValue) {
		return holdByFunc(c, s)
	}
	return c.words.hold(func(device uintptr, number uint64) error {
		return c.onStream(s, func() error {
			return cudaError("cuStreamWaitValue64", cudrv.StreamWaitValue64V2(cudrv.Stream(s.Word),
				cudrv.Deviceptr(device), number, cudrv.StreamWaitValueGeq))
		})
	})
}

// allocWords allocates memory that host and device share. Captures of others must neither refuse
// that nor be spoilt by it.
// fact: gpu-alloc-heeds-captures
func (c *cudaDevice) allocWords() (all []word, err error) {
	err = c.inside(func() (err error) {
		c.Relaxed(func() { all, err = sharedWords() })
		return err
	})
	return all, err
}

func sharedWords() (all []word, err error) {
	const size = 4096
	host, err := cudrv.MemHostAlloc(size, cudrv.MemhostallocPortable|cudrv.MemhostallocDevicemap)
	if err != nil {
		return nil, cudaError("cuMemHostAlloc", err)
	}
	device, err := cudrv.MemHostGetDevicePointer(host, 0)
	if err != nil {
		return nil, joinLater(cudaError("cuMemHostGetDevicePointer", err),
			cudaError("cuMemFreeHost", cudrv.MemFreeHost(host)))
	}
	return wordsAt(host, uintptr(device), size/8), nil
}

func (c *cudaDevice) Capturing(s Object) (capturing bool, err error) {
	if IsDefaultStream(s.Word) {
		return false, nil
	}
	if !c.needsContext(s) {
		status, err := cudrv.StreamIsCapturing(cudrv.Stream(s.Word))
		if !c.insists(err) {
			return status != cudrv.StreamCaptureStatusNone, cudaError("cuStreamIsCapturing", err)
		}
	}
	x, err := c.enter(1)
	if err != nil {
		return false, err
	}
	return x.isCapturing(s)
}
