package compiler

import (
	"errors"
	"strings"

	"github.com/gpuevent/gpuevent/hiprtc"
)

// failed is the error of a call of hipRTC, with the log of the program.
func (h *hip) failed(err error, log string) error {
	e := &Error{Name: h.name, Target: h.target, Compiler: h.compiler, Reason: ErrFailed, Log: log,
		Messages: messages(log), Native: err}
	switch {
	case errors.Is(err, hiprtc.ErrArchitecture):
		e.Reason = ErrTarget
	case errors.Is(err, hiprtc.ErrNameExpressionNotValid):
		e.Reason = ErrName
	case errors.Is(err, hiprtc.ErrInvalidOption):
		e.Reason = ErrOption
	case errors.Is(err, hiprtc.ErrBuiltinOperationFailure):
		e.Reason = ErrIncomplete
		e.Remedy = "install hipRTC's files of one release together (libhiprtc, libhiprtc-builtins, " +
			"libamd_comgr); " + elsewhere
	case errors.Is(err, hiprtc.ErrLinking):
		e.Reason = ErrSource
	case errors.Is(err, hiprtc.ErrCompilation):
		e.Reason = h.reason(e.Messages)
		if e.Reason == ErrFailed {
			e.Remedy = "it gave no reason; check the options and name expressions"
		}
	}
	return e
}

// reason tells mistakes apart that are one code for hipRTC: a message about an option has no place,
// and one about a name expression is about a line that hipRTC has added to the source.
func (h *hip) reason(list []Message) error {
	for _, m := range list {
		switch {
		case m.Severity != "error":
		case m.File == h.name && m.Line > 1+strings.Count(h.text, "\n"):
			return ErrName
		case m.File == "" && !strings.HasPrefix(m.Text, "ld.lld: "):
			return ErrOption
		default:
			return ErrSource
		}
	}
	return ErrFailed
}
