package event

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gpuevent/gpuevent/internal/host"
)

// hostDevice is this process as a device: streams run Go functions in order, events are stamped by the system's monotonic clock.
type hostDevice struct {
	deviceInfo
	engine *host.Engine
}

// openHost makes the one host device. It can't fail.
func openHost() ([]*Device, error) { return []*Device{newHostDevice(host.New(host.Options{}))}, nil }

func newHostDevice(engine *host.Engine) *Device {
	h := &hostDevice{engine: engine}
	h.backend, h.label, h.name, h.architecture = Host, "host[0]", fmt.Sprintf("%d CPUs", runtime.NumCPU()), runtime.GOARCH
	h.memory = hostMemory()
	h.capabilities = CapTiming | CapHostFunc
	switch runtime.GOOS {
	case "linux", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly":
		h.capabilities |= CapIPC
	}
	return newDevice(h, streamHandle{host: h.engine.Default()})
}

func (h *hostDevice) info() *deviceInfo { return &h.deviceInfo }

func (h *hostDevice) context() (uintptr, error) { return 0, nil }

func (h *hostDevice) priorities() (least, greatest int, err error) {
	least, greatest = h.engine.PriorityRange()
	return least, greatest, nil
}

// hostError names the operation that failed.
func hostError(call string, err error) error {
	if err == nil {
		return nil
	}
	e := &callError{call: call, code: err}
	switch {
	case errors.Is(err, host.ErrNotRecorded):
		e.class = errHandle
	case errors.Is(err, host.ErrNotReady):
		e.class = errNotReady
	}
	return e
}

func (h *hostDevice) sync() error { return hostError("host sync", h.engine.Sync()) }

func (h *hostDevice) createStream(nonBlocking bool, priority int) (streamHandle, error) {
	q, err := h.engine.NewQueue(host.QueueOptions{NonBlocking: nonBlocking, Priority: priority})
	return streamHandle{host: q}, hostError("host stream create", err)
}

func (h *hostDevice) destroyStream(s streamHandle) error {
	return hostError("host stream destroy", s.host.Close())
}

func (h *hostDevice) queryStream(s streamHandle) (bool, error) {
	done, err := s.host.Query()
	if !done && err == nil {
		err = h.engine.Err() // the queue may not have heard of it yet
	}
	return done && err == nil, hostError("host stream query", err)
}

func (h *hostDevice) syncStream(s streamHandle) error {
	return hostError("host stream sync", s.host.Sync())
}

func (h *hostDevice) waitEvent(s streamHandle, e eventHandle, _ bool) error {
	return hostError("host stream wait", s.host.WaitEvent(e.host))
}

func (h *hostDevice) hostFunc(s streamHandle, f func() error, _ bool) error {
	return hostError("host function", s.host.Do(f))
}

func (h *hostDevice) capturing(streamHandle) (bool, error) { return false, nil }

func (h *hostDevice) createEvent(f eventFlags) (eventHandle, error) {
	e, err := h.engine.NewEvent(host.EventOptions{Timing: f.timing, IPC: f.ipc})
	return eventHandle{host: e}, hostError("host event create", err)
}

func (h *hostDevice) destroyEvent(e eventHandle) error {
	return hostError("host event destroy", e.host.Close())
}

func (h *hostDevice) record(e eventHandle, s streamHandle, _ bool) error {
	_, err := s.host.Record(e.host)
	return hostError("host event record", err)
}

func (h *hostDevice) queryEvent(e eventHandle) (bool, error) {
	done, err := e.host.Query()
	if !done && err == nil {
		err = h.engine.Err()
	}
	return done && err == nil, hostError("host event query", err)
}

// syncEvent sleeps whether or not the event is a blocking one: there is no device to spin for.
func (h *hostDevice) syncEvent(e eventHandle, _ bool) error {
	return hostError("host event sync", e.host.Sync())
}

func (h *hostDevice) elapsed(start, end eventHandle) (time.Duration, error) {
	d, err := host.Elapsed(start.host, end.host)
	return d, hostError("host elapsed", err)
}

func (h *hostDevice) exportEvent(e eventHandle) ([descriptorBytes]byte, error) {
	d, err := e.host.Descriptor()
	return [descriptorBytes]byte(d), hostError("host event export", err)
}

func (h *hostDevice) importEvent(raw [descriptorBytes]byte) (eventHandle, error) {
	e, err := h.engine.OpenEvent(raw[:])
	if errors.Is(err, host.ErrIPCDescriptor) {
		return eventHandle{}, &Error{"Device.ImportEvent", h.label, ErrInvalidDescriptor, err.Error()}
	}
	return eventHandle{host: e}, hostError("host event import", err)
}

// notify needs no poller: the engine tells of every point as it is reached.
func (h *hostDevice) notify(e eventHandle, f func(error)) (stop func()) {
	p, err := e.host.Point()
	switch {
	case errors.Is(err, host.ErrNotRecorded): // by another process, who has not recorded it yet: nothing to wait for
		f(nil)
		return func() {}
	case err != nil:
		f(hostError("host event", err))
		return func() {}
	}
	s := p.OnDone(func(err error) { f(hostError("host event", err)) })
	return func() { s.Stop() }
}

func (h *hostDevice) relax() func() { return func() {} }
