package main

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/hiprtc"
)

func compileAMD(s source, arch string) (r result, err error) {
	if err := hiprtc.Available(); err != nil {
		return r, err // without a library, it says how to install one
	}
	r.compiler, r.kind = fmt.Sprintf("hipRTC (%s)", hiprtc.Path()), "code object"
	prog, err := hiprtc.CreateProgram(s.text, s.name, 0, nil, nil)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, hiprtc.DestroyProgram(&prog)) }()
	n, options, err := hiprtc.Strings("--offload-arch="+arch, "-std=c++17")
	if err != nil {
		return r, err
	}
	compiled := hiprtc.CompileProgram(prog, n, options)
	if r.log, err = hiprtc.Log(prog); compiled != nil || err != nil {
		return r, errors.Join(compiled, err)
	}
	r.code, err = hiprtc.Output(prog, hiprtc.GetCodeSize, hiprtc.GetCode)
	return r, err
}
