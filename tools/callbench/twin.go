// Package callbench measures what a call of the bindings costs beside the same call through cgo and through purego.
//
// The callee is the same in all of them: C functions of this package with the prototypes of driver functions and next to nothing
// inside, so that the call itself is what is timed. It is a module of its own, for it needs cgo and a C compiler.
package callbench

/*
#include <stdint.h>
#include <stddef.h>

typedef uintptr_t handle; // opaque: a number to Go, as in the bindings

// The prototypes are those of cuEventQuery, cuDeviceGetAttribute and cuLaunchKernel. Event 0 is not ready.
static int eventQuery(handle event) { return event ? 0 : 600; }

static int deviceGetAttribute(int *value, int attribute, int device) {
	*value = attribute + device;
	return 0;
}

static int launchKernel(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, handle stream, void **params, void **extra) {
	return (gx + gy + gz + bx + by + bz + shared == 28 && stream) ? 0 : 1;
}

static uintptr_t addressOfEventQuery(void) { return (uintptr_t)eventQuery; }
static uintptr_t addressOfDeviceGetAttribute(void) { return (uintptr_t)deviceGetAttribute; }
static uintptr_t addressOfLaunchKernel(void) { return (uintptr_t)launchKernel; }
*/
import "C"

import "github.com/gpuevent/gpuevent/cudrv"

// symbols are the addresses of the C functions, under the names that the bindings look up.
func symbols(name string) uintptr {
	switch name {
	case "cuEventQuery":
		return uintptr(C.addressOfEventQuery())
	case "cuDeviceGetAttribute":
		return uintptr(C.addressOfDeviceGetAttribute())
	case "cuLaunchKernel":
		return uintptr(C.addressOfLaunchKernel())
	}
	return 0
}

// result is what hand-written cgo bindings do with a code; the box of a known error is made once.
func result(rc C.int) error {
	switch rc {
	case 0:
		return nil
	case 600:
		return cudrv.ErrNotReady
	}
	return cudrv.Result(rc)
}

// The twins: how bindings written by hand with cgo look.

func cgoEventQuery(event uintptr) error {
	return result(C.eventQuery(C.handle(event)))
}

func cgoDeviceGetAttribute(attribute, device int32) (int32, error) {
	var value C.int
	rc := C.deviceGetAttribute(&value, C.int(attribute), C.int(device))
	return int32(value), result(rc)
}

func cgoLaunchKernel(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream uintptr) error {
	return result(C.launchKernel(C.handle(f), C.uint(gx), C.uint(gy), C.uint(gz), C.uint(bx), C.uint(by), C.uint(bz),
		C.uint(shared), C.handle(stream), nil, nil))
}
