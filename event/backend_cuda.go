package event

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
)

// cudaDevice is a device of the CUDA driver. Its objects live in the primary context, which the CUDA runtime and libraries built on it use too.
//
// Calls on streams and events of our own find their context by the handle, so the caller's current context does not matter. What creates
// something, and what concerns the default stream, goes by the current context: that runs inside ours, and the caller's is restored. Should a
// driver insist on a current context elsewhere, it says so before doing anything, and the call is made again inside.
type cudaDevice struct {
	deviceInfo
	device cudrv.Device
	strict atomic.Bool // the driver has insisted once
	// elapsedTime is the entry point of CUDA 12.8 where the driver has it; the older one is being withdrawn.
	elapsedTime func(start, end cudrv.Event) (milliseconds float32, err error)

	mu              sync.Mutex
	primary         cudrv.Context
	ranged          bool // the next two are known
	least, greatest int
}

func (c *cudaDevice) info() *deviceInfo { return &c.deviceInfo }

// cudaError names the call that failed.
func cudaError(call string, err error) error {
	if err == nil {
		return nil
	}
	e := &callError{call: call, code: err}
	switch {
	case errors.Is(err, cudrv.ErrInvalidHandle):
		e.class = errHandle
	case errors.Is(err, cudrv.ErrNotReady):
		e.class = errNotReady
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

func (c *cudaDevice) sync() error {
	return c.inside(func() error { return cudaError("cuCtxSynchronize", cudrv.CtxSynchronize()) })
}

func (c *cudaDevice) createStream(nonBlocking bool, priority int) (h streamHandle, err error) {
	flags := cudrv.StreamDefault
	if nonBlocking {
		flags = cudrv.StreamNonBlocking
	}
	err = c.inside(func() error {
		s, err := cudrv.StreamCreateWithPriority(flags, int32(priority))
		h.word = uintptr(s)
		return cudaError("cuStreamCreateWithPriority", err)
	})
	if err != nil && h.word != 0 { // nobody will hear of it
		err = errors.Join(err, c.destroyStream(h))
	}
	return h, err
}

func (c *cudaDevice) destroyStream(s streamHandle) error {
	return c.onStream(s, func() error {
		return cudaError("cuStreamDestroy", cudrv.StreamDestroy(cudrv.Stream(s.word)))
	})
}

func (c *cudaDevice) queryStream(s streamHandle) (done bool, err error) {
	err = c.onStream(s, func() error {
		done, err = cudaDone("cuStreamQuery", cudrv.StreamQuery(cudrv.Stream(s.word)))
		return err
	})
	return done && err == nil, err
}

func (c *cudaDevice) syncStream(s streamHandle) error {
	return c.onStream(s, func() error {
		return cudaError("cuStreamSynchronize", cudrv.StreamSynchronize(cudrv.Stream(s.word)))
	})
}

func (c *cudaDevice) waitEvent(s streamHandle, e eventHandle, external bool) error {
	flags := cudrv.EventWaitDefault
	if external {
		flags = cudrv.EventWaitExternal
	}
	return c.onStream(s, func() error {
		return cudaError("cuStreamWaitEvent", cudrv.StreamWaitEvent(cudrv.Stream(s.word), cudrv.Event(e.word), flags))
	})
}

func (c *cudaDevice) hostFunc(s streamHandle, f func() error, repeat bool) error {
	return c.onStream(s, func() error {
		if repeat {
			// The graph may be launched as long as the process lives, and nobody tells when it is gone: the registration stays.
			return cudaError("cuLaunchHostFunc", cudrv.LaunchHostFuncRef(cudrv.Stream(s.word), cudrv.NewHostFn(reportingFunc(f))))
		}
		return cudaError("cuLaunchHostFunc", cudrv.LaunchHostFunc(cudrv.Stream(s.word), reportingFunc(f)))
	})
}

func (c *cudaDevice) capturing(s streamHandle) (capturing bool, err error) {
	err = c.onStream(s, func() error {
		status, err := cudrv.StreamIsCapturing(cudrv.Stream(s.word))
		capturing = status != cudrv.StreamCaptureStatusNone
		if errors.Is(err, cudrv.ErrStreamCaptureImplicit) { // the legacy default stream while another stream captures
			capturing, err = false, nil
		}
		return cudaError("cuStreamIsCapturing", err)
	})
	return capturing, err
}

func (c *cudaDevice) createEvent(f eventFlags) (h eventHandle, err error) {
	flags := cudrv.EventDefault
	if !f.timing {
		flags |= cudrv.EventDisableTiming
	}
	if f.blocking {
		flags |= cudrv.EventBlockingSync
	}
	if f.ipc {
		flags |= cudrv.EventInterprocess
	}
	err = c.inside(func() error {
		e, err := cudrv.EventCreate(flags)
		h.word = uintptr(e)
		return cudaError("cuEventCreate", err)
	})
	return c.orDestroy(h, err)
}

// orDestroy destroys an event that was created for nothing.
func (c *cudaDevice) orDestroy(h eventHandle, err error) (eventHandle, error) {
	if err != nil && h.word != 0 {
		err = errors.Join(err, c.destroyEvent(h))
	}
	return h, err
}

func (c *cudaDevice) destroyEvent(e eventHandle) error {
	return c.onEvent(func() error { return cudaError("cuEventDestroy", cudrv.EventDestroy(cudrv.Event(e.word))) })
}

func (c *cudaDevice) record(e eventHandle, s streamHandle, external bool) error {
	if !external && !c.needsContext(s) {
		err := cudrv.EventRecord(cudrv.Event(e.word), cudrv.Stream(s.word))
		if err == nil {
			return nil
		}
		if !c.insists(err) {
			return cudaError("cuEventRecord", err)
		}
	}
	return c.inside(func() error {
		if external {
			return cudaError("cuEventRecordWithFlags",
				cudrv.EventRecordWithFlags(cudrv.Event(e.word), cudrv.Stream(s.word), cudrv.EventRecordExternal))
		}
		return cudaError("cuEventRecord", cudrv.EventRecord(cudrv.Event(e.word), cudrv.Stream(s.word)))
	})
}

func (c *cudaDevice) queryEvent(e eventHandle) (done bool, err error) {
	if !c.strict.Load() {
		switch err := cudrv.EventQuery(cudrv.Event(e.word)); {
		case err == nil:
			return true, nil
		case err == cudrv.ErrNotReady:
			return false, nil
		case !c.insists(err):
			return false, cudaError("cuEventQuery", err)
		}
	}
	err = c.inside(func() error {
		done, err = cudaDone("cuEventQuery", cudrv.EventQuery(cudrv.Event(e.word)))
		return err
	})
	return done && err == nil, err
}

func (c *cudaDevice) syncEvent(e eventHandle, _ bool) error {
	return c.onEvent(func() error { return cudaError("cuEventSynchronize", cudrv.EventSynchronize(cudrv.Event(e.word))) })
}

func (c *cudaDevice) elapsed(start, end eventHandle) (time.Duration, error) {
	if !c.strict.Load() {
		ms, err := c.elapsedTime(cudrv.Event(start.word), cudrv.Event(end.word))
		if err == nil {
			return milliseconds(ms), nil
		}
		if !c.insists(err) {
			return 0, cudaError("cuEventElapsedTime", err)
		}
	}
	return c.elapsedInside(start, end)
}

func (c *cudaDevice) elapsedInside(start, end eventHandle) (d time.Duration, err error) {
	err = c.inside(func() error {
		ms, err := c.elapsedTime(cudrv.Event(start.word), cudrv.Event(end.word))
		d = milliseconds(ms)
		return cudaError("cuEventElapsedTime", err)
	})
	return d, err
}

func (c *cudaDevice) exportEvent(e eventHandle) (raw [descriptorBytes]byte, err error) {
	err = c.inside(func() error {
		h, err := cudrv.IpcGetEventHandle(cudrv.Event(e.word))
		raw = ipcBytes(h)
		return cudaError("cuIpcGetEventHandle", err)
	})
	return raw, err
}

func (c *cudaDevice) importEvent(raw [descriptorBytes]byte) (h eventHandle, err error) {
	err = c.inside(func() error {
		e, err := cudrv.IpcOpenEventHandle(ipcHandle[cudrv.IpcEventHandle](raw))
		h.word = uintptr(e)
		return cudaError("cuIpcOpenEventHandle", err)
	})
	return c.orDestroy(h, err)
}

func (c *cudaDevice) notify(eventHandle, func(error)) func() { return nil }

func (c *cudaDevice) relax() func() {
	mode := cudrv.StreamCaptureModeRelaxed
	if err := cudrv.ThreadExchangeStreamCaptureMode(&mode); err != nil { // mode is the previous one now
		return func() {}
	}
	return func() { _ = cudrv.ThreadExchangeStreamCaptureMode(&mode) }
}
