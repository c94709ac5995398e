package compiler

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/image"
)

var hipTurn = newTurn()

// HIP compiles a source with hipRTC. The image is a code object for the target; without features
// in it, it runs with any setting of them. Without a target the compiler's own default is used, and
// the image may be a bundle: that is for runtimes of other vendors, whose devices have no name as
// AMD's have. The error of a source with mistakes is an [*Error].
//
// hipRTC cannot be cancelled: when the context ends, the compilation goes on behind the caller's
// back, and the next one waits for it.
func HIP(ctx context.Context, r Request) (Result, error) {
	if err := errors.Join(r.check(), r.checkHIP(), r.checkOptions(forbiddenHIP)); err != nil {
		return Result{}, err
	}
	j := newJob(&r)
	if err := checkHIPTarget(j.target); err != nil && j.target != "" {
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
	n, options, err := hiprtc.Strings(h.allOptions()...)
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

// allOptions returns the options, with the target if there is one.
func (h *hip) allOptions() []string {
	options := withStandard(h.options)
	if h.target == "" {
		return options
	}
	return append([]string{"--offload-arch=" + h.target}, options...)
}

// collect reads the results of a compiled program.
// fact: chip-rtc-host-object
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
	if bundle := image.Offloaded(r.Image); bundle != nil {
		r.Image = bundle
	}
	if image.KindOf(r.Image) == image.Bundle {
		r.Kind = Bundle
	}
	for _, name := range h.names {
		if r.Lowered[name], err = hiprtc.GetLoweredName(prog, name); err != nil {
			return Result{}, h.failed(err, log)
		}
	}
	return r, nil
}

// hipArch is an AMD architecture with features, or that of a generation: gfx942:sramecc+:xnack-,
// gfx10-3-generic. Whether the compiler has it, package hiprtc asks.
var hipArch = regexp.MustCompile(`^gfx(?:[0-9]{1,2}[0-9a-f]{2}|[0-9]{1,2}(?:-[0-9])?-generic)` +
	`(?::[a-z]+[+-])*$`)

// checkHIPTarget refuses what is no AMD architecture: releases of hipRTC before 7 end the process
// at a name that they do not know.
func checkHIPTarget(target string) error {
	if !hipArch.MatchString(target) {
		return fmt.Errorf("%w %q: AMD's are like gfx942, with features gfx942:sramecc+:xnack-",
			ErrTarget, target)
	}
	return nil
}
