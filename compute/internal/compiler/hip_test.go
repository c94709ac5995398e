package compiler

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

func TestHIPPassesAll(t *testing.T) {
	l := fakeHIPRTC(t, "fake.so")
	l.log = "/tmp/comgr-1-0-ab/input/k.cu:2:1: warning: odd"
	r := Request{Text: "text", Name: "../a/k.cu", Target: "gfx942:sramecc+:xnack-",
		Headers: map[string]string{"d/b.h": "B", "a.h": "A"}, Options: []string{"-O2"},
		Names: []string{"f<int>"}}
	got, err := HIP(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, Result{Image: []byte("\x7fELF code"), Kind: CodeObject, Target: r.Target,
		Lowered: map[string]string{"f<int>": "_Zf<int>"}, Log: "../a/k.cu:2:1: warning: odd",
		Compiler: "hipRTC (fake.so)"}, got)
	assert.Equal(t, "k.cu", l.name, "it names a file that hipRTC writes")
	assert.Equal(t, []string{"a.h", "d/b.h"}, l.headerNames)
	assert.Equal(t, []string{"A", "B"}, l.headerTexts)
	assert.Equal(t, []string{"--offload-arch=gfx942:sramecc+:xnack-", "-std=c++17", "-O2"}, l.options)
	assert.Zero(t, l.live)
}

// Without a target the compiler chooses, and it may return an object file for the host.
func TestHIPDefaultTarget(t *testing.T) {
	l := fakeHIPRTC(t, "libCHIP.so")
	bundle := images.SPIRVBundle()
	l.outputs["Code"] = string(images.HostObject(bundle))
	r := Request{Text: "text"}
	got, err := HIP(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, bundle, got.Image)
	assert.Equal(t, Bundle, got.Kind)
	assert.Empty(t, got.Target)
	assert.Equal(t, []string{"-std=c++17"}, l.options)

	l.compile = func([]string) int32 { return int32(hiprtc.ErrCompilation) }
	l.log = "error: no"
	_, err = HIP(t.Context(), r)
	assert.ErrorContains(t, err, "compile kernel.cu with hipRTC (libCHIP.so)")
}

// A code of hipRTC and its log are one reason.
func TestHIPReasons(t *testing.T) {
	for name, c := range map[string]struct {
		code   hiprtc.Result
		log    string
		reason error
		says   string
	}{
		"source": {hiprtc.ErrCompilation, "/tmp/comgr-1d53/input/kernel.cu:2:9: error: expected ';'",
			ErrSource, "kernel.cu:2:9: error: expected ';'"},
		"in a header": {hiprtc.ErrCompilation,
			"In file included from /tmp/comgr-1d53/input/kernel.cu:1:\n" +
				"/tmp/comgr-1d53/include/h.h:77:1: error: no", ErrSource, "h.h:77:1: error: no"},
		"name": {hiprtc.ErrCompilation, "/tmp/comgr-1d53/input/kernel.cu:3:73: error: undeclared 'f'",
			ErrName, "undeclared 'f'"},
		"option": {hiprtc.ErrCompilation, "error: unknown argument: '-foo'", ErrOption, "'-foo'"},
		"linker": {hiprtc.ErrCompilation, "ld.lld: error: undefined symbol: f", ErrSource,
			"undefined symbol: f"},
		"warnings only": {hiprtc.ErrCompilation, "warning: odd", ErrFailed, "warning: odd"},
		"nothing":       {hiprtc.ErrCompilation, "", ErrFailed, "check the options"},
		"a link":        {hiprtc.ErrLinking, "", ErrSource, "ErrLinking"},
		"an option":     {hiprtc.ErrInvalidOption, "", ErrOption, "ErrInvalidOption"},
		"builtins":      {hiprtc.ErrBuiltinOperationFailure, "", ErrIncomplete, "libamd_comgr"},
		"internal":      {hiprtc.ErrInternalError, "", ErrFailed, "ErrInternalError"},
	} {
		t.Run(name, func(t *testing.T) {
			l := fakeHIPRTC(t, "fake.so")
			l.log = c.log
			l.compile = func([]string) int32 { return int32(c.code) }
			_, err := HIP(t.Context(), Request{Text: "line 1\nline 2", Target: "gfx90a"})
			require.ErrorIs(t, err, c.reason)
			require.ErrorIs(t, err, c.code)
			assert.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "comgr-")
			assert.Zero(t, l.live)
		})
	}
}

// Whatever call fails, the program is destroyed, and the next source compiles.
func TestHIPEveryCallFails(t *testing.T) {
	l := fakeHIPRTC(t, "fake.so")
	l.log = "a warning"
	r := Request{Text: "x", Target: "gfx1100", Names: []string{"f"}}
	_, err := HIP(t.Context(), r)
	require.NoError(t, err)
	for _, f := range l.called() {
		if f == "Version" {
			continue // asked once
		}
		l.fails[f] = int32(hiprtc.ErrInternalError)
		got, err := HIP(t.Context(), r)
		require.ErrorIs(t, err, ErrFailed, f)
		require.ErrorIs(t, err, hiprtc.ErrInternalError, f)
		assert.Zero(t, got, f)
		assert.Zero(t, l.live, f)
		_, err = HIP(t.Context(), r)
		require.NoError(t, err, f)
	}
	l.outputs = nil
	_, err = HIP(t.Context(), r)
	assert.ErrorIs(t, err, ErrFailed)
	assert.ErrorContains(t, err, "no image came of it")
}

// A library without a function that it needs says which.
func TestHIPMissingFunctions(t *testing.T) {
	for _, f := range []string{"CreateProgram", "AddNameExpression", "CompileProgram",
		"GetProgramLogSize", "GetProgramLog", "GetLoweredName", "DestroyProgram", "GetCode"} {
		t.Run(f, func(t *testing.T) {
			fakeHIPRTC(t, "fake.so", f)
			_, err := HIP(t.Context(), Request{Text: "x", Target: "gfx90a", Names: []string{"f"}})
			require.ErrorIs(t, err, ErrFailed)
			require.ErrorIs(t, err, hiprtc.ErrSymbolNotFound)
			assert.ErrorContains(t, err, "hiprtc"+f)
		})
	}
}
