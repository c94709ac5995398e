package driver

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/poll"
)

// hipDevice is a device of the HIP runtime.
//
// The runtime has no contexts in practice: calls that create objects and calls on the default
// stream depend on the thread's current device; explicit streams and events carry theirs. It does
// not check handles, so nothing closed may reach it. Its synchronize calls hold the object's lock
// and block other threads, so waiting is implemented by polling. Its last error belongs to the user
// and is never read.
type hipDevice struct {
	info Info
	polling
	device     hip.Device
	version    int32 // of the runtime: 60443484 is 6.4
	generation uint64
	words      words
	syncs      atomic.Uint32 // numbers for the events of SyncStream

	trying sync.Mutex
	tried  atomic.Bool   // the next one is known
	can    atomic.Uint32 // a Can
}

func (h *hipDevice) Info() *Info           { return &h.info }
func (h *hipDevice) Gone() bool            { return libs.HIP.Generation() != h.generation }
func (h *hipDevice) DefaultStream() Object { return Object{} }

// Context is 0: HIP has no contexts.
func (h *hipDevice) Context() (uintptr, error) { return 0, nil }

// hipError names the call that failed.
func hipError(call string, err error) error {
	if err == nil {
		return nil
	}
	e := called(call, err)
	switch {
	case errors.Is(err, hip.ErrInvalidHandle):
		e.Class = ErrHandle
	case errors.Is(err, hip.ErrNotReady):
		e.Class = ErrNotReady
	case errors.Is(err, hip.ErrInvalidContext):
		e.Class = ErrContext
	case errors.Is(err, hip.ErrNotSupported):
		e.Class = ErrUnsupported
	case errors.Is(err, hip.ErrStreamCaptureUnsupported),
		errors.Is(err, hip.ErrStreamCaptureIsolation):
		e.Class = ErrCapturing
	}
	return e
}

// hipDone is the answer to a query.
func hipDone(call string, err error) (bool, error) {
	if errors.Is(err, hip.ErrNotReady) {
		return false, nil
	}
	return err == nil, hipError(call, err)
}

// inside runs f with the device current, and restores the thread's own. It is for more than
// [hipDevice.enter] can do.
func (h *hipDevice) inside(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	previous, err := hip.GetDevice()
	if err != nil {
		return hipError("hipGetDevice", err)
	}
	if previous == int32(h.device) {
		return f()
	}
	if err := hip.SetDevice(int32(h.device)); err != nil {
		return hipError("hipSetDevice", err)
	}
	err = f()
	if hip.SetDevice(previous) == nil {
		return err
	}
	restoreErr := hip.SetDevice(previous)
	if restoreErr == nil {
		return err
	}
	return notRestored("hipSetDevice", restoreErr, err,
		amd.stays(uintptr(h.device), uintptr(previous)))
}

// Do is inside for users' functions, which may panic or call Goexit.
func (h *hipDevice) Do(f func()) error {
	return hipError("hip.Device.Do", h.device.Do(func() error { f(); return nil }))
}

// onStream makes a call on a stream. Only the default stream depends on the current device.
func (h *hipDevice) onStream(s Object, f func() error) error {
	if s.Word <= perThread {
		return h.inside(f)
	}
	return f()
}

func (h *hipDevice) Sync() error {
	return h.inside(func() error { return hipError("hipDeviceSynchronize", hip.DeviceSynchronize()) })
}

func (h *hipDevice) CreateEvent(f EventFlags) (e Object, err error) {
	flags := hip.EventDefault
	if !f.Timing {
		flags |= hip.EventDisableTiming
	}
	if f.Blocking {
		flags |= hip.EventBlockingSync
	}
	if f.IPC {
		flags |= hip.EventInterprocess
	}
	switch f.Fence {
	case FenceDevice:
		flags |= hip.EventReleaseToDevice
	case FenceSystem:
		flags |= hip.EventReleaseToSystem
	case FenceNone:
		flags |= hip.EventDisableSystemFence
	}
	x := h.enter(1)
	word, at := x.word()
	create := x.call(&hipEventCreateWithFlags, at, uintptr(flags), 0)
	err = x.run()
	e.Word = *word
	if f.Fence != FenceDefault && create.State == ccall.Failed &&
		hip.Result(create.Code) == hip.ErrInvalidValue {
		err = &Refusal{ErrUnsupported, fmt.Sprintf(
			"this release of ROCm does not know %v; leave WithFence out", f.Fence)}
	}
	return h.orDestroy(e, x.end(err))
}

