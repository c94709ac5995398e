package driver

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// cuda is the CUDA driver.
var cuda = api{
	lib: &libs.CUDA,
	calls: [callCount]dl.Proc{
		getCurrent:    {Lib: &libs.CUDA, Symbol: "cuCtxGetCurrent", Since: "4.0"},
		setCurrent:    {Lib: &libs.CUDA, Symbol: "cuCtxSetCurrent", Since: "4.0"},
		syncDevice:    {Lib: &libs.CUDA, Symbol: "cuCtxSynchronize", Since: "2.0"},
		memInfo:       {Lib: &libs.CUDA, Symbol: "cuMemGetInfo_v2", Since: "3.2"},
		priorityRange: {Lib: &libs.CUDA, Symbol: "cuCtxGetStreamPriorityRange", Since: "5.5"},
		exchangeCaptureMode: {Lib: &libs.CUDA, Symbol: "cuThreadExchangeStreamCaptureMode",
			Since: "10.1"},
		streamCreate:     {Lib: &libs.CUDA, Symbol: "cuStreamCreateWithPriority", Since: "5.5"},
		streamDestroy:    {Lib: &libs.CUDA, Symbol: "cuStreamDestroy_v2", Since: "4.0"},
		streamQuery:      {Lib: &libs.CUDA, Symbol: "cuStreamQuery", Since: "2.0"},
		streamSync:       {Lib: &libs.CUDA, Symbol: "cuStreamSynchronize", Since: "2.0"},
		streamWaitEvent:  {Lib: &libs.CUDA, Symbol: "cuStreamWaitEvent", Since: "3.2"},
		streamCapturing:  {Lib: &libs.CUDA, Symbol: "cuStreamIsCapturing", Since: "10.0"},
		eventCreate:      {Lib: &libs.CUDA, Symbol: "cuEventCreate", Since: "2.0"},
		eventDestroy:     {Lib: &libs.CUDA, Symbol: "cuEventDestroy_v2", Since: "4.0"},
		eventRecord:      {Lib: &libs.CUDA, Symbol: "cuEventRecord", Since: "2.0"},
		eventRecordFlags: {Lib: &libs.CUDA, Symbol: "cuEventRecordWithFlags", Since: "11.1"},
		eventQuery:       {Lib: &libs.CUDA, Symbol: "cuEventQuery", Since: "2.0"},
		eventSync:        {Lib: &libs.CUDA, Symbol: "cuEventSynchronize", Since: "2.0"},
		eventElapsed:     {Lib: &libs.CUDA, Symbol: "cuEventElapsedTime", Since: "2.0"},
		eventElapsedV2: {Lib: &libs.CUDA, Symbol: "cuEventElapsedTime_v2",
			Since: "after 12.6, by 12.8"},
		eventExport: {Lib: &libs.CUDA, Symbol: "cuIpcGetEventHandle", Since: "4.1"},
	},
	insists: true,
	result:  func(code int32) error { return cudrv.Result(code) },
	stays: func(ours, theirs uintptr) string {
		return fmt.Sprintf("context %#x is current on this thread now instead of %#x; "+
			"set it with cudrv.CtxSetCurrent", ours, theirs)
	},
	retain: func(device int32) (uintptr, error) {
		ctx, err := cudrv.DevicePrimaryCtxRetain(cudrv.Device(device))
		return uintptr(ctx), Failed("cuDevicePrimaryCtxRetain", err)
	},
	do: func(ours uintptr, f func() error) error {
		return Failed("cudrv.Context.Do", cudrv.Context(ours).Do(f))
	},
	hostFunc: func(stream uintptr, f func(), repeat bool) error {
		if repeat {
			// The graph may be launched for the life of the process, and nothing reports its end:
			// the registration stays.
			fn := cudrv.NewHostFn(f)
			return Failed("cuLaunchHostFunc", cudrv.LaunchHostFuncRef(cudrv.Stream(stream), fn))
		}
		return Failed("cuLaunchHostFunc", cudrv.LaunchHostFunc(cudrv.Stream(stream), f))
	},
	waitValue: func(stream, device uintptr, number uint64) error {
		return Failed("cuStreamWaitValue64", cudrv.StreamWaitValue64V2(cudrv.Stream(stream),
			cudrv.Deviceptr(device), number, cudrv.StreamWaitValueGeq))
	},
	importEvent: func(raw [DescriptorBytes]byte) (uintptr, error) {
		e, err := cudrv.IpcOpenEventHandle(ipcHandle[cudrv.IpcEventHandle](raw))
		return uintptr(e), Failed("cuIpcOpenEventHandle", err)
	},
}

// cudaDevice is a device of the CUDA driver. Its objects live in the primary context, which the
// CUDA runtime and libraries built on it use too.
type cudaDevice struct{ gpu }

// Accepts queries the stream's context: events of the primary context can't be recorded on a stream
// of another one.
func (c *cudaDevice) Accepts(s Object) error {
	if !named(s) { // stands for a stream of the current context
		return nil
	}
	primary, err := c.ours()
	if err != nil {
		return err
	}
	var ctx cudrv.Context
	err = c.Enter(func() (err error) {
		ctx, err = cudrv.StreamGetCtx(cudrv.Stream(s.Word))
		return Failed("cuStreamGetCtx", err)
	})
	switch {
	case errors.Is(err, ErrUnsupported), errors.Is(err, cudrv.ErrSymbolNotFound):
		return nil // a green context's stream, an old driver
	case err != nil:
		return err
	case uintptr(ctx) == primary:
		return nil
	}
	detail := fmt.Sprintf("the stream belongs to context %#x, which is not the primary one of %s",
		uintptr(ctx), c.info.Label)
	if device, err := deviceOf(s, ctx); err == nil && int32(device) != c.number {
		detail = fmt.Sprintf("the stream belongs to device %d, not to %s", device, c.info.Label)
	}
	return &Refusal{ErrDeviceMismatch, detail + "; wrap it on its own device, in the primary context"}
}

// deviceOf returns the device of a stream of a context.
func deviceOf(s Object, ctx cudrv.Context) (d cudrv.Device, err error) {
	if cudrv.Has("cuStreamGetDevice") {
		return cudrv.StreamGetDevice(cudrv.Stream(s.Word))
	}
	err = new(Entry).enter(&cuda, uintptr(ctx), func() (err error) {
		d, err = cudrv.CtxGetDevice()
		return err
	})
	return d, err
}

func (c *cudaDevice) Hold(s Object) (release func(error), err error) { return c.hold(c, s) }

// allocWords allocates memory that host and device share. Captures of others must neither refuse
// that nor be invalidated by it.
// fact: gpu-alloc-heeds-captures
func (c *cudaDevice) allocWords() (all []word, err error) {
	c.Relaxed(func() {
		err = c.Enter(func() (err error) {
			all, err = sharedWords()
			return err
		})
	})
	return all, err
}

func sharedWords() (all []word, err error) {
	const size = 4096
	host, err := cudrv.MemHostAlloc(size, cudrv.MemhostallocPortable|cudrv.MemhostallocDevicemap)
	if err != nil {
		return nil, Failed("cuMemHostAlloc", err)
	}
	device, err := cudrv.MemHostGetDevicePointer(host, 0)
	if err != nil {
		return nil, joinLater(Failed("cuMemHostGetDevicePointer", err),
			Failed("cuMemFreeHost", cudrv.MemFreeHost(host)))
	}
	return wordsAt(host, uintptr(device), size/8), nil
}
