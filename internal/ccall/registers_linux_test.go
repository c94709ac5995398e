//go:build linux && !android && (amd64 || arm64)

package ccall_test

import (
	_ "embed"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

//go:embed testdata/caller.c
var callerText string

// caller is a library whose lost_registers calls a C function with a pattern in every register that
// C functions keep, and returns those that have lost it as bits. step is a function that uses all
// others, with a result that it takes, and notes a stack that C does not allow.
func caller(t *testing.T) (lost, step, misaligned uintptr) {
	t.Helper()
	path := clib.Library(t, t.TempDir(), "libcaller.so", callerText)
	lib, err := purego.Dlopen(path, purego.RTLD_NOW)
	require.NoError(t, err)
	for name, at := range map[string]*uintptr{
		"lost_registers": &lost, "step": &step, "misaligned": &misaligned} {
		*at, err = purego.Dlsym(lib, name)
		require.NoError(t, err)
	}
	return lost, step, misaligned
}

// C calls the trampolines: they must keep the registers that a C function keeps, and give what they
// call an aligned stack.
func TestTrampolinesKeepRegisters(t *testing.T) {
	lost, step, misaligned := caller(t)
	words := ccall.Words{Fn: step}
	frame := ccall.New(step)
	defer frame.Free()
	list := make([]ccall.Step, 5)
	var many [16]uintptr
	for i := range list {
		list[i].Set(step, many[:4*i]...)
	}
	list[2].A[0] = 7 // fails
	list[3].Always = 1
	list[4].After(&list[3], ccall.Succeeded)
	arguments := map[string]unsafe.Pointer{
		"words": unsafe.Pointer(&words), "frame": unsafe.Pointer(frame), "list": ccall.ListArgs(list)}
	for name, trampoline := range ccall.Trampolines() {
		r := ccall.Regs{Fn: lost, A: [ccall.MaxRegs]uintptr{trampoline, ccall.Ptr(arguments[name])}}
		assert.Zerof(t, r.Call(), "%s: a bit for each register", name)
		r = ccall.Regs{Fn: misaligned}
		assert.Zerof(t, r.Call(), "%s: calls with a stack that is not aligned", name)
		runtime.KeepAlive(arguments)
	}
	assert.Equal(t, ccall.Failed, list[2].State)
	assert.EqualValues(t, 7, list[2].Code)
	assert.Equal(t, ccall.Succeeded, list[4].State)
	assert.Equal(t, 2, ccall.FirstFailed(list))

	breaks, err := purego.Dlsym(purego.RTLD_DEFAULT, "abs")
	require.NoError(t, err)
	r := ccall.Regs{Fn: lost, A: [ccall.MaxRegs]uintptr{breaks, 5}}
	assert.Zero(t, r.Call(), "a function of the C library keeps them")
}

// The proof can fail: a function that breaks its promise is found out.
func TestLostRegistersAreFound(t *testing.T) {
	path := clib.Library(t, t.TempDir(), "libbreaker.so", callerText)
	lib, err := purego.Dlopen(path, purego.RTLD_NOW)
	require.NoError(t, err)
	lost, err := purego.Dlsym(lib, "lost_registers")
	require.NoError(t, err)
	breaker, err := purego.Dlsym(lib, "breaker")
	require.NoError(t, err)
	r := ccall.Regs{Fn: lost, A: [ccall.MaxRegs]uintptr{breaker}}
	assert.NotZero(t, r.Call())
}
