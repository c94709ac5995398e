package fake

import (
	"fmt"
	"syscall"
)

var (
	kernel32           = syscall.NewLazyDLL("kernel32.dll")
	getCurrentThreadID = kernel32.NewProc("GetCurrentThreadId")
	createThread       = kernel32.NewProc("CreateThread")
)

// ThreadID tells which OS thread runs, in a number that no other live thread has.
func ThreadID() uintptr {
	id, _, _ := getCurrentThreadID.Call()
	return id
}

// OnThread lets a new OS thread, one that Go did not start, run a C function of one argument, and
// waits for its end.
func OnThread(fn, arg uintptr) {
	thread, _, err := createThread.Call(0, 0, fn, arg, 0, 0)
	if thread == 0 {
		panic(fmt.Sprintf("fake: CreateThread: %v", err))
	}
	defer syscall.CloseHandle(syscall.Handle(thread))
	if _, err := syscall.WaitForSingleObject(syscall.Handle(thread), syscall.INFINITE); err != nil {
		panic(fmt.Sprintf("fake: WaitForSingleObject: %v", err))
	}
}
