package compiler

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/nvrtc"
)

// collect reads what a compiled program has.
func (c *cuda) collect(prog nvrtc.Program, log string) (Result, error) {
	r := Result{Kind: c.to.kind, Target: c.to.arch, Log: log, Compiler: c.compiler,
		Lowered: make(map[string]string, len(c.names))}
	var err error
	switch c.to.kind {
	case Cubin:
		r.Image, err = output(prog, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
	case LTOIR:
		r.Image, err = output(prog, nvrtc.GetLTOIRSize, nvrtc.GetLTOIR)
	}
	if err == nil && len(r.Image) == 0 && c.to.kind != LTOIR {
		r.Kind = PTX
		if r.Image, err = output(prog, nvrtc.GetPTXSize, nvrtc.GetPTX); len(r.Image) > 0 &&
			r.Image[len(r.Image)-1] != 0 {
			r.Image = append(r.Image, 0)
		}
	}
	if err != nil {
		return Result{}, c.failed(err, log)
	}
	if len(r.Image) == 0 {
		return Result{}, c.failed(errNoImage, log)
	}
	for _, name := range c.names {
		if r.Lowered[name], err = nvrtc.GetLoweredName(prog, name); err != nil {
			return Result{}, c.failed(err, log)
		}
	}
	return r, nil
}

// output is nvrtc.Output, for which a lone NUL byte is nothing too: that is the PTX of a program
// without PTX.
func output(prog nvrtc.Program, size func(nvrtc.Program) (uintptr, error),
	get func(nvrtc.Program, *byte) error) ([]byte, error) {
	data, err := nvrtc.Output(prog, size, get)
	if len(data) <= 1 {
		return nil, err
	}
	return data, err
}

// cancelWithContext has the compiler ask now and then whether the context has ended, if it can ask
// and the context can end. The compiler may ask on any thread.
func (c *cuda) cancelWithContext(prog nvrtc.Program) (*nvrtc.FlowCallbackRef, error) {
	if c.ctx.Done() == nil || !nvrtc.Has("nvrtcSetFlowCallback") {
		return nil, nil
	}
	ref := nvrtc.NewFlowCallback(func(unsafe.Pointer) int32 {
		if c.ctx.Err() != nil {
			return 1
		}
		return 0
	})
	return ref, nvrtc.SetFlowCallback(prog, ref)
}
