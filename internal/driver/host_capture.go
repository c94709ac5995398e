package driver

import (
	"errors"

	"github.com/gpuevent/gpuevent/internal/host"
)

// Captures on the host begin and end on the engine's queue itself: Object.Host is a *host.Queue.
// Call door.Captures first.

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

// captureError returns the error for a refusal because of a capture; nil if err is none.
func captureError(err error) error {
	if errors.Is(err, host.ErrCaptured) {
		return &Refusal{ErrCaptured, err.Error()}
	}
	return nil
}
