package event

import (
	"errors"
	"fmt"
	"runtime"
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
	device    cudrv.Device
	strict    atomic.Bool // the driver has insisted once
	elapsedV2 bool        // the driver has cuEventElapsedTime_v2

	mu      sync.Mutex
	primary cudrv.Context
}

// openCUDA finds the devices of the CUDA driver.
func openCUDA() ([]*Device, error) {
	if err := cudrv.Available(); err != nil {
		return nil, err
	}
	n, err := cudrv.DeviceGetCount()
	if err != nil {
		return nil, err
	}
	var ds []*Device
	for i := range n {
		c := &cudaDevice{}
		if err := c.describe(int(i)); err != nil {
			return nil, fmt.Errorf("describe device cuda:%d: %w", i, err)
		}
		ds = append(ds, newDevice(c, streamHandle{}))
	}
	return ds, nil
}

// describe fills in what is known once and for all.
func (c *cudaDevice) describe(ordinal int) (err error) {
	c.backend, c.ordinal = CUDA, ordinal
	if c.device, err = cudrv.DeviceGet(int32(ordinal)); err != nil {
		return err
	}
	if c.name, err = cudrv.DeviceGetName(c.device); err != nil {
		return err
	}
	memory, err := cudrv.DeviceTotalMem(c.device)
	if err != nil {
		return err
	}
	c.memory = uint64(memory)
	if c.pci, err = cudrv.DeviceGetPCIBusId(c.device); err != nil {
		return err
	}
	if uuid, err := cudrv.DeviceGetUuid(c.device); err == nil { // an old driver may not tell
		c.uuid = uuid.Bytes
	}
	attribute := func(a cudrv.DeviceAttribute) int32 {
		v, attributeErr := cudrv.DeviceGetAttribute(a, c.device)
		if attributeErr != nil && !errors.Is(attributeErr, cudrv.ErrInvalidValue) { // an attribute that an older driver does not know reads 0
			err = errors.Join(err, attributeErr)
		}
		return v
	}
	c.architecture = fmt.Sprintf("sm_%d%d", attribute(cudrv.DeviceAttributeComputeCapabilityMajor), attribute(cudrv.DeviceAttributeComputeCapabilityMinor))
	c.elapsedV2 = cudrv.Has("cuEventElapsedTime_v2")
	c.capabilities = CapTiming | CapCapture
	for symbol, capability := range map[string]Capability{
		"cuLaunchHostFunc":       CapHostFunc,
		"cuEventRecordWithFlags": CapExternal,
		"cuStreamWaitValue64_v2": CapWaitValue,
	} {
		if cudrv.Has(symbol) {
			c.capabilities |= capability
		}
	}
	if runtime.GOOS == "linux" && cudrv.Has("cuIpcGetEventHandle") {
		c.capabilities |= CapIPC
	}
	if err != nil {
		return err
	}
	return c.inside(func() error {
		least, greatest, err := cudrv.CtxGetStreamPriorityRange()
		c.least, c.greatest = int(least), int(greatest)
		return err
	})
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

// retain returns the primary context. It is retained once, for good: others in the process may be using it when we would release it.
func (c *cudaDevice) retain() (cudrv.Context, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.primary == 0 {
		ctx, err := cudrv.DevicePrimaryCtxRetain(c.device)
		if err != nil {
			return 0, cudaError("cuDevicePrimaryCtxRetain", err)
		}
		c.primary = ctx
	}
	return c.primary, nil
}

func (c *cudaDevice) context() (uintptr, error) {
	ctx, err := c.retain()
	return uintptr(ctx), err
}

// inside runs f with the device's context current.
func (c *cudaDevice) inside(f func() error) error {
	ctx, err := c.retain()
	if err != nil {
		return err
	}
	return ctx.Do(f)
}

// retry makes a call again inside the device's context if the driver refused it for want of one, and remembers that it does.
func (c *cudaDevice) retry(err error, f func() error) error {
	if !errors.Is(err, cudrv.ErrInvalidContext) {
		return err
	}
	c.strict.Store(true)
	return c.inside(f)
}

// needsContext tells whether a call on a stream goes by the current context: the default stream's handle names no context.
func (c *cudaDevice) needsContext(s streamHandle) bool {
	return s.word <= uintptr(cudrv.StreamPerThread) || c.strict.Load()
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
	return h, err
}

func (c *cudaDevice) destroyStream(s streamHandle) error {
	return cudaError("cuStreamDestroy", c.onStream(s, func() error { return cudrv.StreamDestroy(cudrv.Stream(s.word)) }))
}

// onStream makes a call that concerns a stream, inside the context if need be. Hot calls do the same by hand, without the closure.
func (c *cudaDevice) onStream(s streamHandle, f func() error) error {
	if c.needsContext(s) {
		return c.inside(f)
	}
	return c.retry(f(), f)
}

func (c *cudaDevice) queryStream(s streamHandle) (bool, error) {
	return ready2("cuStreamQuery", c.onStream(s, func() error { return cudrv.StreamQuery(cudrv.Stream(s.word)) }))
}

// ready2 turns an answer to a query into done and error.
func ready2(call string, err error) (bool, error) {
	if errors.Is(err, cudrv.ErrNotReady) {
		return false, nil
	}
	return err == nil, cudaError(call, err)
}

func (c *cudaDevice) syncStream(s streamHandle) error {
	return cudaError("cuStreamSynchronize", c.onStream(s, func() error { return cudrv.StreamSynchronize(cudrv.Stream(s.word)) }))
}

func (c *cudaDevice) waitEvent(s streamHandle, e eventHandle, external bool) error {
	flags := cudrv.EventWaitDefault
	if external {
		flags = cudrv.EventWaitExternal
	}
	return cudaError("cuStreamWaitEvent", c.onStream(s, func() error {
		return cudrv.StreamWaitEvent(cudrv.Stream(s.word), cudrv.Event(e.word), flags)
	}))
}

func (c *cudaDevice) hostFunc(s streamHandle, f func() error) error {
	return cudaError("cuLaunchHostFunc", c.onStream(s, func() error {
		return cudrv.LaunchHostFunc(cudrv.Stream(s.word), reportingFunc(f))
	}))
}

func (c *cudaDevice) capturing(s streamHandle) (capturing bool, err error) {
	err = c.onStream(s, func() error {
		status, err := cudrv.StreamIsCapturing(cudrv.Stream(s.word))
		capturing = status != cudrv.StreamCaptureStatusNone
		return err
	})
	if errors.Is(err, cudrv.ErrStreamCaptureImplicit) { // the legacy default stream while another stream captures
		return false, nil
	}
	return capturing, cudaError("cuStreamIsCapturing", err)
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
	return h, err
}

func (c *cudaDevice) destroyEvent(e eventHandle) error {
	destroy := func() error { return cudrv.EventDestroy(cudrv.Event(e.word)) }
	return cudaError("cuEventDestroy", c.retry(destroy(), destroy))
}

func (c *cudaDevice) record(e eventHandle, s streamHandle, external bool) error {
	if !external && !c.needsContext(s) {
		err := cudrv.EventRecord(cudrv.Event(e.word), cudrv.Stream(s.word))
		if err == nil {
			return nil
		}
		if !errors.Is(err, cudrv.ErrInvalidContext) {
			return cudaError("cuEventRecord", err)
		}
		c.strict.Store(true)
	}
	return c.recordInside(e, s, external)
}

func (c *cudaDevice) recordInside(e eventHandle, s streamHandle, external bool) error {
	return c.inside(func() error {
		if external {
			return cudaError("cuEventRecordWithFlags",
				cudrv.EventRecordWithFlags(cudrv.Event(e.word), cudrv.Stream(s.word), cudrv.EventRecordExternal))
		}
		return cudaError("cuEventRecord", cudrv.EventRecord(cudrv.Event(e.word), cudrv.Stream(s.word)))
	})
}

func (c *cudaDevice) queryEvent(e eventHandle) (bool, error) {
	err := cudrv.EventQuery(cudrv.Event(e.word))
	switch err {
	case nil:
		return true, nil
	case cudrv.ErrNotReady:
		return false, nil
	}
	return ready2("cuEventQuery", c.retry(err, func() error { return cudrv.EventQuery(cudrv.Event(e.word)) }))
}

func (c *cudaDevice) syncEvent(e eventHandle, _ bool) error {
	sync := func() error { return cudrv.EventSynchronize(cudrv.Event(e.word)) }
	return cudaError("cuEventSynchronize", c.retry(sync(), sync))
}

// elapsed uses the entry point of CUDA 12.8 where the driver has it; the older one is being withdrawn.
func (c *cudaDevice) elapsed(start, end eventHandle) (time.Duration, error) {
	var ms float32
	var err error
	if c.elapsedV2 {
		ms, err = cudrv.EventElapsedTimeV2(cudrv.Event(start.word), cudrv.Event(end.word))
	} else {
		ms, err = cudrv.EventElapsedTime(cudrv.Event(start.word), cudrv.Event(end.word))
	}
	switch err {
	case nil:
		return milliseconds(ms), nil
	case cudrv.ErrInvalidContext:
		return c.elapsedInside(start, end)
	}
	return 0, cudaError("cuEventElapsedTime", err)
}

func (c *cudaDevice) elapsedInside(start, end eventHandle) (d time.Duration, err error) {
	err = c.inside(func() error {
		ms, err := cudrv.EventElapsedTime(cudrv.Event(start.word), cudrv.Event(end.word))
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
	return h, err
}

func (c *cudaDevice) notify(eventHandle, func(error)) bool { return false }

// pollerThread lets the poller ask while some thread captures in global mode, where the driver would else refuse, and end that capture.
func (c *cudaDevice) pollerThread() func() {
	mode := cudrv.StreamCaptureModeRelaxed
	if err := cudrv.ThreadExchangeStreamCaptureMode(&mode); err != nil { // mode is the previous one now
		return func() {}
	}
	return func() { _ = cudrv.ThreadExchangeStreamCaptureMode(&mode) }
}
