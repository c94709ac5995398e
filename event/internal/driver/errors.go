package driver

import (
	"errors"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// Error is a call that failed, without the object, which the caller knows.
type Error struct {
	Call  string // the C function
	Code  error  // a cudrv.Result or hip.Result, or an error of loading or of the host's engine
	Class error  // [ErrHandle], [ErrNotReady], [ErrUnsupported], or nil
	// Detail is what the code alone doesn't say: whether the operation took effect, what is
	// current on the thread now, what to do here.
	Detail string
	// TookEffect: the operation itself succeeded, but the thread could not be given its own
	// context or device back.
	TookEffect bool
}

// Error names the call and the code.
func (e *Error) Error() string { return CallText(e.Call, e.Code) }

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// Is compares classes, which mean the same in all backends.
func (e *Error) Is(target error) bool { return e.Class != nil && target == e.Class }

// Unshareable reports whether the driver says that it can't share events between processes.
func (e *Error) Unshareable() bool {
	return e.Class == ErrUnsupported && strings.HasSuffix(e.Call, "IpcGetEventHandle")
}

// called is the failure of a call. Where the error of a binding says which form of the function was
// called, that is its name; the code is bare.
func called(call string, err error) *Error {
	switch failed := err.(type) {
	case *cudrv.CallError:
		return &Error{Call: failed.Function, Code: failed.Unwrap()}
	case *hip.CallError:
		return &Error{Call: failed.Function, Code: failed.Unwrap()}
	}
	return &Error{Call: call, Code: err}
}

// CallText says in the bindings' words which C function failed and why.
func CallText(call string, code error) string {
	switch code := code.(type) {
	case cudrv.Result:
		return (&cudrv.CallError{Function: call, Result: code}).Error()
	case hip.Result:
		return (&hip.CallError{Function: call, Result: code}).Error()
	}
	return call + ": " + code.Error()
}

// Classes of codes that callers tell apart.
var (
	ErrHandle   = errors.New("invalid handle")
	ErrNotReady = errors.New("not ready")
	ErrContext  = errors.New("invalid context")
	// ErrCapturing: a capture that goes on keeps the driver from answering. Ask again later.
	ErrCapturing = errors.New("a capture goes on")
	// ErrUnsupported is package event's sentinel of that name.
	ErrUnsupported = errors.New("not supported")
)

// Refusal is what a backend knows without a call, or makes of one: a cause with what to do.
type Refusal struct {
	Cause  error // a sentinel
	Detail string
}

func (r *Refusal) Error() string { return r.Cause.Error() + ": " + r.Detail }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Sentinels of package event that backends refuse with.
var (
	ErrDeviceMismatch    = errors.New("different devices")
	ErrInvalidDescriptor = errors.New("invalid IPC descriptor")
)

// OnlyRestore reports whether err means nothing worse than that the thread could not be given its
// own context or device back.
func OnlyRestore(err error) bool {
	e, ok := err.(*Error)
	return ok && e.TookEffect
}

// joinLater adds a failure to the one before it, if there is one.
func joinLater(first, later error) error {
	switch {
	case later == nil:
		return first
	case first == nil:
		return later
	}
	return errors.Join(first, later)
}
