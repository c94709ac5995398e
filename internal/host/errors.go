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
