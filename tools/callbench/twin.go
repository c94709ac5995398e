package main

/*
#include "driver.h"

// A kernel's own launcher: what one writes beside a kernel of four parameters.
static int launch4(handle f, handle stream, uint64_t a, uint64_t b, int32_t count, float factor) {
	void *params[] = {&a, &b, &count, &factor};
	return launchKernel(f, 1, 2, 3, 4, 5, 6, 7, stream, params, NULL);
}
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
)

// The twins: how bindings written by hand with cgo look.

// result is what they do with a code; the box of a known error is made once.
func result(rc C.int) error {
	switch rc {
	case 0:
		return nil
	case 600:
		return cudrv.ErrNotReady
	}
	return cudrv.Result(rc)
}

func cgoEventRecord(event, stream uintptr) error {
	return result(C.eventRecord(C.handle(event), C.handle(stream)))
}

func cgoEventQuery(event uintptr) error { return result(C.eventQuery(C.handle(event))) }

func cgoEventElapsed(start, end uintptr) (float32, error) {
	var ms C.float
	rc := C.eventElapsed(&ms, C.handle(start), C.handle(end))
	return float32(ms), result(rc)
}

func cgoStreamWaitEvent(stream, event uintptr, flags uint32) error {
	return result(C.streamWaitEvent(C.handle(stream), C.handle(event), C.uint(flags)))
}

func cgoEventCreate(flags uint32) (uintptr, error) {
	var event C.handle
	rc := C.eventCreate(&event, C.uint(flags))
	return uintptr(event), result(rc)
}

func cgoEventDestroy(event uintptr) error { return result(C.eventDestroy(C.handle(event))) }

func cgoDeviceGetAttribute(attribute, device int32) (int32, error) {
	var value C.int
	rc := C.deviceGetAttribute(&value, C.int(attribute), C.int(device))
	return int32(value), result(rc)
}

func cgoLaunch(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr) error {
	return result(C.launchKernel(C.handle(f), C.uint(gx), C.uint(gy), C.uint(gz), C.uint(bx),
		C.uint(by), C.uint(bz), C.uint(shared), C.handle(stream), nil, nil))
}

func cgoLaunch4(f, stream uintptr, a, b uint64, count int32, factor float32) error {
	return result(C.launch4(C.handle(f), C.handle(stream), C.uint64_t(a), C.uint64_t(b),
		C.int32_t(count), C.float(factor)))
}

// cgoLaunchAny launches kernels of any parameters: cgo wants those pinned.
func cgoLaunchAny(f, stream uintptr, params []unsafe.Pointer) error {
	var pins runtime.Pinner
	for _, p := range params {
		pins.Pin(p)
	}
	rc := C.launchKernel(C.handle(f), 1, 2, 3, 4, 5, 6, 7, C.handle(stream), &params[0], nil)
	pins.Unpin()
	return result(rc)
}

// Two sequences of calls, for the tests that compare them with lists of calls. cgoInside is get
// current, set, record, restore.
func cgoInside(ours, event, stream uintptr) error {
	var theirs C.handle
	if rc := C.ctxGetCurrent(&theirs); rc != 0 {
		return result(rc)
	}
	if rc := C.ctxSetCurrent(C.handle(ours)); rc != 0 {
		return result(rc)
	}
	rc := C.eventRecord(C.handle(event), C.handle(stream))
	if restored := C.ctxSetCurrent(theirs); rc == 0 {
		rc = restored
	}
	return result(rc)
}

// cgoAsk queries whether the stream is captured, and records.
func cgoAsk(event, stream uintptr) error {
	var status C.int
	if rc := C.streamCapturing(C.handle(stream), &status); rc != 0 || status != 0 {
		return result(rc)
	}
	return result(C.eventRecord(C.handle(event), C.handle(stream)))
}
