package compiler

import (
	"errors"
	"strings"

	"github.com/gpuevent/gpuevent/nvrtc"
)

// errNoImage: a compilation that made nothing.
var errNoImage = errors.New("no image came of it; options may have asked for something else")

// nameFile is the file that NVRTC makes of name expressions.
const nameFile = "__nv_name_map"

// failed is the error of a call of NVRTC, with the log of the program.
func (c *cuda) failed(err error, log string) error {
	e := &Error{Name: c.name, Target: c.to.arch, Compiler: c.compiler, Reason: ErrFailed, Log: log,
		Messages: messages(log), Native: err}
	switch {
	case errors.Is(err, nvrtc.ErrCompilation):
		e.Reason = ErrSource
		for _, m := range e.Messages {
			if m.File == nameFile {
				e.Reason, e.Remedy = ErrName, "ask for a kernel as name<type>, for a variable as &name"
			}
		}
		if strings.HasPrefix(log, "Command-line error") {
			e.Reason = ErrOption
		}
	case errors.Is(err, nvrtc.ErrNameExpressionNotValid):
		e.Reason = ErrName
	case errors.Is(err, nvrtc.ErrInvalidOption):
		if e.Reason = ErrOption; strings.Contains(log, "gpu-architecture") {
			e.Reason = ErrTarget
		}
	case errors.Is(err, nvrtc.ErrBuiltinOperationFailure):
		e.Reason = ErrIncomplete
		e.Remedy = "install libnvrtc-builtins of the same release beside " + nvrtc.Path() +
			" (on Windows on the search path of DLLs); " + elsewhere
	}
	return e
}
