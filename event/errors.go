package event

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// The causes of errors, for [errors.Is]. The error also names the operation, the object and the
// remedy.
var (
	// ErrClosed: the object was closed before the call.
	ErrClosed = driver.ErrClosed
	// ErrTimingDisabled: the event was created without [WithTiming].
	ErrTimingDisabled = errors.New("timing is disabled")
	// ErrNotRecorded: the event has not been recorded on a stream yet.
	ErrNotRecorded = errors.New("not recorded")
	// ErrNotReady: the event is pending, or a call still uses it.
	ErrNotReady = errors.New("not ready")
	// ErrCaptured: the event was recorded into a graph capture; it marks a place in a graph and
	// can't be queried, waited for or timed.
	ErrCaptured = driver.ErrCaptured
	// ErrCaptureFailed: the stream's capture has failed. On AMD, many releases never let go of such a
	// stream. It can only be closed, unless the capture has not been ended yet: then end it.
	ErrCaptureFailed = driver.ErrCaptureFailed
	// ErrDeviceMismatch: the objects belong to different devices of one backend.
	ErrDeviceMismatch = driver.ErrDeviceMismatch
	// ErrBackendMismatch: the objects belong to different backends.
	ErrBackendMismatch = errors.New("different backends")
	// ErrNilStream: a stream was nil. Name the default stream explicitly: [Device.DefaultStream].
	ErrNilStream = errors.New("nil stream")
	// ErrNilEvent: an event was nil.
	ErrNilEvent = errors.New("nil event")
	// ErrUnsupported: the device, its driver or the platform does not support it. See
	// [Device.Capabilities].
	ErrUnsupported = driver.ErrUnsupported
	// ErrInvalidOption: options contradict each other, or a value lies outside its range.
	ErrInvalidOption = errors.New("invalid option")
	// ErrInvalidDescriptor: the bytes are not an IPC descriptor of an event.
	ErrInvalidDescriptor = driver.ErrInvalidDescriptor
	// ErrNoDevice: there is no such device.
	ErrNoDevice = errors.New("no such device")
	// ErrDeviceLost: the device can no longer be used, or not by this process: its hardware or one of
	// its kernels has failed. All work and memory on it are lost. Go on with another device, or
	// restart the process. See [Device.Err].
	ErrDeviceLost = driver.ErrDeviceLost
)

// Error is returned by this package for a call that it refused. Its cause is one of the sentinels
// above or, from waits, the context's error.
type Error struct {
	Op     string // the method: "Event.Record"
	Object string // what the method was called on, or what is at fault: "cuda:0 event 0x5581…"
	Cause  error  // a sentinel of this package
	Detail string // the circumstances and the remedy
}

// Error names operation, object, cause and remedy.
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
	// Call is the C function, as the library exports it: "cuEventDestroy_v2". It is "wait for" and
	// an event's name if the stream waited for an event of another backend that failed with Code.
	Call   string
	Code   error  // a cudrv.Result, a hip.Result, or an error of loading or of the host's engine
	Detail string // what the code alone does not say; often empty
	// Kernels are the names of kernels that package compute launched on the object's stream and that
	// were not known to be done, oldest first. It is set for failures that a kernel can cause: an
	// illegal address, a trap, a timeout. Other streams' kernels can cause them too.
	Kernels []string

	lost bool // the device is lost, though the code alone does not say so
}

// Error names operation, object, call and code.
func (e *DriverError) Error() string {
	s := e.Op + ": " + e.Object + ": " + driver.CallText(e.Call, e.Code)
	if e.Detail != "" {
		s += ": here: " + e.Detail
	}
	if len(e.Kernels) > 0 {
		s += ": kernels in flight on the stream: " + strings.Join(e.Kernels, ", ")
	}
	return s
}

// Unwrap returns the code, so that errors.Is matches cudrv.ErrIllegalAddress and the like.
func (e *DriverError) Unwrap() error { return e.Code }

