package main

/*
#include "driver.h"

// Names of their own for the same functions, since the promises below are made by name. They
// vanish: the compiler puts them into what cgo calls.
#define QUIET static inline int

QUIET quietRecord(handle event, handle stream) { return eventRecord(event, stream); }
QUIET quietQuery(handle event) { return eventQuery(event); }
QUIET quietElapsed(float *ms, handle start, handle end) { return eventElapsed(ms, start, end); }
QUIET quietWait(handle stream, handle event, unsigned flags) {
	return streamWaitEvent(stream, event, flags);
}
QUIET quietCreate(handle *event, unsigned flags) { return eventCreate(event, flags); }
QUIET quietDestroy(handle event) { return eventDestroy(event); }
QUIET quietLaunch(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, handle stream, void **params, void **extra) {
	return launchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}
QUIET quietLaunch4(handle f, handle stream, uint64_t a, uint64_t b, int32_t count, float factor) {
	void *params[] = {&a, &b, &count, &factor};
	return launchKernel(f, 1, 2, 3, 4, 5, 6, 7, stream, params, NULL);
}

#cgo noescape quietRecord
#cgo nocallback quietRecord
#cgo noescape quietQuery
#cgo nocallback quietQuery
#cgo noescape quietElapsed
#cgo nocallback quietElapsed
#cgo noescape quietWait
#cgo nocallback quietWait
#cgo noescape quietCreate
#cgo nocallback quietCreate
#cgo noescape quietDestroy
#cgo nocallback quietDestroy
#cgo noescape quietLaunch
#cgo nocallback quietLaunch
#cgo noescape quietLaunch4
#cgo nocallback quietLaunch4
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// The twins with cgo's promises that a function keeps no pointer and never calls Go.

func quietEventRecord(event, stream uintptr) error {
	return result(C.quietRecord(C.handle(event), C.handle(stream)))
}

func quietEventQuery(event uintptr) error { return result(C.quietQuery(C.handle(event))) }

func quietEventElapsed(start, end uintptr) (float32, error) {
	var ms C.float
	rc := C.quietElapsed(&ms, C.handle(start), C.handle(end))
	return float32(ms), result(rc)
}

func quietStreamWaitEvent(stream, event uintptr, flags uint32) error {
	return result(C.quietWait(C.handle(stream), C.handle(event), C.uint(flags)))
}

func quietEventCreate(flags uint32) (uintptr, error) {
	var event C.handle
	rc := C.quietCreate(&event, C.uint(flags))
	return uintptr(event), result(rc)
}

func quietEventDestroy(event uintptr) error { return result(C.quietDestroy(C.handle(event))) }

func quietLaunch(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr) error {
	return result(C.quietLaunch(C.handle(f), C.uint(gx), C.uint(gy), C.uint(gz), C.uint(bx),
		C.uint(by), C.uint(bz), C.uint(shared), C.handle(stream), nil, nil))
}

func quietLaunch4(f, stream uintptr, a, b uint64, count int32, factor float32) error {
	return result(C.quietLaunch4(C.handle(f), C.handle(stream), C.uint64_t(a), C.uint64_t(b),
		C.int32_t(count), C.float(factor)))
}

func quietLaunchAny(f, stream uintptr, params []unsafe.Pointer) error {
	var pins runtime.Pinner
	for _, p := range params {
		pins.Pin(p)
	}
	rc := C.quietLaunch(C.handle(f), 1, 2, 3, 4, 5, 6, 7, C.handle(stream), &params[0], nil)
	pins.Unpin()
	return result(rc)
}
