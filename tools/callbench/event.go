package callbench

/*
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t handle;

// A driver that does nothing, of one device: what package event calls to open it, and the three calls that are timed.
static int pending; // what an event query answers: not ready, or done
static uintptr_t last = 0x1000;

static int init(unsigned flags) { return 0; }
static int driverGetVersion(int *v) { *v = 13000; return 0; }
static int deviceGetCount(int *n) { *n = 1; return 0; }
static int deviceGet(int *d, int ordinal) { *d = ordinal; return 0; }
static int deviceText(char *out, int size, int d) { strncpy(out, "idle", (size_t)size); return 0; }
static int deviceUuid(void *out, int d) { memset(out, 7, 16); return 0; }
static int deviceTotalMem(size_t *out, int d) { *out = 1 << 30; return 0; }
static int deviceAttribute(int *out, int attribute, int d) { *out = 1; return 0; }
static int primaryRetain(handle *c, int d) { *c = 0xc0; return 0; }
static int ctxGetCurrent(handle *c) { *c = 0xc0; return 0; }
static int ctxSetCurrent(handle c) { return 0; }
static int ctxPriorities(int *least, int *greatest) { *least = 0; *greatest = -5; return 0; }
static int streamCreate(handle *s, unsigned flags, int priority) { *s = last += 16; return 0; }
static int eventCreate(handle *e, unsigned flags) { *e = last += 16; return 0; }
static int one(handle h) { return 0; }
static int exchangeMode(int *mode) { return 0; }
static int idleEventRecord(handle e, handle s) { return e && s ? 0 : 400; }
static int idleEventQuery(handle e) { return pending ? 600 : 0; }
static int idleEventElapsed(float *ms, handle start, handle end) { *ms = 1.5f; return 0; }

static void setPending(int p) { pending = p; }

static uintptr_t idle(const char *name) {
	static const struct { const char *name; void *f; } all[] = {
		{"cuInit", init}, {"cuDriverGetVersion", driverGetVersion}, {"cuDeviceGetCount", deviceGetCount}, {"cuDeviceGet", deviceGet},
		{"cuDeviceGetName", deviceText}, {"cuDeviceGetPCIBusId", deviceText}, {"cuDeviceGetUuid", deviceUuid}, {"cuDeviceGetUuid_v2", deviceUuid},
		{"cuDeviceTotalMem_v2", deviceTotalMem}, {"cuDeviceGetAttribute", deviceAttribute}, {"cuDevicePrimaryCtxRetain", primaryRetain},
		{"cuCtxGetCurrent", ctxGetCurrent}, {"cuCtxSetCurrent", ctxSetCurrent}, {"cuCtxGetStreamPriorityRange", ctxPriorities},
		{"cuStreamCreateWithPriority", streamCreate}, {"cuStreamDestroy_v2", one}, {"cuEventCreate", eventCreate}, {"cuEventDestroy_v2", one},
		{"cuEventSynchronize", one}, {"cuStreamSynchronize", one}, {"cuThreadExchangeStreamCaptureMode", exchangeMode},
		{"cuEventRecord", idleEventRecord}, {"cuEventQuery", idleEventQuery},
		{"cuEventElapsedTime", idleEventElapsed}, {"cuEventElapsedTime_v2", idleEventElapsed},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name))
			return (uintptr_t)all[i].f;
	return 0;
}
*/
import "C"

import "unsafe"

// idleDriver gives the addresses of the C functions of a CUDA driver that does nothing.
func idleDriver(name string) uintptr {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return uintptr(C.idle(c))
}

// idlePending says what the idle driver answers to event queries: not ready, or done.
func idlePending(pending bool) {
	answer := C.int(0)
	if pending {
		answer = 1
	}
	C.setPending(answer)
}
