package compiler

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/hiprtc"
)

var hipTurn = newTurn()

// HIP compiles a source with hipRTC. The image is a code object for the target; without features
// in it, it runs with any setting of them. The error of a source with mistakes is an [*Error].
//
// hipRTC cannot be cancelled: when the context ends, the compilation goes on behind the caller's
// back, and the next one waits for it.
func HIP(ctx context.Context, r Request) (Result, error) {
	if err := errors.Join(r.check(), r.checkHIP(), r.checkOptions(forbiddenHIP)); err != nil {
		return Result{}, err
	}
	j := newJob(&r)
	if err := checkHIPTarget(j.target); err != nil {
		return Result{}, fmt.Errorf("compile %s: %w", j.name, err)
	}
	id, err := HIPIdentity()
	if err != nil {
		return Result{}, fmt.Errorf("compile %s: %w", j.name, err)
	}
	h := &hip{job: j, compiler: id.Name}
	return hipTurn.do(ctx, j, id.Name, h.run)
}

// hip is one compilation.
type hip struct {
	*job
	compiler string
}

// run calls the library. The memory of all texts stays as it is until the program is destroyed.
func (h *hip) run() (r Result, err error) {
	n, texts, err := hiprtc.Strings(h.headerTexts...)
	if err != nil {
		return r, h.failed(err, "")
	}
	_, names, err := hiprtc.Strings(h.headerNames...)
	if err != nil {
		return r, h.failed(err, "")
	}
	prog, err := hiprtc.CreateProgram(h.text, fileName(h.name), n, texts, names)
	if err != nil {
		return r, h.failed(err, "")
	}
	defer func() {
		if destroyed := hiprtc.DestroyProgram(&prog); destroyed != nil && err == nil {
			r, err = Result{}, h.failed(destroyed, "")
		}
	}()
	for _, name := range h.names {
		if err := hiprtc.AddNameExpression(prog, name); err != nil {
			return r, h.failed(err, "")
		}
	}
	n, options, err := hiprtc.Strings(
		append([]string{"--offload-arch=" + h.target}, withStandard(h.options)...)...)
	if err != nil {
		return r, h.failed(err, "")
	}
	compiled := hiprtc.CompileProgram(prog, n, options)
	log, err := hiprtc.Log(prog)
	log = clean(log, h.name)
	if compiled != nil {
		return r, h.failed(compiled, log)
	}
	if err != nil {
		return r, h.failed(err, "")
	}
	return h.collect(prog, log)
}

// collect reads what a compiled program has.
func (h *hip) collect(prog hiprtc.Program, log string) (Result, error) {
	r := Result{Kind: CodeObject, Target: h.target, Log: log, Compiler: h.compiler,
		Lowered: make(map[string]string, len(h.names))}
	var err error
	if r.Image, err = hiprtc.Output(prog, hiprtc.GetCodeSize, hiprtc.GetCode); err != nil {
		return Result{}, h.failed(err, log)
	}
	if len(r.Image) == 0 {
		return Result{}, h.failed(errNoImage, log)
	}
	for _, name := range h.names {
		if r.Lowered[name], err = hiprtc.GetLoweredName(prog, name); err != nil {
			return Result{}, h.failed(err, log)
		}
	}
	return r, nil
}
