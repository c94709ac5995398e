//go:build linux

package main

/*
#include <stdlib.h>
#include "driver.h"
*/
import "C"

import (
	"time"
	"unsafe"
)

// timedDriver gives the addresses of the C functions of a CUDA driver and a HIP runtime whose work
// is time that goes by.
func timedDriver(name string) uintptr {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return uintptr(C.wakeSymbol(c))
}

// timedWork says how long the work before the next record takes.
func timedWork(d time.Duration) { C.wakeSetLength(C.int64_t(d)) }

// timedEnd is when the last record is done, by timedNow.
func timedEnd() time.Duration { return time.Duration(C.wakeLatest()) }

// timedNow is the clock of the timed driver.
func timedNow() time.Duration { return time.Duration(C.wakeNow()) }