// HostFuncError reports that a function given to [Stream.HostFunc] failed. Operations on everything
// behind that function on its stream return it.
type HostFuncError struct {
	Op     string // the method: "Event.Wait"
	Object string // what it was called on
	Stream string // the stream that the function was enqueued on
	Err    error  // the function's error, its panic, or that it called runtime.Goexit
	Stack  []byte // where it panicked or called runtime.Goexit
}

// Error names operation, object, stream and the function's error.
func (e *HostFuncError) Error() string {
	s := fmt.Sprintf("%s: %s: a host function", e.Op, e.Object)
	if e.Stream != e.Object {
		s += " on " + e.Stream
	}
	return fmt.Sprintf("%s failed: %v", s, e.Err)
}

// Unwrap returns the function's error. If the function panicked with an error, errors.Is finds that
// too.
func (e *HostFuncError) Unwrap() error { return e.Err }

// Is reports whether the driver's code corresponds to a sentinel of this package: [ErrCaptured],
// [ErrUnsupported] or [ErrDeviceLost].
func (e *DriverError) Is(sentinel error) bool {
	switch sentinel {
	case ErrCaptured, ErrUnsupported:
		return driver.CodeClass(e.Code) == sentinel
	case ErrDeviceLost:
		return e.lost || driver.CodeScope(e.Call, e.Code).IsLost()
	}
	return false
}

// failed turns a driver's error into one of this package. Of several joined errors the first is the
// cause; the others followed from it.
func failed(op string, object fmt.Stringer, err error) error {
	if err == nil {
		return nil
	}
	return describe(op, object, about{deviceOf(object), true, streamOf(object)}, err)
}

// about is the device that an error may be about, or nil. No other device is if it is the only one.
// The error names the kernels in flight on the stream, which may be nil.
type about struct {
	device *Device
	only   bool
	stream *native.Stream
}

// describe is failed for an error that may be about several devices.
func describe(op string, object fmt.Stringer, of about, err error) error {
	if why := of.device.end(); why != "" && err != nil {
		return &Error{op, object.String(), ErrClosed, why}
	}
	switch err := err.(type) {
	case nil:
		return nil
	case *hostFailure:
		return err.about(op, object.String())
	case *driver.Error:
		if f, ok := err.Code.(*hostFailure); ok {
			return f.about(op, object.String())
		}
		e := &DriverError{Op: op, Object: object.String(), Call: err.Call, Code: err.Code,
			Detail: err.Detail, lost: of.device.diagnose(err, of.only)}
		if driver.ScopeOf(err) == driver.ScopeKernel {
			e.Kernels = of.stream.InFlight()
		}
		return e
	case *driver.Refusal:
		return &Error{op, object.String(), err.Cause, err.Detail}
	case *Error, *DriverError, *HostFuncError:
		return err
	case interface{ Unwrap() []error }:
		all := err.Unwrap()
		mapped := make([]error, len(all))
		for i, one := range all {
			mapped[i] = describe(op, object, of, one)
		}
		return errors.Join(mapped...)
	}
	return &DriverError{Op: op, Object: object.String(), Call: "driver", Code: err}
}

// renamed turns an error of an internal object into one that names the object the user knows.
func renamed(op string, object fmt.Stringer, err error) error {
	switch err := err.(type) {
	case *Error:
		return &Error{op, object.String(), err.Cause, err.Detail}
	case *DriverError:
		e := *err
		e.Op, e.Object = op, object.String()
		return &e
	case *HostFuncError:
		return &HostFuncError{op, object.String(), err.Stream, err.Err, err.Stack}
	case interface{ Unwrap() []error }:
		all := err.Unwrap()
		mapped := make([]error, len(all))
		for i, one := range all {
			mapped[i] = renamed(op, object, one)
		}
		return errors.Join(mapped...)
	}
	return err
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

// streamOf returns the stream behind an object: a stream, or the one that an event was recorded on
// last. It returns nil if there is none.
func streamOf(object fmt.Stringer) *native.Stream {
	switch o := object.(type) {
	case *Stream:
		if !o.isNil() {
			return o.native
		}
	case *Event:
		if !o.isNil() {
			return o.native.Load().On.Load()
		}
	}
	return nil
}
