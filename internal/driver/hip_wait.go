package driver

import (
	"errors"
	"time"

	"github.com/gpuevent/gpuevent/internal/poll"
)

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

func (h *hipDevice) QueryStream(s Object) (done bool, err error) {
	done, err = h.gpu.QueryStream(s)
	if err == nil && h.foreign() {
		return h.passes(s)
	}
	return done, err
}

// foreign reports whether the runtime is not AMD's.
func (h *hipDevice) foreign() bool { return h.version < rocm50 }

// passes reports whether a stream reaches an event that is recorded now, almost at once. It is for
// runtimes whose answers about streams are wrong both ways.
// fact: chip-stream-query-wrong
func (h *hipDevice) passes(s Object) (done bool, err error) {
	const almostAtOnce, pause = 5 * time.Millisecond, 20 * time.Microsecond
	e, err := h.CreateEvent(EventFlags{})
	if err != nil {
		return false, err
	}
	if err = h.Record(e, s, false); err == nil {
		began := time.Now()
		done, err = h.QueryEvent(e)
		for !done && err == nil && time.Since(began) < almostAtOnce {
			time.Sleep(pause) // the runtime's threads need the processors
			done, err = h.QueryEvent(e)
		}
	}
	return done, joinLater(err, h.DestroyEvent(e))
}

// synced is the lane of the events of [hipDevice.SyncStream] on a stream.
type synced struct{ stream uintptr }

// SyncStream queries the stream, and waits for an event of its own if it is busy. The runtime's
// wait would block other threads' calls on the stream, and polling the stream until it is idle
// would never end while others add work. The poller queries the event as it does for every wait, so
// the latency is the same. Some releases refuse the query of a stream while another thread
// captures, but not the query of an event.
// fact: amd-relaxed-threads-heed
func (h *hipDevice) SyncStream(s Object) error {
	idle, err := h.QueryStream(s)
	if idle || err != nil && !errors.Is(err, ErrCapturing) {
		return err
	}
	if err != nil { // the stream itself may capture by now
		if capturing, captureErr := h.Capturing(s); capturing || captureErr != nil {
			return err
		}
	}
	e, err := h.CreateEvent(EventFlags{})
	if err != nil {
		return err
	}
	order := poll.Order{Lane: synced{s.Word}, Begin: h.syncs.Add(1)}
	if err = h.Record(e, s, false); err == nil {
		order.End = h.syncs.Load()
		// A runtime may call an idle stream busy, or the work may be done by now.
		h.Relaxed(func() { idle, err = h.QueryEvent(e) })
	}
	if err == nil && !idle {
		if IsPerThread(s.Word) { // many streams with one handle
			order = poll.Order{}
		}
		err = h.await(order, func() (bool, error) { return h.QueryEvent(e) })
	}
	return joinLater(err, h.DestroyEvent(e))
}
