package event

import (
	"errors"
	"fmt"
)

// The causes of errors, for [errors.Is]. An error names the operation and the object as well, and what to do about it.
var (
	// ErrClosed: the object was closed before the call.
	ErrClosed = errors.New("closed")
	// ErrTimingDisabled: the event was created without [WithTiming].
	ErrTimingDisabled = errors.New("timing is disabled")
	// ErrNotRecorded: the event has not been recorded on a stream yet.
	ErrNotRecorded = errors.New("not recorded")
	// ErrNotReady: the work that the event marks is not done yet.
	ErrNotReady = errors.New("not ready")
	// ErrCaptured: the event was recorded into a graph capture; it marks a place in a graph and can't be queried, waited for or timed.
	ErrCaptured = errors.New("captured")
	// ErrDeviceMismatch: the objects belong to different devices of one backend.
	ErrDeviceMismatch = errors.New("different devices")
	// ErrBackendMismatch: the objects belong to different backends.
	ErrBackendMismatch = errors.New("different backends")
	// ErrNilStream: a stream was nil. The default stream has to be named: [Device.DefaultStream].
	ErrNilStream = errors.New("nil stream")
	// ErrNilEvent: an event was nil.
	ErrNilEvent = errors.New("nil event")
	// ErrUnsupported: the device, its driver or the platform can't do it. See [Device.Capabilities].
	ErrUnsupported = errors.New("not supported")
	// ErrInvalidOption: options contradict each other, or a value lies outside its range.
	ErrInvalidOption = errors.New("invalid option")
	// ErrInvalidDescriptor: bytes that are no IPC descriptor of an event.
	ErrInvalidDescriptor = errors.New("invalid IPC descriptor")
	// ErrNoDevice: there is no device of that name.
	ErrNoDevice = errors.New("no such device")
)

// Error is a refusal of this package: it knew the answer and did not ask the driver. Its cause is one of the sentinels above, or, from
// waits, the context's error.
type Error struct {
	Op     string // the method: "Event.Record"
	Object string // what it was called on or what is at fault: "cuda[0]:event@0x5581…"
	Cause  error  // a sentinel of this package
	Detail string // the circumstances, and what to do
}

// Error names operation, object, cause and cure.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s: %v", e.Op, e.Object, e.Cause)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// DriverError is a failure of a driver call.
type DriverError struct {
	Op     string // the method: "Event.Record"
	Object string // what it was called on
	Call   string // the C function: "cuEventRecord"
	Code   error  // a [cudrv.Result], a [hip.Result], or an error of loading or of the host's engine
}

// Error names operation, object, call and code.
func (e *DriverError) Error() string {
	return fmt.Sprintf("%s: %s: %s: %v", e.Op, e.Object, e.Call, e.Code)
}

// Unwrap returns the code, so that errors.Is finds cudrv.ErrIllegalAddress and its like.
func (e *DriverError) Unwrap() error { return e.Code }

// callError is what a backend returns: the call that failed, without the object, which the caller knows.
type callError struct {
	call  string
	code  error
	class error // errHandle or errNotReady, where the code is one of those
}

// errHandle and errNotReady are what backends make of the driver's answers that callers tell apart.
var (
	errHandle   = errors.New("invalid handle")
	errNotReady = errors.New("not ready")
)

func (e *callError) Error() string { return e.call + ": " + e.code.Error() }
func (e *callError) Unwrap() error { return e.code }

// Is compares classes, which mean the same in all backends.
func (e *callError) Is(target error) bool { return e.class != nil && target == e.class }

// restoreError says that the operation succeeded, but the thread could not be given its context back.
type restoreError struct{ *callError }

func (e restoreError) Unwrap() error { return e.callError }

// onlyRestore tells whether err means nothing worse.
func onlyRestore(err error) bool {
	_, ok := err.(restoreError)
	return ok
}

// failed makes a backend's error the user's. Of several the first is the cause, and the others what went wrong on top of it.
func failed(op string, object fmt.Stringer, err error) error {
	switch err := err.(type) {
	case nil:
		return nil
	case *callError:
		return &DriverError{Op: op, Object: object.String(), Call: err.call, Code: err.code}
	case restoreError:
		return failed(op, object, err.callError)
	case *Error, *DriverError:
		return err
	case interface{ Unwrap() []error }:
		all := err.Unwrap()
		mapped := make([]error, len(all))
		for i, one := range all {
			mapped[i] = failed(op, object, one)
		}
		return errors.Join(mapped...)
	}
	return &DriverError{Op: op, Object: object.String(), Call: "driver", Code: err}
}
