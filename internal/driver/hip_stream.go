package driver

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/poll"
)

func (h *hipDevice) Priorities() (least, greatest int, err error) {
	err = h.inside(func() error {
		l, g, err := hip.DeviceGetStreamPriorityRange()
		least, greatest = int(l), int(g)
		return hipError("hipDeviceGetStreamPriorityRange", err)
	})
	return least, greatest, err
}

func (h *hipDevice) CreateStream(nonBlocking bool, priority int) (s Object, err error) {
	flags := hip.StreamDefault
	if nonBlocking {
		flags = hip.StreamNonBlocking
	}
	err = h.inside(func() error {
		word, err := hip.StreamCreateWithPriority(flags, int32(priority))
		s.Word = uintptr(word)
		return hipError("hipStreamCreateWithPriority", err)
	})
	if err != nil && s.Word != 0 { // the caller gets no handle
		err = joinLater(err, h.DestroyStream(s))
	}
	return s, err
}

func (h *hipDevice) DestroyStream(s Object) error {
	return hipError("hipStreamDestroy", hip.StreamDestroy(hip.Stream(s.Word)))
}

// Accepts queries the stream's device, if the runtime can.
func (h *hipDevice) Accepts(s Object) error {
	if s.Word <= perThread {
		return nil
	}
	d, err := hip.StreamGetDevice(hip.Stream(s.Word))
	switch {
	case errors.Is(err, hip.ErrSymbolNotFound), errors.Is(err, hip.ErrNotSupported):
		return nil
	case err != nil:
		return hipError("hipStreamGetDevice", err)
	case d != h.device:
		return &Refusal{ErrDeviceMismatch, fmt.Sprintf(
			"the stream belongs to device %d, not to %s; wrap it on its own device", d, h.info.Label)}
	}
	return nil
}

func (h *hipDevice) QueryStream(s Object) (done bool, err error) {
	if s.Word > perThread {
		return hipDone("hipStreamQuery", hip.StreamQuery(hip.Stream(s.Word)))
	}
	return h.enter(1).query(&hipStreamQuery, s.Word)
}

func (h *hipDevice) Relaxed(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mode := hip.StreamCaptureModeRelaxed
	if hip.ThreadExchangeStreamCaptureMode(&mode) == nil { // mode is now the previous one
		defer func() { _ = hip.ThreadExchangeStreamCaptureMode(&mode) }()
	}
	f()
}

// synced is the lane of the events of [hipDevice.SyncStream] on a stream.
type synced struct{ stream uintptr }

// SyncStream queries the stream, and waits for an event of its own if it is busy. The runtime's
// wait would block other threads' calls on the stream, and polling the stream until it is idle
// would never end while others add work. The poller queries the event as it does for every wait, so
// the latency is the same.
func (h *hipDevice) SyncStream(s Object) error {
	var idle bool
	var err error
	h.Relaxed(func() { idle, err = h.QueryStream(s) })
	if idle || err != nil {
		return err
	}
	e, err := h.CreateEvent(EventFlags{})
	if err != nil {
		return err
	}
	order := poll.Order{Lane: synced{s.Word}, Begin: h.syncs.Add(1)}
	if err = h.Record(e, s, false); err == nil {
		order.End = h.syncs.Load()
		if IsPerThread(s.Word) { // many streams with one handle
			order = poll.Order{}
		}
		err = h.await(order, func() (bool, error) { return h.QueryEvent(e) })
	}
	return joinLater(err, h.DestroyEvent(e))
}

func (h *hipDevice) WaitEvent(s, e Object, external bool) error {
	flags := hip.EventWaitDefault
	if external {
		flags = hip.EventWaitExternal
	}
	if s.Word > perThread {
		return hipError("hipStreamWaitEvent",
			hip.StreamWaitEvent(hip.Stream(s.Word), hip.Event(e.Word), flags))
	}
	return h.callInside(&hipStreamWaitEvent, s.Word, e.Word, uintptr(flags))
}

func (h *hipDevice) HostFunc(s Object, f func() error, repeat bool) error {
	return h.onStream(s, func() error {
		if repeat { // as for CUDA, the registration stays
			fn := hip.NewHostFn(ignoring(f))
			return hipError("hipLaunchHostFunc", hip.LaunchHostFuncRef(hip.Stream(s.Word), fn))
		}
		return hipError("hipLaunchHostFunc",
			hip.LaunchHostFunc(hip.Stream(s.Word), ignoring(f)))
	})
}

// Hold makes the stream wait for a value in memory if it can: that occupies no thread.
func (h *hipDevice) Hold(s Object) (release func(error), err error) {
	if !h.Can().Has(CanWaitValue) {
		return holdByFunc(h, s)
	}
	return h.words.hold(func(device uintptr, number uint64) error {
		return h.onStream(s, func() error {
			return hipError("hipStreamWaitValue64", hip.StreamWaitValue64(hip.Stream(s.Word),
				wordAddress(device), number, hip.StreamWaitValueGte, ^uint64(0)))
		})
	})
}

// allocWords allocates one word: the runtime's memory for waits comes in that size.
// fact: amd-wait-value-memory
func (h *hipDevice) allocWords() (all []word, err error) {
	err = h.inside(func() error {
		at, err := hip.ExtMallocWithFlags(8, hip.MallocSignalMemory)
		if err != nil {
			return hipError("hipExtMallocWithFlags", err)
		}
		all = wordsAt(at, uintptr(at), 1)
		return nil
	})
	return all, err
}

func (h *hipDevice) Capturing(s Object) (capturing bool, err error) {
	if IsDefaultStream(s.Word) {
		return false, nil
	}
	if s.Word > perThread {
		status, statusErr := hip.StreamIsCapturing(hip.Stream(s.Word))
		capturing = status != hip.StreamCaptureStatusNone
		err = hipError("hipStreamIsCapturing", statusErr)
	} else {
		capturing, err = h.enter(1).isCapturing(s)
	}
	if errors.Is(err, ErrUnsupported) || errors.Is(err, hip.ErrSymbolNotFound) {
		return false, nil // a runtime without captures. fact: chip-is-capturing-unsupported
	}
	return capturing, err
}
