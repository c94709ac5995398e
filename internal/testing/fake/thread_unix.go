//go:build !windows

package fake

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// libc finds a function of the C library, which every process of these tests has open.
func libc(symbol string) uintptr {
	addr := ccall.LibC(symbol)
	if addr == 0 {
		panic(fmt.Sprintf("fake: the C library lacks %s", symbol))
	}
	return addr
}

var (
	pthreadSelf   = sync.OnceValue(func() uintptr { return libc("pthread_self") })
	pthreadCreate = sync.OnceValue(func() uintptr { return libc("pthread_create") })
	pthreadJoin   = sync.OnceValue(func() uintptr { return libc("pthread_join") })
)

// ThreadID tells which OS thread runs, in a number that no other live thread has.
func ThreadID() uintptr {
	f := ccall.New(pthreadSelf())
	defer f.Free()
	f.Call()
	return f.R0
}

// OnThread lets a new OS thread, one that Go did not start, run a C function of one argument, and
// waits for its end.
func OnThread(fn, arg uintptr) {
	id := new(uintptr)
	create := ccall.Regs{Fn: pthreadCreate(),
		A: [ccall.MaxRegs]uintptr{ccall.Ptr(unsafe.Pointer(id)), 0, fn, arg}}
	if code := create.Call(); code != 0 {
		panic(fmt.Sprintf("fake: pthread_create: %d", code))
	}
	join := ccall.Regs{Fn: pthreadJoin(), A: [ccall.MaxRegs]uintptr{*id, 0}}
	if code := join.Call(); code != 0 {
		panic(fmt.Sprintf("fake: pthread_join: %d", code))
	}
}
