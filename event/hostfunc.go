package event

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// HostFunc enqueues a Go function as work: what is enqueued after it waits until f has returned. f
// runs on a thread of the driver's and must not call the driver, nor anything that waits for a
// device: to react to finished work, use [Event.OnDone]. On the host, an error from f fails the
// stream; on a GPU it goes to the error handler, for the drivers have no way to fail a stream. A
// panic in f counts as an error. If the device fails first, f may never run. In a capture f becomes
// part of the graph, runs at each launch, and is kept as long as the process lives.
func (s *Stream) HostFunc(f func() error) error {
	const op = "Stream.HostFunc"
	n, err := s.enterNumbered(op)
	if err != nil {
		return err
	}
	defer s.native.release()
	if f == nil {
		return &Error{op, s.String(), ErrInvalidOption, "the function is nil"}
	}
	if !s.device.Capabilities().Has(CapHostFunc) {
		return &Error{op, s.String(), ErrUnsupported,
			"this driver has no host functions that run beside the caller; use Event.OnDone"}
	}
	repeat, err := s.capturing()
	if err != nil {
		return failed(op, s, err)
	}
	if !s.device.IsHost() { // whose engine makes an error of everything that f may do
		f = contained(f)
		run, h := f, s.native // not s, which may be dropped meanwhile
		f = func() error {
			h.advance(n) // what was enqueued before has run
			return run()
		}
	}
	return failed(op, s, s.device.driver.HostFunc(s.native.native, f, repeat, report))
}

// contained makes errors of a panic and of runtime.Goexit.
func contained(f func() error) func() error {
	return func() (err error) {
		returned := false
		defer func() {
			switch v := recover(); {
			case v != nil:
				report(fmt.Errorf("panic in a function given to Stream.HostFunc: %v\n%s", v, debug.Stack()))
			case !returned:
				report(errors.New("a function given to Stream.HostFunc called runtime.Goexit"))
			}
		}()
		err = f()
		returned = true
		if err != nil {
			err = fmt.Errorf("a function given to Stream.HostFunc: %w", err)
		}
		return err
	}
}
