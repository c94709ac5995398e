package compiler

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/nvrtc"
)

func TestCUDAPassesAll(t *testing.T) {
	l := fakeNVRTC(t, "libnvrtc.so.test")
	l.log = "a/k.cu(1): warning #177-D: odd"
	r := Request{Text: "text", Name: "a/k.cu", Target: "sm_90",
		Headers: map[string]string{"b.h": "B", "a.h": ""}, Options: []string{"-G", "-DX=1"},
		Names: []string{"f<int>", "&v", "f<int>"}}
	got, err := CUDA(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, Result{Image: []byte("\x7fELF cubin"), Kind: Cubin, Target: "sm_90",
		Lowered: map[string]string{"f<int>": "_Zf<int>", "&v": "_Z&v"}, Log: l.log,
		Compiler: "NVRTC 12.3"}, got)
	assert.False(t, got.HasErrors())
	assert.Equal(t, "text", l.text)
	assert.Equal(t, "a/k.cu", l.name)
	assert.Equal(t, []string{"a.h", "b.h"}, l.headerNames)
	assert.Equal(t, []string{"", "B"}, l.headerTexts)
	assert.Equal(t, []string{"--gpu-architecture=sm_90", "-std=c++17", "-G", "-DX=1"}, l.options)
	assert.Equal(t, []string{"f<int>", "&v"}, l.names)
	assert.Zero(t, l.live)

	r.Name, r.Options = "", []string{"--std=c++20"}
	_, err = CUDA(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, "kernel.cu", l.name)
	assert.Equal(t, []string{"--gpu-architecture=sm_90", "--std=c++20"}, l.options)
}

// The kind of image is the one that was asked for, or what there is.
func TestCUDAKinds(t *testing.T) {
	for name, c := range map[string]struct {
		target  string
		options []string
		outputs map[string]string
		without []string
		option  string
		kind    string
		image   string
		fails   error
	}{
		"cubin": {target: "sm_80", option: "sm_80", kind: Cubin, image: "\x7fELF cubin"},
		"of an older GPU": {target: "sm_89", option: "sm_86", kind: Cubin,
			image: "\x7fELF cubin"},
		"PTX asked for": {target: "compute_80", option: "compute_80", kind: PTX,
			image: ".version 8.0\x00"},
		"PTX for a newer GPU": {target: "sm_120", option: "compute_90", kind: PTX,
			image: ".version 8.0\x00"},
		"PTX without its NUL": {target: "compute_80", option: "compute_80", kind: PTX,
			outputs: map[string]string{"PTX": ".version"}, image: ".version\x00"},
		"no function for cubins": {target: "sm_80", option: "compute_80", kind: PTX,
			without: []string{"GetCUBIN", "GetCUBINSize"}, image: ".version 8.0\x00"},
		"no cubin made": {target: "sm_80", option: "sm_80", kind: PTX,
			outputs: map[string]string{"CUBIN": "\x00", "PTX": "ptx\x00"}, image: "ptx\x00"},
		"nothing made": {target: "sm_80", outputs: map[string]string{"PTX": "\x00"},
			fails: ErrFailed},
		"no list of architectures": {target: "sm_123", option: "sm_123", kind: Cubin,
			without: []string{"GetNumSupportedArchs", "GetSupportedArchs"}, image: "\x7fELF cubin"},
		"LTO-IR": {target: "sm_80", options: []string{"-dlto"}, option: "sm_80", kind: LTOIR,
			outputs: map[string]string{"LTOIR": "lto", "PTX": "\x00"}, image: "lto"},
		"no LTO-IR made": {target: "sm_80", options: []string{"--dlink-time-opt"}, fails: ErrFailed},
		"no function for LTO-IR": {target: "sm_80", options: []string{"-dlto"},
			without: []string{"GetLTOIR", "GetLTOIRSize"}, fails: ErrOption},
		"too old a GPU": {target: "sm_60", fails: ErrTarget},
	} {
		t.Run(name, func(t *testing.T) {
			l := fakeNVRTC(t, "libnvrtc.so.test", c.without...)
			if c.outputs != nil {
				l.outputs = c.outputs
			}
			got, err := CUDA(t.Context(),
				Request{Text: "x", Target: c.target, Options: c.options})
			assert.Zero(t, l.live)
			if c.fails != nil {
				require.ErrorIs(t, err, c.fails)
				assert.Zero(t, got)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, [3]string{c.option, c.kind, c.image},
				[3]string{got.Target, got.Kind, string(got.Image)})
			assert.Contains(t, l.options, "--gpu-architecture="+c.option)
		})
	}
}

