package host

import (
	"errors"
	"fmt"
)

// Errors of events, points and queues.
var (
	ErrNil         = errors.New("host: nil object; create it with its engine's New function")
	ErrClosed      = errors.New("host: object is closed; create a new one")
	ErrOtherEngine = errors.New("host: objects belong to different engines; record and measure " +
		"an event on its own engine")
	ErrNotRecorded    = errors.New("host: event has never been recorded; record it first")
	ErrNotReady       = errors.New("host: event is not complete; synchronize it first")
	ErrTimingDisabled = errors.New("host: event has no timing; create it with Timing")
	ErrPriority       = errors.New("host: queue priority is outside the engine's range")
	ErrDefaultQueue   = errors.New("host: the default queue lives as long as its engine and can't " +
		"be closed")
	ErrDeviceFailed = errors.New("host: device failed")
	ErrGoexit       = errors.New("host: queued function ended its goroutine with runtime.Goexit")
)

// PanicError is the failure of a queue whose function panicked.
type PanicError struct {
	Value any    // what the function passed to panic
	Stack []byte // the stack of the panic, as formatted by debug.Stack
}

// Error returns the panic's value as text.
func (e *PanicError) Error() string {
	return fmt.Sprintf("host: queued function panicked: %v", e.Value)
}

// Unwrap returns the panic's value if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// ElapsedError says which of the two events of Elapsed is at fault, and why.
type ElapsedError struct {
	Which string // "start", "end" or "both"
	Err   error  // the reason
}

// Error names the event and the reason.
func (e *ElapsedError) Error() string {
	return fmt.Sprintf("host: elapsed: %s: %v", e.Which, e.Err)
}

// Unwrap returns the reason.
func (e *ElapsedError) Unwrap() error { return e.Err }

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