// orDestroy destroys an event that was created for nothing.
func (h *hipDevice) orDestroy(e Object, err error) (Object, error) {
	if err != nil && e.Word != 0 {
		err = joinLater(err, h.DestroyEvent(e))
	}
	return e, err
}

func (h *hipDevice) DestroyEvent(e Object) error {
	return hipError("hipEventDestroy", hip.EventDestroy(hip.Event(e.Word)))
}

func (h *hipDevice) Record(e, s Object, external bool) error {
	if s.Word > perThread {
		if external {
			return hipError("hipEventRecordWithFlags", hip.EventRecordWithFlags(
				hip.Event(e.Word), hip.Stream(s.Word), hip.EventRecordExternal))
		}
		return hipError("hipEventRecord", hip.EventRecord(hip.Event(e.Word), hip.Stream(s.Word)))
	}
	if external {
		return h.callInside(&hipEventRecordWithFlags, e.Word, s.Word,
			uintptr(hip.EventRecordExternal))
	}
	return h.callInside(&hipEventRecord, e.Word, s.Word, 0)
}

func (h *hipDevice) RecordUnlessCapturing(e, s Object) (Capture, error) {
	if _, err := hipStreamIsCapturing.Addr(); IsDefaultStream(s.Word) || err != nil {
		return NotCapturing, h.Record(e, s, false)
	}
	var x *visit
	if IsPerThread(s.Word) {
		x = h.enter(2)
	} else {
		x = amd.begin(2)
	}
	capture, err := x.recordUnlessCapturing(e, s)
	if capture == CaptureUnknown && errors.Is(err, ErrUnsupported) {
		return NotCapturing, h.Record(e, s, false) // as for Capturing
	}
	return capture, err
}

func (h *hipDevice) QueryEvent(e Object) (bool, error) {
	switch err := hip.EventQuery(hip.Event(e.Word)); err {
	case nil:
		return true, nil
	case hip.ErrNotReady:
		return false, nil
	default:
		return false, hipError("hipEventQuery", err)
	}
}

// SyncEvent queries in a loop, or through the poller: hipEventSynchronize holds the event's lock
// while it waits, and blocks every query.
// fact: amd-event-lock
func (h *hipDevice) SyncEvent(e Object, blocking bool) error {
	ask := func() (bool, error) { return h.QueryEvent(e) }
	if blocking {
		return h.await(poll.Order{}, ask)
	}
	return Spin(ask)
}

func (h *hipDevice) Elapsed(start, end Object, ms *float32) (time.Duration, error) {
	if err := amd.elapsed(&hipEventElapsedTime, start, end, ms); err != nil {
		return 0, err
	}
	return milliseconds(*ms), nil
}

func (h *hipDevice) ExportEvent(e Object) (raw [DescriptorBytes]byte, err error) {
	err = h.inside(func() error {
		handle, err := hip.IpcGetEventHandle(hip.Event(e.Word))
		raw = ipcBytes(handle)
		return hipError("hipIpcGetEventHandle", err)
	})
	return raw, err
}

func (h *hipDevice) ImportEvent(raw [DescriptorBytes]byte) (e Object, err error) {
	err = h.inside(func() error {
		word, err := hip.IpcOpenEventHandle(ipcHandle[hip.IpcEventHandle](raw))
		e.Word = uintptr(word)
		return hipError("hipIpcOpenEventHandle", err)
	})
	return h.orDestroy(e, ownDescriptor(err))
}

// relaxCaptureHIP exempts the thread from the captures of others. A runtime that lacks the call has
// no captures.
func relaxCaptureHIP() {
	mode := hip.StreamCaptureModeRelaxed
	_ = hip.ThreadExchangeStreamCaptureMode(&mode)
}
