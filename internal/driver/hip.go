package driver

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// amd is the HIP runtime, which has no contexts in practice.
var amd = api{
	lib: &libs.HIP,
	calls: [callCount]dl.Proc{
		getCurrent:    {Lib: &libs.HIP, Symbol: "hipGetDevice", Since: early},
		setCurrent:    {Lib: &libs.HIP, Symbol: "hipSetDevice", Since: early},
		syncDevice:    {Lib: &libs.HIP, Symbol: "hipDeviceSynchronize", Since: early},
		memInfo:       {Lib: &libs.HIP, Symbol: "hipMemGetInfo", Since: early},
		priorityRange: {Lib: &libs.HIP, Symbol: "hipDeviceGetStreamPriorityRange", Since: early},
		exchangeCaptureMode: {Lib: &libs.HIP, Symbol: "hipThreadExchangeStreamCaptureMode",
			Since: early},
		streamCreate:    {Lib: &libs.HIP, Symbol: "hipStreamCreateWithPriority", Since: early},
		streamDestroy:   {Lib: &libs.HIP, Symbol: "hipStreamDestroy", Since: early},
		streamQuery:     {Lib: &libs.HIP, Symbol: "hipStreamQuery", Since: early},
		streamWaitEvent: {Lib: &libs.HIP, Symbol: "hipStreamWaitEvent", Since: early},
		streamCapturing: {Lib: &libs.HIP, Symbol: "hipStreamIsCapturing", Since: early},
		eventCreate:     {Lib: &libs.HIP, Symbol: "hipEventCreateWithFlags", Since: early},
		eventDestroy:    {Lib: &libs.HIP, Symbol: "hipEventDestroy", Since: early},
		eventRecord:     {Lib: &libs.HIP, Symbol: "hipEventRecord", Since: early},
		eventRecordFlags: {Lib: &libs.HIP, Symbol: "hipEventRecordWithFlags",
			Since: "after 6.2, by 6.4.3"},
		eventQuery:   {Lib: &libs.HIP, Symbol: "hipEventQuery", Since: early},
		eventElapsed: {Lib: &libs.HIP, Symbol: "hipEventElapsedTime", Since: early},
		eventExport:  {Lib: &libs.HIP, Symbol: "hipIpcGetEventHandle", Since: early},
	},
	result: func(code int32) error { return hip.Result(code) },
	stays: func(ours, theirs uintptr) string {
		return fmt.Sprintf("device %d is current on this thread now instead of %d; "+
			"set it with hip.SetDevice", ours, int32(theirs))
	},
	capturing: func(status uint64, err error) (bool, error) {
		switch {
		case status == captureInvalidated:
			return true, joinLater(captureFailed, err)
		case errors.Is(err, ErrUnsupported), errors.Is(err, hip.ErrSymbolNotFound):
			return false, nil // a runtime without captures. fact: chip-is-capturing-unsupported
		}
		return status != 0, err
	},
	do: func(ours uintptr, f func() error) error {
		return Failed("hip.Device.Do", hip.Device(ours).Do(f))
	},
	hostFunc: func(stream uintptr, f func(), repeat bool) error {
		if repeat { // as for CUDA, the registration stays
			fn := hip.NewHostFn(f)
			return Failed("hipLaunchHostFunc", hip.LaunchHostFuncRef(hip.Stream(stream), fn))
		}
		return Failed("hipLaunchHostFunc", hip.LaunchHostFunc(hip.Stream(stream), f))
	},
	waitValue: func(stream, device uintptr, number uint64) error {
		return Failed("hipStreamWaitValue64", hip.StreamWaitValue64(hip.Stream(stream),
			wordAddress(device), number, hip.StreamWaitValueGte, ^uint64(0)))
	},
	importEvent: func(raw [DescriptorBytes]byte) (uintptr, error) {
		e, err := hip.IpcOpenEventHandle(ipcHandle[hip.IpcEventHandle](raw))
		return uintptr(e), Failed("hipIpcOpenEventHandle", err)
	},
}

