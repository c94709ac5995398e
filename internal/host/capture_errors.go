package host

import "errors"

// Errors of captures and graphs. A capture that is invalid refuses everything with
// ErrCaptureInvalid and the cause.
var (
	// ErrCapturing: the operation would need an answer of a queue that only collects work.
	ErrCapturing = errors.New("host: queue is being captured; end the capture first")
	// ErrCaptured: the event's newest record is a place in a graph.
	ErrCaptured = errors.New("host: event was recorded in a capture, which is a place in a graph " +
		"and not in time; record it outside a capture")
	ErrCaptureBegun = errors.New("host: queue is being captured already; end that capture first")
	ErrNotCapturing = errors.New("host: queue is not being captured; begin a capture first")
	ErrCaptureOther = errors.New("host: capture did not begin on this queue; end it on the queue " +
		"that it began on")
	ErrCaptureDefault = errors.New("host: the default queue can't be captured; use another queue")
	ErrCaptureInvalid = errors.New("host: capture is invalid; end it and begin another")
	// ErrIsolation makes the capture invalid.
	ErrIsolation = errors.New("host: a captured queue can't wait for work outside the capture; " +
		"wait before the capture begins, or for an external event")
	// ErrMerge makes both captures invalid.
	ErrMerge    = errors.New("host: a queue can't take part in two captures; end one first")
	ErrUnjoined = errors.New("host: capture has work on a queue that was not joined back; make " +
		"the queue that the capture began on wait for that queue's last work")
	ErrCapturedClosed = errors.New("host: a captured queue was closed")

	ErrNode  = errors.New("host: node is not a function of this graph")
	ErrShape = errors.New("host: graphs differ in shape; use the other graph instead")

	// errAside: the queue is being captured, so the operation takes another way.
	errAside = errors.New("host: queue is being captured")
)
