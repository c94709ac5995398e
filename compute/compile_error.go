package compute

import (
	"errors"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// Causes of failed compilations, for [errors.Is]. The error is a [CompileError].
var (
	// ErrNotInstalled: NVRTC or hipRTC is not on this machine. The error says what to install.
	ErrNotInstalled = compiler.ErrNotInstalled
	// ErrSource: the source has errors.
	ErrSource = compiler.ErrSource
	// ErrOption: the compiler does not know an option, or it must not be used here.
	ErrOption = compiler.ErrOption
	// ErrTarget: the compiler has no such architecture.
	ErrTarget = compiler.ErrTarget
	// ErrName: an expression of Source.Names names nothing.
	ErrName = compiler.ErrName
)

// CompileError is a compilation that failed, with the compiler's messages by file and line. Get it
// with [errors.As].
type CompileError struct {
	Name     string // of the source
	Target   string // the architecture
	Compiler string // "NVRTC 13.5"
	Reason   error  // [ErrSource] or another cause of a failed compilation
	Remedy   string // what to do; "" if the messages say it
	Log      string // all that the compiler wrote, without temporary folders
	Messages []Message
	Native   error // the library's error; nil if there is none
}

// compileError turns the compiler's error into one of this package. Other errors stay.
func compileError(err error) error {
	var e *compiler.Error
	if !errors.As(err, &e) {
		return err
	}
	c := &CompileError{Name: e.Name, Target: e.Target, Compiler: e.Compiler, Reason: e.Reason,
		Remedy: e.Remedy, Log: e.Log, Native: e.Native}
	for _, m := range e.Messages {
		c.Messages = append(c.Messages, Message(m))
	}
	return c
}

func (e *CompileError) plain() *compiler.Error {
	c := &compiler.Error{Name: e.Name, Target: e.Target, Compiler: e.Compiler, Reason: e.Reason,
		Remedy: e.Remedy, Log: e.Log, Native: e.Native}
	for _, m := range e.Messages {
		c.Messages = append(c.Messages, compiler.Message(m))
	}
	return c
}

// Error returns the reason, what to do about it, and the first messages in lines of their own.
func (e *CompileError) Error() string { return e.plain().Error() }

// Unwrap returns the reason and the library's error.
func (e *CompileError) Unwrap() []error { return e.plain().Unwrap() }

// Message is one of a compiler's messages.
type Message struct {
	File     string // "" for one about an option or the whole source
	Line     int    // from 1; 0 if the message has none
	Column   int    // from 1; NVRTC has none
	Severity string // "error", "warning", "note" or "remark"
	Text     string // its first line
}

// String returns the message as file:line:column: severity: text, without what it lacks.
func (m Message) String() string { return compiler.Message(m).String() }