// early is the oldest release whose header was read.
const early = "5.2.3 or earlier"

// hipDevice is a device of the HIP runtime.
//
// The runtime does not check handles, so nothing closed may reach it. Its synchronize calls hold
// the object's lock and block other threads, so waiting is implemented by polling. Its last error
// belongs to the user and is never read.
type hipDevice struct {
	gpu
	version int32         // of the runtime: 60443484 is 6.4
	syncs   atomic.Uint32 // numbers for the events of SyncStream

	tried sync.Once
	can   atomic.Uint32 // a Can: what is promised, until it is tried
}

func (h *hipDevice) CreateEvent(f EventFlags) (Object, error) {
	var fence hip.EventFlags
	switch f.Fence {
	case FenceDevice:
		fence = hip.EventReleaseToDevice
	case FenceSystem:
		fence = hip.EventReleaseToSystem
	case FenceNone:
		fence = hip.EventDisableSystemFence
	}
	e, err := h.createEvent(f, uintptr(fence))
	refused, ok := err.(*Error)
	if ok && fence != 0 && refused.Code == hip.ErrInvalidValue &&
		refused.Call == amd.calls[eventCreate].Symbol {
		err = &Refusal{ErrUnsupported, fmt.Sprintf(
			"this release of ROCm does not know %v; leave WithFence out", f.Fence)}
	}
	return e, err
}

// captureFailed is the error for a stream whose capture was invalidated. The runtime would make a
// record on it as on any other stream. Many releases keep the stream so after the capture's end.
// fact: amd-failed-capture-stays, amd-spoilt-capture-records
var captureFailed = &Refusal{ErrCaptureFailed, "the stream's capture has failed; end it, or " +
	"close the stream if that was done: this release of ROCm does not free it"}

// Accepts queries the stream's device, if the runtime can.
func (h *hipDevice) Accepts(s Object) error {
	if !named(s) {
		return nil
	}
	d, err := hip.StreamGetDevice(hip.Stream(s.Word))
	switch {
	case errors.Is(err, hip.ErrSymbolNotFound), errors.Is(err, hip.ErrNotSupported):
		return nil
	case err != nil:
		return Failed("hipStreamGetDevice", err)
	case int32(d) != h.number:
		return &Refusal{ErrDeviceMismatch, fmt.Sprintf(
			"the stream belongs to device %d, not to %s; wrap it on its own device", d, h.info.Label)}
	}
	return nil
}

func (h *hipDevice) WaitEvent(s, e Object, external bool) error {
	if external {
		if err := mayWaitExternally(hip.Stream(s.Word)); err != nil {
			return err
		}
	}
	return h.gpu.WaitEvent(s, e, external)
}

// mayWaitExternally refuses an external wait behind captured work, where the runtime writes to
// memory that is not its own.
// fact: amd-external-wait-corrupts
func mayWaitExternally(s hip.Stream) error {
	_, _, _, _, nodes, err := hip.StreamGetCaptureInfoV2(s)
	switch {
	case err != nil:
		return Failed("hipStreamGetCaptureInfo_v2", err)
	case nodes > 0:
		return &Refusal{ErrUnsupported, "AMD's runtime damages memory when a capture waits for an " +
			"external event after other work; make the wait the first call on the stream in the " +
			"capture, or wait on the stream before each launch of the graph"}
	}
	return nil
}

func (h *hipDevice) Hold(s Object) (release func(error), err error) { return h.hold(h, s) }

// allocWords allocates one word: the runtime's memory for waits comes in that size.
// fact: amd-wait-value-memory
func (h *hipDevice) allocWords() (all []word, err error) {
	err = h.Enter(func() error {
		at, err := hip.ExtMallocWithFlags(8, hip.MallocSignalMemory)
		if err != nil {
			return Failed("hipExtMallocWithFlags", err)
		}
		all = wordsAt(at, uintptr(at), 1)
		return nil
	})
	return all, err
}
