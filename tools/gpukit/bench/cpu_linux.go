package main

import (
	"syscall"
	"time"
	"unsafe"
)

// processTime is the processor time that the process has used, in nanoseconds; getrusage counts
// microseconds.
func processTime() time.Duration {
	const processClock = 2 // CLOCK_PROCESS_CPUTIME_ID
	var t syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, processClock,
		uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
