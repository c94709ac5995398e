package compiler

import (
	"errors"
	"fmt"
	"strings"
)

// Reasons why there is no image, for errors.Is.
var (
	// ErrNotInstalled: there is no library of the compiler.
	ErrNotInstalled = errors.New("the compiler is not installed")
	// ErrIncomplete: a file that belongs to the compiler is missing.
	ErrIncomplete = errors.New("the compiler's installation is incomplete")
	// ErrInput: the request has a mistake that no compiler needs to see.
	ErrInput = errors.New("invalid source")
	// ErrTarget: the compiler has no such architecture.
	ErrTarget = errors.New("unknown target")
	// ErrOption: the compiler does not know an option, or it must not be used here.
	ErrOption = errors.New("invalid option")
	// ErrName: a name expression names nothing.
	ErrName = errors.New("invalid name expression")
	// ErrSource: the source has errors. They are in the [Error].
	ErrSource = errors.New("the source does not compile")
	// ErrFailed: the compiler failed for another reason.
	ErrFailed = errors.New("the compiler failed")
)

// elsewhere is the way out for who cannot compile here.
const elsewhere = "compute.Load takes an image that was compiled elsewhere"

// Error is a compilation that failed. It matches one of the reasons and the library's own code.
type Error struct {
	Name     string // of the source
	Target   string
	Compiler string // "NVRTC 13.5"
	Reason   error  // one of the reasons above
	Remedy   string // what to do; "" if the messages say it
	Log      string // all that the compiler wrote, without temporary folders
	Messages []Message
	Native   error // the library's error
}

// shown is how many messages the text of an error has.
const shown = 10

// Error returns the reason, what to do about it, and the first messages in lines of their own.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "compile %s%s with %s: %v", e.Name, For(e.Target), e.Compiler, e.Reason)
	if e.Remedy != "" {
		b.WriteString(": " + e.Remedy)
	}
	if e.Native != nil && (e.Reason == ErrFailed || e.Log == "") {
		b.WriteString(": " + e.Native.Error())
	}
	count := 0
	for _, m := range e.Messages {
		if m.Severity != "error" {
			continue
		}
		if count++; count <= shown {
			b.WriteString("\n" + m.String())
		}
	}
	switch {
	case count > shown:
		fmt.Fprintf(&b, "\nand %d more errors", count-shown)
	case count == 0 && e.Log != "":
		b.WriteString("\n" + e.Log)
	}
	return b.String()
}

// For returns the target with the word for before it, for a message. It is "" without a target.
func For(target string) string {
	if target == "" {
		return ""
	}
	return " for " + target
}

// Unwrap returns the reason and the library's error.
func (e *Error) Unwrap() []error {
	if e.Native == nil {
		return []error{e.Reason}
	}
	return []error{e.Reason, e.Native}
}

// notInstalled is the error of a library that does not open, which says how to install one.
func notInstalled(err error) error {
	return fmt.Errorf("%w: %w; %s", ErrNotInstalled, err, elsewhere)
}
