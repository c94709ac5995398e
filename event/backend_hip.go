package event

import (
	"errors"
	"runtime"
	"time"

	"github.com/gpuevent/gpuevent/hip"
)

// hipDevice is a device of the HIP runtime.
//
// The runtime has no contexts to speak of: what creates something, and the default stream, go by the thread's current device; explicit
// streams and events carry theirs. It checks no handles, so that nothing closed may reach it; asking about a captured event ends the capture, so
// that is never done; its synchronize holds the object's lock and keeps other threads out, so waits are made of queries; and its last
// error belongs to the user, so it is never read.
type hipDevice struct {
	deviceInfo
	device hip.Device
}

func (h *hipDevice) info() *deviceInfo { return &h.deviceInfo }

func (h *hipDevice) context() (uintptr, error) { return 0, nil }

// hipError names the call that failed.
func hipError(call string, err error) error {
	if err == nil {
		return nil
	}
	e := &callError{call: call, code: err}
	switch {
	case errors.Is(err, hip.ErrInvalidHandle):
		e.class = errHandle
	case errors.Is(err, hip.ErrNotReady):
		e.class = errNotReady
	}
	return e
}

// inside runs f with the device current, and gives the thread its own back. That is tried twice, for a thread left on another
// device would harm somebody who knows nothing of us.
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
	switch {
	case restoreErr == nil:
		return err
	case err == nil:
		return restoreError{&callError{call: "hipSetDevice", code: restoreErr}}
	}
	return errors.Join(err, hipError("hipSetDevice", restoreErr))
}

// onStream makes a call that concerns a stream. Only the default stream goes by the current device.
func (h *hipDevice) onStream(s streamHandle, f func() error) error {
	if s.word <= perThread {
		return h.inside(f)
	}
	return f()
}

func (h *hipDevice) priorities() (least, greatest int, err error) {
	err = h.inside(func() error {
		l, g, err := hip.DeviceGetStreamPriorityRange()
		least, greatest = int(l), int(g)
		return hipError("hipDeviceGetStreamPriorityRange", err)
	})
	return least, greatest, err
}

func (h *hipDevice) sync() error {
	return h.inside(func() error { return hipError("hipDeviceSynchronize", hip.DeviceSynchronize()) })
}

func (h *hipDevice) createStream(nonBlocking bool, priority int) (s streamHandle, err error) {
	flags := hip.StreamDefault
	if nonBlocking {
		flags = hip.StreamNonBlocking
	}
	err = h.inside(func() error {
		word, err := hip.StreamCreateWithPriority(flags, int32(priority))
		s.word = uintptr(word)
		return hipError("hipStreamCreateWithPriority", err)
	})
	if err != nil && s.word != 0 { // nobody will hear of it
		err = errors.Join(err, h.destroyStream(s))
	}
	return s, err
}

func (h *hipDevice) destroyStream(s streamHandle) error {
	return hipError("hipStreamDestroy", hip.StreamDestroy(hip.Stream(s.word)))
}

func (h *hipDevice) queryStream(s streamHandle) (done bool, err error) {
	err = h.onStream(s, func() error {
		done, err = hipDone("hipStreamQuery", hip.StreamQuery(hip.Stream(s.word)))
		return err
	})
	return done && err == nil, err
}

// hipDone is the answer to a query.
func hipDone(call string, err error) (bool, error) {
	if errors.Is(err, hip.ErrNotReady) {
		return false, nil
	}
	return err == nil, hipError(call, err)
}

// syncStream waits for an event of its own: the runtime's wait would keep other threads' calls on the stream out, and to ask the stream
// until it is idle would never end while others add work.
func (h *hipDevice) syncStream(s streamHandle) error {
	e, err := h.createEvent(eventFlags{})
	if err != nil {
		return err
	}
	if err = h.record(e, s, false); err == nil {
		err = h.syncEvent(e, true)
	}
	if destroyErr := h.destroyEvent(e); destroyErr != nil {
		return errors.Join(err, destroyErr)
	}
	return err
}

func (h *hipDevice) waitEvent(s streamHandle, e eventHandle, _ bool) error {
	return h.onStream(s, func() error {
		return hipError("hipStreamWaitEvent", hip.StreamWaitEvent(hip.Stream(s.word), hip.Event(e.word), 0))
	})
}

func (h *hipDevice) hostFunc(s streamHandle, f func() error, repeat bool) error {
	return h.onStream(s, func() error {
		if repeat { // as for CUDA, the registration stays
			return hipError("hipLaunchHostFunc", hip.LaunchHostFuncRef(hip.Stream(s.word), hip.NewHostFn(reportingFunc(f))))
		}
		return hipError("hipLaunchHostFunc", hip.LaunchHostFunc(hip.Stream(s.word), reportingFunc(f)))
	})
}

