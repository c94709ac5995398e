package compute

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/door"
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
	return door.Failed(op, object, err)
}

// named is an object that is only a name.
type named string

func (n named) String() string { return string(n) }
