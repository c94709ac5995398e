package event

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/gpuevent/gpuevent/internal/callback"
	"github.com/gpuevent/gpuevent/internal/native"
)

// HostFunc enqueues a Go function: work enqueued after it waits until f has returned. On a GPU f
// runs on a driver thread and must not call the driver or anything that waits for a device. To
// react to finished work, use [Event.OnDone].
//
// If f returns an error, panics or calls [runtime.Goexit], it has failed, and the stream has failed
// for good:
//
//   - Events recorded on the stream after the call are [Failed] once they are reached: Wait, Sync,
//     IsDone, Err, Sub and the callbacks of OnDone get a [HostFuncError], in which errors.Is finds
//     f's error. So do the stream's own Wait, Sync, IsDone and Err. Events recorded before the call
//     are not affected, and WaitAll and WaitAny treat each event on its own.
//   - Functions enqueued after f don't run, and once f has failed HostFunc refuses new ones.
//   - The handler of [SetErrorHandler] gets the failure, once.
//   - The driver does not learn of it. On a GPU the stream's other work still runs, a stream that
//     waits for one of those events goes on, and so does another process that imported it. Two
//     kinds of waiting streams fail as well: streams of the host, where functions are the only
//     work, and streams that wait for an event of another backend, which this process releases.
//   - The device has not failed: its other streams and [Device.Sync] are not affected.
//
// If the device or the stream fails first, f may never run. In a capture f becomes part of the
// graph, runs at each launch, and on a GPU is kept for the life of the process. Its failure then
// goes to the error handler only, since a graph has no stream of its own.
func (s *Stream) HostFunc(f func() error) error {
	const op = "Stream.HostFunc"
	n, err := s.enterNumbered(op)
	if err != nil {
		return err
	}
	defer s.native.Release()
	if f == nil {
		return &Error{op, s.String(), ErrInvalidOption, "the function is nil"}
	}
	if !s.device.Capabilities().Has(CapHostFunc) {
		return &Error{op, s.String(), ErrUnsupported,
			"host functions of this driver are missing or block the caller; use Event.OnDone"}
	}
	repeat, err := s.native.Capturing()
	if err != nil {
		return failed(op, s, err)
	}
	h := s.native // not s, which may be dropped meanwhile
	switch {
	case repeat:
		f = repeated(h, f)
	case s.device.IsHost():
		f = onHost(h, f)
	default:
		if err := h.Root().FailedBefore(n); err != nil {
			return failed(op, s, err)
		}
		f = onGPU(h, f, n)
	}
	return failed(op, s, s.device.driver.HostFunc(h.Object, f, repeat))
}

// onGPU wraps f so that its failure fails the stream's work behind number n. The driver can't do
// that.
func onGPU(h *native.Stream, f func() error, n uint32) func() error {
	return func() error {
		root := h.Root()
		root.Advance(n) // everything enqueued before has run
		if root.FailedBefore(n) != nil {
			return nil
		}
		if failure := contain(h, f); failure != nil {
			root.Fail(n, failure)
			failure.report()
		}
		return nil
	}
}

// repeated wraps f of a graph so that its failures are reported.
func repeated(h *native.Stream, f func() error) func() error {
	return func() error {
		if failure := contain(h, f); failure != nil {
			failure.report()
		}
		return nil
	}
}

// contain calls f and returns whatever f does: an error, a panic or a Goexit becomes a failure. f
// gets a goroutine of its own, because a Goexit can't be stopped.
func contain(h *native.Stream, f func() error) (failure *hostFailure) {
	callback.Contain(func() {
		returned := false
		defer func() {
			if v := recover(); v != nil {
				failure = failedWith(h, panicked{v}, debug.Stack())
			} else if !returned {
				failure = failedWith(h, errGoexit, debug.Stack())
			}
		}()
		if err := f(); err != nil {
			failure = failedWith(h, err, nil)
		}
		returned = true
	})
	return failure
}

// onHost is contain for the host's engine, which itself fails the stream with f's error and
// survives a Goexit.
func onHost(h *native.Stream, f func() error) func() error {
	return func() (err error) {
		returned := false
		fail := func(cause error, stack []byte) *hostFailure {
			failure := failedWith(h, cause, stack)
			failure.report()
			return failure
		}
		defer func() {
			if v := recover(); v != nil {
				err = fail(panicked{v}, debug.Stack())
			} else if !returned {
				h.Device.Driver.Fail(h.Object, fail(errGoexit, debug.Stack()))
			}
		}()
		err = f()
		returned = true
		if err != nil {
			return fail(err, nil)
		}
		return nil
	}
}

// hostFailure is the failure of a host function.
type hostFailure struct {
	stream string
	err    error
	stack  []byte // of a panic or a Goexit
}

func failedWith(h *native.Stream, err error, stack []byte) *hostFailure {
	return &hostFailure{h.String(), err, stack}
}

func (f *hostFailure) Error() string { return f.about("Stream.HostFunc", f.stream).Error() }

// Unwrap returns what the function returned.
func (f *hostFailure) Unwrap() error { return f.err }

// about returns the failure as the error of an operation.
func (f *hostFailure) about(op, object string) *HostFuncError {
	return &HostFuncError{Op: op, Object: object, Stream: f.stream, Err: f.err, Stack: f.stack}
}

func (f *hostFailure) report() {
	err := error(f.about("Stream.HostFunc", f.stream))
	if f.stack != nil {
		err = fmt.Errorf("%w\n%s", err, f.stack)
	}
	report(err)
}

var errGoexit = errors.New("it called runtime.Goexit")

// panicked is the error for a function that panicked with a value.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Unwrap returns the value if that is an error.
func (p panicked) Unwrap() error {
	err, _ := p.value.(error)
	return err
}
