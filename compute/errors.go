package compute

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/hooks"
)

// The causes of errors, for [errors.Is]. Errors that this package finds itself are an
// [event.Error], failed driver calls an [event.DriverError]. Causes that package event has are its
// own: [event.ErrClosed], [event.ErrDeviceMismatch], [event.ErrBackendMismatch],
// [event.ErrNilStream], [event.ErrUnsupported], [event.ErrInvalidOption], [event.ErrCaptured].
var (
	// ErrOutOfMemory: the device has not enough free memory. The error names free and total.
	ErrOutOfMemory = errors.New("out of memory")
	// ErrBounds: an index, a length or a copy lies outside the buffer.
	ErrBounds = errors.New("out of bounds")
	// ErrType: a type can't lie in device memory, since C has no such type or it holds Go pointers.
	ErrType = errors.New("type not fit for device memory")
	// ErrArgument: the arguments of a launch do not fit the kernel's parameters.
	ErrArgument = errors.New("wrong kernel argument")
	// ErrConfig: the shape of a launch is one that the device can't run.
	ErrConfig = errors.New("wrong launch configuration")
	// ErrImage: the bytes are no image that the device can load.
	ErrImage = errors.New("image not fit for the device")
	// ErrNotFound: the module has no kernel or variable of that name.
	ErrNotFound = errors.New("not found")
	// ErrNil: a buffer, a kernel or another object is nil.
	ErrNil = errors.New("nil object")
)

// refusal returns the error for a call that is known to be wrong.
func refusal(op string, object fmt.Stringer, cause error, format string, args ...any) error {
	return &event.Error{Op: op, Object: object.String(), Cause: cause,
		Detail: fmt.Sprintf(format, args...)}
}

// failed turns a backend's error into one of package event.
func failed(op string, object fmt.Stringer, err error) error {
	if err == nil {
		return nil
	}
	return hooks.Failed(op, object, ownerOf(object), err)
}

// ownerOf returns the device of an object that an error is about, or nil.
func ownerOf(object fmt.Stringer) *event.Device {
	switch o := object.(type) {
	case *event.Device:
		return o
	case *block:
		return o.device.event
	case *pinned:
		return o.device.event
	case *loaded:
		return o.device.event
	case *executable:
		return o.device.event
	case *Graph:
		return o.device.event
	case *Kernel:
		return o.device.event
	case interface{ Device() *event.Device }:
		return o.Device()
	}
	return nil
}

// failedOn is failed for an operation that enqueues work on a stream. It names the object, and the
// kernels in flight on the stream where one of them may have failed.
func failedOn(op string, object fmt.Stringer, s *event.Stream, err error) error {
	all := failed(op, object, err)
	var own, streams *event.DriverError
	if s != nil && isDeviceFailure(err) && errors.As(all, &own) &&
		errors.As(failed(op, s, err), &streams) {
		own.Kernels = streams.Kernels
	}
	return all
}

// named is an object that is only a name.
type named string

func (n named) String() string { return string(n) }

// isLate reports whether the error of an ordered free may be that of earlier work on a device that
// goes on, so that the call itself had its effect. The free was not reached if another call failed.
func isLate(err error) bool {
	var d *driver.Error
	return errors.As(err, &d) && strings.HasSuffix(d.Call, "FreeAsync") &&
		driver.CodeClass(d.Code) == driver.ErrUnknown
}

// forever is the context of waits in the background.
var forever = context.Background()

// report passes a failure that no call can return to the handler of package event.
func report(err error) {
	if err != nil {
		hooks.Report(err)
	}
}
