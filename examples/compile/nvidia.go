package main

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/nvrtc"
)

func compileNVIDIA(s source, arch string) (r result, err error) {
	major, minor, err := nvrtc.Version()
	if err != nil {
		return r, err // without a library, it says how to install one
	}
	r.compiler, r.kind = fmt.Sprintf("NVRTC %d.%d", major, minor), "cubin"
	prog, err := nvrtc.CreateProgram(s.text, s.name, 0, nil, nil)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, nvrtc.DestroyProgram(&prog)) }()
	n, options, err := nvrtc.Strings("--gpu-architecture="+arch, "-std=c++17")
	if err != nil {
		return r, err
	}
	compiled := nvrtc.CompileProgram(prog, n, options)
	if r.log, err = nvrtc.Log(prog); compiled != nil || err != nil {
		return r, errors.Join(compiled, err)
	}
	ptx, err := nvrtc.Output(prog, nvrtc.GetPTXSize, nvrtc.GetPTX)
	if err != nil {
		return r, err
	}
	r.text = string(ptx)
	r.code, err = nvrtc.Output(prog, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
	return r, err
}
