package driver

import (
	"errors"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// Error is a failed call. The caller adds the object.
type Error struct {
	Call  string // the C function
	Code  error  // a cudrv.Result or hip.Result, or an error of loading or of the host's engine
	Class error  // [ErrHandle], [ErrNotReady], [ErrUnsupported], or nil
	// Detail is what the code alone does not say: whether the operation took effect, what is
	// current on the thread now, the remedy.
	Detail string
	// TookEffect: the operation itself succeeded, but the thread's own context or device could not
	// be restored.
	TookEffect bool
	now        string // what is current on the thread then
}

// Error names the call and the code.
func (e *Error) Error() string { return CallText(e.Call, e.Code) }

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// Is compares classes, which mean the same in all backends.
func (e *Error) Is(target error) bool {
	return e.Class != nil && target == e.Class || target == ErrDeviceLost && e.scope().IsLost()
}

// Unshareable reports whether the driver can't share events between processes.
func (e *Error) Unshareable() bool {
	return e.Class == ErrUnsupported && strings.HasSuffix(e.Call, "IpcGetEventHandle")
}

// called returns the error of a failed call. If the binding's error names the form of the function
// that was called, Call is that name and Code the bare code.
func called(call string, err error) *Error {
	switch failed := err.(type) {
	case *cudrv.CallError:
		return &Error{Call: failed.Function, Code: failed.Unwrap()}
	case *hip.CallError:
		return &Error{Call: failed.Function, Code: failed.Unwrap()}
	}
	return &Error{Call: call, Code: err}
}

// Failed names the call that failed, and the class of its code; nil for nil.
func Failed(call string, err error) error {
	if err == nil {
		return nil
	}
	e := called(call, err)
	e.Class = classOf(classes, err)
	return e
}

// class is the class of a code.
type class struct{ code, class error }

var classes = []class{
	{cudrv.ErrInvalidHandle, ErrHandle},
	{hip.ErrInvalidHandle, ErrHandle},
	{cudrv.ErrNotReady, ErrNotReady},
	{hip.ErrNotReady, ErrNotReady},
	{cudrv.ErrInvalidContext, ErrContext},
	{hip.ErrInvalidContext, ErrContext},
	{cudrv.ErrNotSupported, ErrUnsupported},
	{hip.ErrNotSupported, ErrUnsupported},
	{hip.ErrStreamCaptureUnsupported, ErrCapturing},
	{hip.ErrStreamCaptureIsolation, ErrCapturing},
}

func classOf(classes []class, err error) error {
	for _, c := range classes {
		if errors.Is(err, c.code) {
			return c.class
		}
	}
	return nil
}

// CallText says which C function failed and why, as the bindings do.
func CallText(call string, code error) string {
	switch code := code.(type) {
	case cudrv.Result:
		return (&cudrv.CallError{Function: call, Result: code}).Error()
	case hip.Result:
		return (&hip.CallError{Function: call, Result: code}).Error()
	}
	return call + ": " + code.Error()
}

// Classes of codes that callers distinguish.
var (
	ErrHandle   = errors.New("invalid handle")
	ErrNotReady = errors.New("not ready")
	ErrContext  = errors.New("invalid context")
	// ErrCapturing: a capture in progress keeps the driver from answering. Query again later.
	ErrCapturing = errors.New("a capture is in progress")
	// ErrUnsupported is package event's sentinel of that name.
	ErrUnsupported = errors.New("not supported")
)

// Refusal is an error that a backend finds without a call, or makes of a failed one: a cause with
// the remedy.
type Refusal struct {
	Cause  error // a sentinel
	Detail string
}

func (r *Refusal) Error() string { return r.Cause.Error() + ": " + r.Detail }

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Sentinels of package event that backends use in a Refusal.
var (
	ErrDeviceMismatch    = errors.New("different devices")
	ErrInvalidDescriptor = errors.New("invalid IPC descriptor")
	ErrCaptured          = errors.New("captured")
	ErrCaptureFailed     = errors.New("capture failed")
	ErrClosed            = errors.New("closed")
	ErrDeviceLost        = errors.New("device lost")
)

// OnlyRestore reports whether err means only that the thread's own context or device could not be
// restored.
func OnlyRestore(err error) bool {
	e, ok := err.(*Error)
	return ok && e.TookEffect
}

// Undone destroys what a call created that ended with err, since a caller that gets an error gets
// nothing else. It returns err, which no longer means that the call took effect. There is nothing
// to destroy if destroy is nil.
func Undone(err error, destroy func() error) error {
	var destroyErr error
	if destroy != nil {
		destroyErr = destroy()
	}
	if e, ok := err.(*Error); ok && e.TookEffect {
		undone := *e
		undone.TookEffect = false
		undone.Detail = "nothing was created, and " + e.now
		if destroyErr != nil {
			undone.Detail = "what was created could not be destroyed, and " + e.now
		}
		err = &undone
	}
	return joinLater(err, destroyErr)
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