// A code of NVRTC and its log are one reason.
func TestCUDAReasons(t *testing.T) {
	for name, c := range map[string]struct {
		code   nvrtc.Result
		log    string
		reason error
		says   string
	}{
		"source": {nvrtc.ErrCompilation, "kernel.cu(3): error: expected a \";\"\n  }\n  ^\n", ErrSource,
			"kernel.cu:3: error: expected a"},
		"name": {nvrtc.ErrCompilation, `__nv_name_map(2): error: identifier "f" is undefined`, ErrName,
			`identifier "f" is undefined`},
		"assembler": {nvrtc.ErrCompilation, "ptxas error   : Entry function 'k' uses too much",
			ErrSource, "ptxas: Entry function 'k'"},
		"definition": {nvrtc.ErrCompilation, "Command-line error: invalid macro definition: ",
			ErrOption, "invalid macro"},
		"option": {nvrtc.ErrInvalidOption, "nvrtc: error: unrecognized option -foo found", ErrOption,
			"error: unrecognized option -foo"},
		"target": {nvrtc.ErrInvalidOption, "nvrtc: error: invalid value for --gpu-architecture (-arch)",
			ErrTarget, "invalid value"},
		"builtins": {nvrtc.ErrBuiltinOperationFailure, "nvrtc: error: failed to open libnvrtc-builtins",
			ErrIncomplete, "compute.Load takes an image"},
		"memory":   {nvrtc.ErrOutOfMemory, "", ErrFailed, "free memory"},
		"internal": {nvrtc.ErrInternalError, "something", ErrFailed, "something"},
		"unknown":  {nvrtc.Result(77), "", ErrFailed, "Result(77)"},
	} {
		t.Run(name, func(t *testing.T) {
			l := fakeNVRTC(t, "libnvrtc.so.test")
			l.log = c.log
			l.compile = func([]string) int32 { return int32(c.code) }
			_, err := CUDA(t.Context(), Request{Text: "x", Target: "sm_80"})
			require.ErrorIs(t, err, c.reason)
			require.ErrorIs(t, err, c.code)
			assert.ErrorContains(t, err, c.says)
			assert.ErrorContains(t, err, "compile kernel.cu for sm_80 with NVRTC 12.3")
			assert.Zero(t, l.live)
		})
	}
}

// Whatever call fails, the program is destroyed, and the next source compiles.
func TestCUDAEveryCallFails(t *testing.T) {
	l := fakeNVRTC(t, "libnvrtc.so.test")
	r := Request{Text: "x", Target: "sm_80", Names: []string{"f"},
		Headers: map[string]string{"h": ""}}
	l.log = "a warning"
	_, err := CUDA(t.Context(), r)
	require.NoError(t, err)
	calls := l.called()
	require.Subset(t, calls, []string{"SetFlowCallback", "GetCUBIN", "GetLoweredName"})
	for _, f := range calls {
		if f == "Version" {
			continue // asked once
		}
		l.fails[f] = int32(nvrtc.ErrInternalError)
		got, err := CUDA(t.Context(), r)
		require.ErrorIs(t, err, ErrFailed, f)
		require.ErrorIs(t, err, nvrtc.ErrInternalError, f)
		assert.Zero(t, got, f)
		assert.Zero(t, l.live, f)
		assert.Empty(t, l.fails, f)
		_, err = CUDA(t.Context(), r)
		require.NoError(t, err, f)
	}
}

// A library without a function that it needs says which, and since when there is one.
func TestCUDAMissingFunctions(t *testing.T) {
	for _, f := range []string{"CreateProgram", "AddNameExpression", "CompileProgram",
		"GetProgramLogSize", "GetProgramLog", "GetLoweredName", "DestroyProgram", "GetPTX"} {
		t.Run(f, func(t *testing.T) {
			fakeNVRTC(t, "libnvrtc.so.test", f)
			_, err := CUDA(t.Context(), Request{Text: "x", Target: "compute_80", Names: []string{"f"}})
			require.ErrorIs(t, err, ErrFailed)
			require.ErrorIs(t, err, nvrtc.ErrSymbolNotFound)
			assert.ErrorContains(t, err, "nvrtc"+f)
		})
	}
	fakeNVRTC(t, "libnvrtc.so.test", "Version")
	_, err := CUDA(t.Context(), Request{Text: "x", Target: "compute_80"})
	assert.ErrorIs(t, err, ErrFailed)
	assert.NotErrorIs(t, err, ErrNotInstalled)
}
