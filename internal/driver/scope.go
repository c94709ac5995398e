package driver

import (
	"errors"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// Scope is what a failure concerns. The numbers are those of cudrv.Class and hip.Class, which are
// generated from specs/*.errors.toml.
type Scope uint8

// The scopes.
const (
	ScopeCall    Scope = iota // the call only, which was refused or has failed
	ScopePending              // nothing: the work is still running
	ScopeUnclear              // perhaps the device, perhaps the call only
	ScopeEnded                // the process, which is ending
	ScopeLost                 // the device, or the process's use of it
	ScopeKernel               // the same, after the failure of a kernel
)

// IsSticky reports whether later calls on the object, or on its whole device, fail as well.
func (s Scope) IsSticky() bool { return s >= ScopeEnded }

// IsLost reports whether the device is lost.
func (s Scope) IsLost() bool { return s >= ScopeLost }

// ScopeOf returns what an error of a driver concerns: ScopeCall for nil and all others.
func ScopeOf(err error) Scope {
	var e *Error
	if errors.As(err, &e) {
		return e.scope()
	}
	return ScopeCall
}

// CodeClass returns what a code means in all backends: [ErrCaptured], [ErrUnsupported],
// [ErrUnknown], or nil.
func CodeClass(code error) error { return classOf(codeClasses, code) }

var codeClasses = []class{
	{cudrv.ErrCapturedEvent, ErrCaptured},
	{hip.ErrCapturedEvent, ErrCaptured},
	{cudrv.ErrNotSupported, ErrUnsupported},
	{hip.ErrNotSupported, ErrUnsupported},
	{cudrv.ErrUnknown, ErrUnknown},
	{hip.ErrUnknown, ErrUnknown},
}

// ErrUnknown: the driver does not know why the call failed.
var ErrUnknown = errors.New("unknown error")

// IsResult reports whether a code is that of a vendor's driver.
func IsResult(code error) bool {
	var nvidia cudrv.Result
	var amd hip.Result
	return errors.As(code, &nvidia) || errors.As(code, &amd)
}

// CodeScope returns what a code concerns that a function returned.
func CodeScope(call string, code error) Scope { return (&Error{Call: call, Code: code}).scope() }

func (e *Error) scope() Scope {
	switch code := e.Code.(type) {
	case cudrv.Result:
		scope := Scope(code.Class())
		if scope == ScopeUnclear && e.Call == "cuDevicePrimaryCtxRetain" {
			return ScopeCall // nothing is on the device yet. fact: cuda-context-may-come-later
		}
		return scope
	case hip.Result:
		if code == hip.ErrLaunchFailure && strings.Contains(e.Call, "Launch") {
			return ScopeUnclear // or too many threads for the kernel. fact: amd-launch-limits
		}
		return Scope(code.Class())
	}
	return ScopeCall
}