func (h *hipDevice) capturing(s streamHandle) (capturing bool, err error) {
	err = h.onStream(s, func() error {
		status, err := hip.StreamIsCapturing(hip.Stream(s.word))
		capturing = status != hip.StreamCaptureStatusNone
		if errors.Is(err, hip.ErrStreamCaptureImplicit) { // the legacy default stream while another stream captures
			capturing, err = false, nil
		}
		return hipError("hipStreamIsCapturing", err)
	})
	return capturing, err
}

func (h *hipDevice) createEvent(f eventFlags) (e eventHandle, err error) {
	flags := hip.EventDefault
	if !f.timing {
		flags |= hip.EventDisableTiming
	}
	if f.blocking {
		flags |= hip.EventBlockingSync
	}
	if f.ipc {
		flags |= hip.EventInterprocess
	}
	switch f.fence {
	case FenceDevice:
		flags |= hip.EventReleaseToDevice
	case FenceSystem:
		flags |= hip.EventReleaseToSystem
	case FenceNone:
		flags |= hip.EventDisableSystemFence
	}
	err = h.inside(func() error {
		word, err := hip.EventCreateWithFlags(flags)
		e.word = uintptr(word)
		if f.fence != FenceDefault && errors.Is(err, hip.ErrInvalidValue) {
			return &Error{"Device.NewEvent", h.label, ErrUnsupported, "this release of ROCm does not know " + f.fence.String() + "; leave WithFence out"}
		}
		return hipError("hipEventCreateWithFlags", err)
	})
	return h.orDestroy(e, err)
}

// orDestroy destroys an event that was created for nothing.
func (h *hipDevice) orDestroy(e eventHandle, err error) (eventHandle, error) {
	if err != nil && e.word != 0 {
		err = errors.Join(err, h.destroyEvent(e))
	}
	return e, err
}

func (h *hipDevice) destroyEvent(e eventHandle) error {
	return hipError("hipEventDestroy", hip.EventDestroy(hip.Event(e.word)))
}

// record never needs the newer hipEventRecordWithFlags: its one flag, external, is not supported on AMD.
func (h *hipDevice) record(e eventHandle, s streamHandle, _ bool) error {
	if s.word > perThread {
		return hipError("hipEventRecord", hip.EventRecord(hip.Event(e.word), hip.Stream(s.word)))
	}
	return h.inside(func() error {
		return hipError("hipEventRecord", hip.EventRecord(hip.Event(e.word), hip.Stream(s.word)))
	})
}

func (h *hipDevice) queryEvent(e eventHandle) (bool, error) {
	switch err := hip.EventQuery(hip.Event(e.word)); err {
	case nil:
		return true, nil
	case hip.ErrNotReady:
		return false, nil
	default:
		return false, hipError("hipEventQuery", err)
	}
}

// syncEvent asks in a loop: hipEventSynchronize holds the event's lock for as long as it waits, and keeps every query out.
func (h *hipDevice) syncEvent(e eventHandle, blocking bool) error {
	return waitFor(blocking, func() (bool, error) { return h.queryEvent(e) })
}

func (h *hipDevice) elapsed(start, end eventHandle) (time.Duration, error) {
	ms, err := hip.EventElapsedTime(hip.Event(start.word), hip.Event(end.word))
	if err != nil {
		return 0, hipError("hipEventElapsedTime", err)
	}
	return milliseconds(ms), nil
}

func (h *hipDevice) exportEvent(e eventHandle) (raw [descriptorBytes]byte, err error) {
	err = h.inside(func() error {
		handle, err := hip.IpcGetEventHandle(hip.Event(e.word))
		raw = ipcBytes(handle)
		return hipError("hipIpcGetEventHandle", err)
	})
	return raw, err
}

func (h *hipDevice) importEvent(raw [descriptorBytes]byte) (e eventHandle, err error) {
	err = h.inside(func() error {
		word, err := hip.IpcOpenEventHandle(ipcHandle[hip.IpcEventHandle](raw))
		e.word = uintptr(word)
		return hipError("hipIpcOpenEventHandle", err)
	})
	return h.orDestroy(e, err)
}

func (h *hipDevice) notify(eventHandle, func(error)) func() { return nil }

func (h *hipDevice) relax() func() {
	mode := hip.StreamCaptureModeRelaxed
	if err := hip.ThreadExchangeStreamCaptureMode(&mode); err != nil { // mode is the previous one now
		return func() {}
	}
	return func() { _ = hip.ThreadExchangeStreamCaptureMode(&mode) }
}
