package compiler

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/nvrtc"
)

var cudaTurn = newTurn()

// CUDA compiles a source with NVRTC. For a target like sm_90, the image is code for that GPU or, if
// the compiler is older, what runs there; for compute_90 it is PTX; with the option -dlto it is
// LTO-IR, to be linked. The error of a source with mistakes is an [*Error].
func CUDA(ctx context.Context, r Request) (Result, error) {
	if err := errors.Join(r.check(), r.checkOptions(forbiddenCUDA)); err != nil {
		return Result{}, err
	}
	id, err := CUDAIdentity()
	if err != nil {
		return Result{}, fmt.Errorf("compile %s: %w", r.FileName(), err)
	}
	c := &cuda{job: newJob(&r), compiler: id.Name, ctx: ctx}
	if c.to, err = cudaChoice(c.target); err != nil {
		return Result{}, fmt.Errorf("compile %s with %s: %w", c.name, id.Name, err)
	}
	if has(c.options, "-dlto", "--dlink-time-opt") {
		if c.to.kind = LTOIR; !nvrtc.Has("nvrtcGetLTOIR") {
			return Result{}, r.refuse(ErrOption, "-dlto needs NVRTC 12.0 or newer, and this is %s", id.Name)
		}
	}
	return cudaTurn.do(ctx, c.job, id.Name, c.run)
}

// cudaChoice chooses by what the library says that it has.
func cudaChoice(target string) (cudaTarget, error) {
	var archs []int
	n, err := nvrtc.GetNumSupportedArchs()
	if err == nil && n > 0 {
		list := make([]int32, n)
		if err = nvrtc.GetSupportedArchs(&list[0]); err == nil {
			for _, a := range list {
				archs = append(archs, int(a))
			}
		}
	}
	if err != nil && !errors.Is(err, nvrtc.ErrSymbolNotFound) {
		return cudaTarget{}, fmt.Errorf("%w: %w", ErrFailed, err)
	}
	return chooseCUDA(target, archs, nvrtc.Has("nvrtcGetCUBIN"))
}

// cuda is one compilation.
type cuda struct {
	*job
	compiler string
	to       cudaTarget
	ctx      context.Context
}

// run calls the library. The memory of all texts stays as it is until the program is destroyed.
func (c *cuda) run() (r Result, err error) {
	n, texts, err := nvrtc.Strings(c.headerTexts...)
	if err != nil {
		return r, c.failed(err, "")
	}
	_, names, err := nvrtc.Strings(c.headerNames...)
	if err != nil {
		return r, c.failed(err, "")
	}
	prog, err := nvrtc.CreateProgram(c.text, c.name, n, texts, names)
	if err != nil {
		return r, c.failed(err, "")
	}
	cancel, err := c.cancelWithContext(prog)
	defer cancel.Release() // when the program is gone
	defer func() {
		if destroyed := nvrtc.DestroyProgram(&prog); destroyed != nil && err == nil {
			r, err = Result{}, c.failed(destroyed, "")
		}
	}()
	if err != nil {
		return r, c.failed(err, "")
	}
	for _, name := range c.names {
		if err := nvrtc.AddNameExpression(prog, name); err != nil {
			return r, c.failed(err, "")
		}
	}
	n, options, err := nvrtc.Strings(
		append([]string{"--gpu-architecture=" + c.to.arch}, withStandard(c.options)...)...)
	if err != nil {
		return r, c.failed(err, "")
	}
	compiled := nvrtc.CompileProgram(prog, n, options)
	log, err := nvrtc.Log(prog)
	if compiled != nil {
		return r, c.failed(compiled, log)
	}
	if err != nil {
		return r, c.failed(err, "")
	}
	return c.collect(prog, log)
}
