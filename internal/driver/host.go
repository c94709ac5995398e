package driver

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/poll"
)

// hostDevice is this process as a device: streams run Go functions in order, events are stamped by
// the system's monotonic clock.
type hostDevice struct {
	info    Info
	engine  *host.Engine
	retired *poll.Poller
}

// OpenHost returns the one host device. It can't fail.
func OpenHost() ([]Driver, error) { return []Driver{NewHost(host.New(host.Options{}))}, nil }

// NewHost returns a host device for an engine.
func NewHost(engine *host.Engine) Driver {
	h := &hostDevice{engine: engine, retired: poll.New(func() {})}
	h.info = Info{
		Backend:      Host,
		Label:        Host,
		Name:         fmt.Sprintf("%d CPUs", runtime.NumCPU()),
		Architecture: runtime.GOARCH,
	}
	h.info.Memory, _, _ = hostMemory()
	return h
}

func (h *hostDevice) Info() *Info { return &h.info }

func (h *hostDevice) Can() Can {
	return CanTime | CanHostFunc | CanCapture | CanCaptureLaunch | CanRecordExternal
}

func (h *hostDevice) May() Can                  { return h.Can() }
func (h *hostDevice) Gone() bool                { return false }
func (h *hostDevice) Context() (uintptr, error) { return 0, nil }
func (h *hostDevice) DefaultStream() Object     { return Object{Host: h.engine.Default()} }

func (h *hostDevice) Priorities() (least, greatest int, err error) {
	least, greatest = h.engine.PriorityRange()
	return least, greatest, nil
}

func queue(s Object) *host.Queue { return s.Host.(*host.Queue) }
func mark(e Object) *host.Event  { return e.Host.(*host.Event) }

// hostError names the operation that failed.
func hostError(call string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, host.ErrCaptured) {
		return &Refusal{ErrCaptured, err.Error()}
	}
	e := &Error{Call: call, Code: err}
	switch {
	case errors.Is(err, host.ErrNotRecorded):
		e.Class = ErrHandle
	case errors.Is(err, host.ErrNotReady):
		e.Class = ErrNotReady
	case errors.Is(err, host.ErrCapturing):
		e.Class = ErrCapturing
	}
	return e
}

// Sync returns the device's failure. A stream's failure is not the device's, as on a GPU.
func (h *hostDevice) Sync() error {
	_ = h.engine.Sync()
	return hostError("host sync", h.engine.Err())
}

// Do just runs f: there is nothing to make current.
func (h *hostDevice) Do(f func()) error { f(); return nil }

// Fail fails the stream. How its function ends does not matter then.
func (h *hostDevice) Fail(s Object, err error) { queue(s).Fail(err) }

// Failure returns what the engine knows.
func (h *hostDevice) Failure(s Object) error {
	return hostError("host stream", queue(s).Err())
}

func (h *hostDevice) CreateStream(nonBlocking bool, priority int) (Object, error) {
	q, err := h.engine.NewQueue(host.QueueOptions{NonBlocking: nonBlocking, Priority: priority})
	return Object{Host: q}, hostError("host stream create", err)
}

func (h *hostDevice) DestroyStream(s Object) error {
	return hostError("host stream destroy", queue(s).Close())
}

func (h *hostDevice) Accepts(Object) error { return nil }

func (h *hostDevice) QueryStream(s Object) (bool, error) {
	done, err := queue(s).Query()
	if !done && err == nil {
		err = h.engine.Err() // the queue may not have it yet
	}
	return done && err == nil, hostError("host stream query", err)
}

func (h *hostDevice) Relaxed(f func()) { f() }

func (h *hostDevice) SyncStream(s Object) error {
	return hostError("host stream sync", queue(s).Sync())
}

func (h *hostDevice) HostFunc(s Object, f func() error, _ bool) error {
	return hostError("host function", queue(s).Do(f))
}

func (h *hostDevice) Hold(s Object) (release func(error), err error) {
	g, err := queue(s).Gate()
	return func(err error) {
		if err != nil {
			g.Fail(err)
		} else {
			g.Open()
		}
	}, hostError("host stream hold", err)
}

