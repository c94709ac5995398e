package event

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/hip"
)

// hipDevice is a device of the HIP runtime.
//
// The runtime has no contexts to speak of: what creates something, and the default stream, go by the thread's current device; explicit
// streams and events carry theirs. It checks no handles, so that nothing closed may reach it; asking about a captured event ends the capture, so
// that is never done; and its synchronize holds the event's lock, so waits are made of queries.
type hipDevice struct {
	deviceInfo
	device hip.Device
}

// openHIP finds the devices of the HIP runtime.
func openHIP() ([]*Device, error) {
	if err := hip.Available(); err != nil {
		return nil, err
	}
	n, err := hip.GetDeviceCount()
	if err != nil {
		return nil, err
	}
	var ds []*Device
	for i := range n {
		h := &hipDevice{device: hip.Device(i)}
		if err := h.describe(int(i)); err != nil {
			return nil, fmt.Errorf("describe device hip:%d: %w", i, err)
		}
		ds = append(ds, newDevice(h, streamHandle{}))
	}
	return ds, nil
}

// describe fills in what is known once and for all.
func (h *hipDevice) describe(ordinal int) (err error) {
	h.backend, h.ordinal = HIP, ordinal
	if h.name, err = hip.DeviceGetName(h.device); err != nil {
		return err
	}
	memory, err := hip.DeviceTotalMem(h.device)
	if err != nil {
		return err
	}
	h.memory = uint64(memory)
	if h.pci, err = hip.DeviceGetPCIBusId(int32(ordinal)); err != nil {
		return err
	}
	if uuid, err := hip.DeviceGetUuid(h.device); err == nil {
		h.uuid = uuid.Bytes
	}
	h.architecture = hipArchitecture(int32(ordinal))
	h.capabilities = CapTiming | CapCapture
	for symbol, capability := range map[string]Capability{
		"hipLaunchHostFunc":    CapHostFunc,
		"hipStreamWaitValue64": CapWaitValue,
	} {
		if hip.Has(symbol) {
			h.capabilities |= capability
		}
	}
	if runtime.GOOS == "linux" && hip.Has("hipIpcGetEventHandle") {
		h.capabilities |= CapIPC
	}
	return h.inside(func() error {
		least, greatest, err := hip.DeviceGetStreamPriorityRange()
		h.least, h.greatest = int(least), int(greatest)
		return err
	})
}

// hipArchitecture returns "gfx90a" of "gfx90a:sramecc+:xnack-"; "" on ROCm 5, which has an older layout of the properties.
func hipArchitecture(ordinal int32) string {
	p, err := hip.GetDeviceProperties(ordinal)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(text(p.GcnArchName[:]), ":")
	return name
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

// inside runs f with the device current.
func (h *hipDevice) inside(f func() error) error { return h.device.Do(f) }

// onStream makes a call that concerns a stream. Only the default stream goes by the current device.
func (h *hipDevice) onStream(s streamHandle, f func() error) error {
	if s.word <= 2 {
		return h.inside(f)
	}
	return f()
}

func (h *hipDevice) sync() error {
	return h.inside(func() error { return hipError("hipDeviceSynchronize", hip.DeviceSynchronize()) })
}

func (h *hipDevice) createStream(nonBlocking bool, priority int) (s streamHandle, err error) {
	var flags uint32
	if nonBlocking {
		flags = hip.StreamNonBlocking
	}
	err = h.inside(func() error {
		word, err := hip.StreamCreateWithPriority(flags, int32(priority))
		s.word = uintptr(word)
		return hipError("hipStreamCreateWithPriority", err)
	})
	return s, err
}

func (h *hipDevice) destroyStream(s streamHandle) error {
	return hipError("hipStreamDestroy", hip.StreamDestroy(hip.Stream(s.word)))
}

func (h *hipDevice) queryStream(s streamHandle) (bool, error) {
	err := h.onStream(s, func() error { return hip.StreamQuery(hip.Stream(s.word)) })
	if errors.Is(err, hip.ErrNotReady) {
		return false, nil
	}
	return err == nil, hipError("hipStreamQuery", err)
}

// syncStream asks in a loop: the runtime's own wait would keep other threads' calls on the stream out.
func (h *hipDevice) syncStream(s streamHandle) error {
	return waitFor(true, func() (bool, error) { return h.queryStream(s) })
}

func (h *hipDevice) waitEvent(s streamHandle, e eventHandle, _ bool) error {
	return hipError("hipStreamWaitEvent", h.onStream(s, func() error {
		return hip.StreamWaitEvent(hip.Stream(s.word), hip.Event(e.word), 0)
	}))
}

func (h *hipDevice) hostFunc(s streamHandle, f func() error) error {
	return hipError("hipLaunchHostFunc", h.onStream(s, func() error {
		return hip.LaunchHostFunc(hip.Stream(s.word), reportingFunc(f))
	}))
}

func (h *hipDevice) capturing(s streamHandle) (capturing bool, err error) {
	err = h.onStream(s, func() error {
		status, err := hip.StreamIsCapturing(hip.Stream(s.word))
		capturing = status != hip.StreamCaptureStatusNone
		return err
	})
	if errors.Is(err, hip.ErrStreamCaptureImplicit) { // the legacy default stream while another stream captures
		return false, nil
	}
	return capturing, hipError("hipStreamIsCapturing", err)
}

func (h *hipDevice) createEvent(f eventFlags) (e eventHandle, err error) {
	var flags uint32
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
		return hipError("hipEventCreateWithFlags", err)
	})
	return e, err
}

func (h *hipDevice) destroyEvent(e eventHandle) error {
	return hipError("hipEventDestroy", hip.EventDestroy(hip.Event(e.word)))
}

func (h *hipDevice) record(e eventHandle, s streamHandle, _ bool) error {
	if s.word > 2 {
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
	return e, err
}

func (h *hipDevice) notify(eventHandle, func(error)) bool { return false }

// pollerThread lets the poller ask while some thread captures in global mode, where the runtime would else refuse, and end that capture.
func (h *hipDevice) pollerThread() func() {
	mode := hip.StreamCaptureModeRelaxed
	if err := hip.ThreadExchangeStreamCaptureMode(&mode); err != nil { // mode is the previous one now
		return func() {}
	}
	return func() { _ = hip.ThreadExchangeStreamCaptureMode(&mode) }
}
