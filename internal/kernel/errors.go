package kernel

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Errors of this package wrap one of these.
var (
	// ErrSignature says that a value is no kernel: see SignatureError.
	ErrSignature = errors.New("not a kernel")
	// ErrArgument says that arguments do not fit the kernel's parameters: see ArgumentError.
	ErrArgument = errors.New("wrong kernel argument")
	// ErrMisaligned says that the address for a buffer is no multiple of the element's alignment.
	ErrMisaligned = errors.New("misaligned address")
	// ErrLaunch says that a launch has a dimension of zero, too many threads or negative shared
	// memory.
	ErrLaunch = errors.New("wrong launch configuration")
	// ErrFailed says that a kernel panicked: see Failure.
	ErrFailed = errors.New("kernel failed")
	// ErrIllegalAddress says that a kernel failed since it used an index outside a buffer, or a
	// nil pointer.
	ErrIllegalAddress = errors.New("illegal address")
	// ErrGoexit is the value of a Failure of a kernel that called runtime.Goexit, as
	// testing.T.FailNow does.
	ErrGoexit = errors.New("the kernel called runtime.Goexit")
)

// SignatureError says why a value cannot be a kernel.
type SignatureError struct {
	Kernel string       // name of the function, "" if it is none
	Param  int          // number of the parameter, counted from 0 behind the block; -1 if none
	Type   reflect.Type // of the parameter, or of the value; nil for an untyped nil
	Reason string       // what is wrong with it
	Remedy string       // what to use in its place
}

// Error names kernel, parameter, reason and remedy.
func (e *SignatureError) Error() string {
	var s strings.Builder
	if e.Kernel != "" {
		fmt.Fprintf(&s, "kernel %s: ", e.Kernel)
	}
	if e.Param >= 0 {
		fmt.Fprintf(&s, "parameter %d (%v): ", e.Param, e.Type)
	}
	s.WriteString(e.Reason)
	if e.Remedy != "" {
		s.WriteString("; " + e.Remedy)
	}
	return s.String()
}

// Unwrap returns ErrSignature.
func (e *SignatureError) Unwrap() error { return ErrSignature }

// ArgumentError says why arguments do not fit a kernel.
type ArgumentError struct {
	Kernel string
	Param  int          // number of the argument, counted from 0 behind the block; -1: all of them
	Want   reflect.Type // type of the parameter; nil if Param is -1
	Got    reflect.Type // type of the argument, if it was a Go value
	Reason string
	Err    error // what the resolver of addresses said, or ErrMisaligned; may be nil
}

// Error names kernel, argument and reason.
func (e *ArgumentError) Error() string {
	if e.Param < 0 {
		return fmt.Sprintf("kernel %s: %s", e.Kernel, e.Reason)
	}
	return fmt.Sprintf("kernel %s: argument %d (%v): %s", e.Kernel, e.Param, e.Want, e.Reason)
}

// Unwrap returns ErrArgument and Err.
func (e *ArgumentError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrArgument}
	}
	return []error{ErrArgument, e.Err}
}