func (h *hostDevice) CreateEvent(f EventFlags) (Object, error) {
	return Object{Host: h.engine.NewEvent(host.EventOptions{Timing: f.Timing})}, nil
}

func (h *hostDevice) DestroyEvent(e Object) error {
	return hostError("host event destroy", mark(e).Close())
}

func (h *hostDevice) QueryEvent(e Object) (bool, error) {
	done, err := mark(e).Query()
	if !done && err == nil {
		err = h.engine.Err()
	}
	return done && err == nil, hostError("host event query", err)
}

// SyncEvent sleeps, whatever the event's flags: there is no device to spin for.
func (h *hostDevice) SyncEvent(e Object, _ bool) error {
	return hostError("host event sync", mark(e).Sync())
}

func (h *hostDevice) Elapsed(start, end Object, _ *float32) (time.Duration, error) {
	d, err := host.Elapsed(mark(start), mark(end))
	return d, hostError("host elapsed", err)
}

// ExportEvent is not reached: the host has no CanShare.
func (h *hostDevice) ExportEvent(Object) (d [DescriptorBytes]byte, err error) {
	return d, errNotShared
}

// ImportEvent refuses descriptors that name the host.
func (h *hostDevice) ImportEvent([DescriptorBytes]byte) (Object, error) {
	return Object{}, errNotShared
}

var errNotShared = errors.New("host: events are not shared between processes")

// Watch needs no poller: the engine calls back as each point is reached.
func (h *hostDevice) Watch(e Object, it *poll.Item) Watch {
	w := &told{task: it.Task}
	p, err := mark(e).Point()
	switch {
	case errors.Is(err, host.ErrNotRecorded): // there is nothing to wait for
		w.Done()
	case err != nil:
		w.task.End(hostError("host event", err))
	default:
		w.subscription = p.OnDone(func(err error) { w.task.End(hostError("host event", err)) })
	}
	return w
}

// told is a task that the engine ends.
type told struct {
	task         poll.Task
	subscription *host.Subscription
}

func (w *told) Stop() bool { return w.subscription.Stop() }

// Done ends the task. It may have ended already: on the host its End allows for that.
func (w *told) Done() {
	if w.subscription == nil || w.subscription.Stop() {
		w.task.End(nil)
	}
}

// Pending returns true: the engine ends a task that is over when it is watched, before Watch
// returns, so no order depends on it.
func (w *told) Pending() bool { return true }

// Loosen has nothing to do: the engine knows the order.
func (w *told) Loosen() {}

// Passed has nothing to do: the engine has ended all earlier tasks.
func (h *hostDevice) Passed(any, uint32) {}

// Retire polls the item.
func (h *hostDevice) Retire(it *poll.Item) { h.retired.Add(it) }

// Captures on the host begin and end on the queue itself. Call native.Stream.Export first.

// Capturing reports whether the queue is being captured.
func (h *hostDevice) Capturing(s Object) (bool, error) { return queue(s).Capturing(), nil }

// RecordUnlessCapturing asks and records in one step.
func (h *hostDevice) RecordUnlessCapturing(e, s Object) (Capture, error) {
	capturing, err := queue(s).RecordUnlessCapturing(mark(e))
	if capturing {
		return Capturing, nil
	}
	return NotCapturing, hostError("host event record", err)
}

// Record records; externally, in a capture, at each launch of the graph.
func (h *hostDevice) Record(e, s Object, external bool) (err error) {
	if external {
		err = queue(s).RecordExternal(mark(e))
	} else {
		_, err = queue(s).Record(mark(e))
	}
	return hostError("host event record", err)
}

// WaitEvent makes the stream wait; externally, in a capture, at each launch of the graph.
func (h *hostDevice) WaitEvent(s, e Object, external bool) (err error) {
	if external {
		err = queue(s).WaitExternal(mark(e))
	} else {
		err = queue(s).WaitEvent(mark(e))
	}
	return hostError("host stream wait", err)
}

// Memory returns the machine's memory.
func (h *hostDevice) Memory() (total, free uint64, err error) {
	total, free, ok := hostMemory()
	if !ok {
		return 0, 0, &Refusal{ErrUnsupported,
			"the memory of the machine is known on Linux and Windows only"}
	}
	return total, free, nil
}
