package event

import (
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/native"
)

// CUDAStream returns the native stream for use with cudrv. It is 0 only for the default stream. A
// closed stream is refused with [ErrClosed] and one of another backend with [ErrBackendMismatch],
// never returned as 0: a driver would take that for the default stream.
//
// The native stream still belongs to this stream: don't destroy it, and keep this stream alive
// while the native one is used.
//
// Captures can begin on the native stream. From the first call on, each record therefore queries
// the driver whether one is in progress.
func (s *Stream) CUDAStream() (cudrv.Stream, error) {
	word, err := s.give("Stream.CUDAStream", CUDA)
	return cudrv.Stream(word), err
}

// HIPStream returns the native stream for use with hip, on the same terms as [Stream.CUDAStream].
func (s *Stream) HIPStream() (hip.Stream, error) {
	word, err := s.give("Stream.HIPStream", HIP)
	return hip.Stream(word), err
}

// CUDAEvent returns the native event for use with cudrv. It is 0 only with an error. A closed event
// is refused with [ErrClosed], one of another backend with [ErrBackendMismatch]. A [DriverError]
// means that a new native event was needed and could not be created.
//
// The native event still belongs to this event: don't destroy it, and keep this event alive while
// the native one is used.
//
// Others can record the native event too. From the first call on, the driver is therefore queried
// each time, and waits are for the newest of all records. After more than 10 ms a wait may return
// up to a millisecond late, since earlier work no longer shows when to query.
func (e *Event) CUDAEvent() (cudrv.Event, error) {
	word, err := e.give("Event.CUDAEvent", CUDA)
	return cudrv.Event(word), err
}

// HIPEvent returns the native event for use with hip, on the same terms as [Event.CUDAEvent].
//
// Don't record the native event of an event created [WithIPC], or of an imported one, on a stream
// that waits for it, or behind that stream's work. Such a wait ends when a query says done, and a
// query is for the newest record, so the record would wait for itself. [Event.Record] is safe.
func (e *Event) HIPEvent() (hip.Event, error) {
	word, err := e.give("Event.HIPEvent", HIP)
	return hip.Event(word), err
}

// give returns the native stream, and notes that its handle was exported.
func (s *Stream) give(op string, b Backend) (uintptr, error) {
	if err := s.enter(op); err != nil {
		return 0, err
	}
	defer s.native.Release()
	if s.Backend() != b {
		return 0, notOf(op, s, s.Backend(), "Stream")
	}
	s.native.Export()
	return s.native.Object.Word, nil
}

// give returns the native event, and notes that its handle was exported.
func (e *Event) give(op string, b Backend) (uintptr, error) {
	if e.isNil() {
		return 0, nilEvent(op)
	}
	last, ok := e.rec.look() // keeps others from recording it
	if !ok {
		return 0, e.closedError(op)
	}
	defer e.unlook()
	if e.Backend() != b {
		return 0, notOf(op, e, e.Backend(), "Event")
	}
	if !e.rec.has(flagShared) {
		// The old record of a reused event would be visible.
		if h := e.native.Load(); last.unrecorded() && h.Has(native.Reused) {
			fresh, err := e.home.native.CreateNewEvent(e.flags)
			if err != nil {
				return 0, failed(op, e, err)
			}
			e.exchange(h, fresh)
		}
		e.share()
	}
	return e.native.Load().Object.Word, nil
}

// notOf returns the error for a native handle of the wrong backend.
func notOf(op string, object named, is Backend, what string) error {
	remedy := "the host's objects have no native handles"
	switch is {
	case CUDA:
		remedy = "it belongs to cuda; use CUDA" + what
	case HIP:
		remedy = "it belongs to hip; use HIP" + what
	}
	return &Error{op, object.String(), ErrBackendMismatch, remedy}
}
