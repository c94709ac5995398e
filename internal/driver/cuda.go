package driver

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// cudaDevice is a device of the CUDA driver. Its objects live in the primary context, which the
// CUDA runtime and libraries built on it use too.
//
// Calls on our own streams and events find their context through the handle, whatever context is
// current. Calls that create objects or use the default stream depend on the current context: they
// run inside ours, and the caller's is restored. If a driver insists on a current context for other
// calls, it refuses before doing anything, and the call is repeated inside.
type cudaDevice struct {
	info Info
	polling
	device cudrv.Device
	strict atomic.Bool // the driver has insisted once
	words  words
	// elapsedTime is the entry point of CUDA 12.8 if the driver has it; the older one is being
	// withdrawn.
	elapsedTime *dl.Proc
	generation  uint64 // of the library

	primary atomic.Uintptr // the context, once it is retained

	mu              sync.Mutex
	ranged          bool // the next two are known
	least, greatest int
}

func (c *cudaDevice) Can() Can              { return c.info.Promises }
func (c *cudaDevice) May() Can              { return c.info.Promises }
func (c *cudaDevice) Gone() bool            { return libs.CUDA.Generation() != c.generation }
func (c *cudaDevice) DefaultStream() Object { return Object{} }

// cudaError names the call that failed.
func cudaError(call string, err error) error {
	if err == nil {
		return nil
	}
	e := called(call, err)
	switch {
	case errors.Is(err, cudrv.ErrInvalidHandle):
		e.Class = ErrHandle
	case errors.Is(err, cudrv.ErrNotReady):
		e.Class = ErrNotReady
	case errors.Is(err, cudrv.ErrInvalidContext):
		e.Class = ErrContext
	case errors.Is(err, cudrv.ErrNotSupported):
		e.Class = ErrUnsupported
	}
	return e
}

// cudaDone is the answer to a query.
func cudaDone(call string, err error) (bool, error) {
	if errors.Is(err, cudrv.ErrNotReady) {
		return false, nil
	}
	return err == nil, cudaError(call, err)
}

func (c *cudaDevice) Sync() error {
	return c.inside(func() error { return cudaError("cuCtxSynchronize", cudrv.CtxSynchronize()) })
}

func (c *cudaDevice) CreateEvent(f EventFlags) (e Object, err error) {
	flags := cudrv.EventDefault
	if !f.Timing {
		flags |= cudrv.EventDisableTiming
	}
	if f.Blocking {
		flags |= cudrv.EventBlockingSync
	}
	if f.IPC {
		flags |= cudrv.EventInterprocess
	}
	x, err := c.enter(1)
	if err != nil {
		return e, err
	}
	word, at := x.word()
	x.call(&cuEventCreate, at, uintptr(flags), 0)
	err = x.run()
	e.Word = *word
	return c.orDestroy(e, x.end(err))
}

// orDestroy destroys an event that was created for nothing.
func (c *cudaDevice) orDestroy(e Object, err error) (Object, error) {
	if err != nil && e.Word != 0 {
		err = joinLater(err, c.DestroyEvent(e))
	}
	return e, err
}

func (c *cudaDevice) DestroyEvent(e Object) error {
	return c.onEvent(func() error {
		return cudaError("cuEventDestroy", cudrv.EventDestroy(cudrv.Event(e.Word)))
	})
}

func (c *cudaDevice) Record(e, s Object, external bool) error {
	if !external && !c.needsContext(s) {
		err := cudrv.EventRecord(cudrv.Event(e.Word), cudrv.Stream(s.Word))
		if err == nil {
			return nil
		}
		if !c.insists(err) {
			return cudaError("cuEventRecord", err)
		}
	}
	if external {
		return c.callInside(&cuEventRecordWithFlags, e.Word, s.Word,
			uintptr(cudrv.EventRecordExternal))
	}
	return c.callInside(&cuEventRecord, e.Word, s.Word, 0)
}

func (c *cudaDevice) RecordUnlessCapturing(e, s Object) (Capture, error) {
	if IsDefaultStream(s.Word) {
		return NotCapturing, c.Record(e, s, false)
	}
	if !c.needsContext(s) {
		x := cuda.begin(2)
		capture, err := x.recordUnlessCapturing(e, s)
		if err == nil || !c.insists(err) {
			return capture, err
		}
	}
	x, err := c.enter(2)
	if err != nil {
		return CaptureUnknown, err
	}
	return x.recordUnlessCapturing(e, s)
}

func (c *cudaDevice) QueryEvent(e Object) (done bool, err error) {
	if !c.strict.Load() {
		switch err := cudrv.EventQuery(cudrv.Event(e.Word)); {
		case err == nil:
			return true, nil
		case err == cudrv.ErrNotReady:
			return false, nil
		case !c.insists(err):
			return false, cudaError("cuEventQuery", err)
		}
	}
	err = c.inside(func() error {
		done, err = cudaDone("cuEventQuery", cudrv.EventQuery(cudrv.Event(e.Word)))
		return err
	})
	return done && err == nil, err
}

func (c *cudaDevice) SyncEvent(e Object, _ bool) error {
	return c.onEvent(func() error {
		return cudaError("cuEventSynchronize", cudrv.EventSynchronize(cudrv.Event(e.Word)))
	})
}

func (c *cudaDevice) Elapsed(start, end Object, ms *float32) (time.Duration, error) {
	if !c.strict.Load() {
		err := cuda.elapsed(c.elapsedTime, start, end, ms)
		if err == nil {
			return milliseconds(*ms), nil
		}
		if !c.insists(err) {
			return 0, err
		}
	}
	return c.elapsedInside(start, end, ms)
}

func (c *cudaDevice) elapsedInside(start, end Object, ms *float32) (time.Duration, error) {
	err := c.inside(func() error { return cuda.elapsed(c.elapsedTime, start, end, ms) })
	if err != nil {
		return 0, err
	}
	return milliseconds(*ms), nil
}

func (c *cudaDevice) ExportEvent(e Object) (raw [DescriptorBytes]byte, err error) {
	err = c.inside(func() error {
		h, err := cudrv.IpcGetEventHandle(cudrv.Event(e.Word))
		raw = ipcBytes(h)
		return cudaError("cuIpcGetEventHandle", err)
	})
	return raw, err
}

func (c *cudaDevice) ImportEvent(raw [DescriptorBytes]byte) (e Object, err error) {
	err = c.inside(func() error {
		word, err := cudrv.IpcOpenEventHandle(ipcHandle[cudrv.IpcEventHandle](raw))
		e.Word = uintptr(word)
		return cudaError("cuIpcOpenEventHandle", err)
	})
	return c.orDestroy(e, ownDescriptor(err))
}

// ownDescriptor explains a refused context on import: the descriptor is this process's own.
// fact: gpu-ipc-same-process
func ownDescriptor(err error) error {
	if e, ok := err.(*Error); ok && e.Class == ErrContext {
		e.Detail = "the driver can't import an event into the process that exported it; " +
			"use the event itself"
	}
	return err
}

// relaxCaptureCUDA exempts the thread from the captures of others. A runtime that lacks the call
// has no captures.
func relaxCaptureCUDA() {
	mode := cudrv.StreamCaptureModeRelaxed
	_ = cudrv.ThreadExchangeStreamCaptureMode(&mode)
}
