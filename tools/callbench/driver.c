#include "driver.h"

#include <string.h>
#include <time.h>

static _Thread_local uint64_t calls[KINDS];

uint64_t called(int kind) { return calls[kind]; }

static const handle primary = 0xc0;
static int pending;
static handle last = 0x10000;
static _Thread_local handle current;

void setPending(int p) { pending = p; }
void setInside(int inside) { current = inside ? primary : 0; }

int eventCreate(handle *event, unsigned flags) {
	calls[CREATE]++;
	*event = last += 16;
	return flags & ~7u ? INVALID_VALUE : OK;
}

int eventDestroy(handle event) {
	calls[DESTROY]++;
	return event ? OK : INVALID_HANDLE;
}

int eventRecord(handle event, handle stream) {
	calls[RECORD]++;
	return event ? OK : INVALID_HANDLE;
}

int eventQuery(handle event) {
	calls[QUERY]++;
	return !event ? INVALID_HANDLE : pending ? NOT_READY : OK;
}

int eventElapsed(float *ms, handle start, handle end) {
	calls[ELAPSED]++;
	*ms = 1.5f;
	return start && end ? OK : INVALID_HANDLE;
}

int streamWaitEvent(handle stream, handle event, unsigned flags) {
	calls[WAIT]++;
	return stream && event ? OK : INVALID_HANDLE;
}

// Reads its parameters, if any, so that they have to be there: two pointers, a number, a float.
int launchKernel(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, handle stream, void **params, void **extra) {
	calls[LAUNCH]++;
	if (!f || !stream || gx + gy + gz + bx + by + bz + shared != 28)
		return INVALID_VALUE;
	if (params && (*(uint64_t *)params[0] != 0xa0 || *(uint64_t *)params[1] != 0xb0 ||
		*(int32_t *)params[2] != 1000 || *(float *)params[3] != 2.5f))
		return INVALID_VALUE;
	return OK;
}

int deviceGetAttribute(int *value, int attribute, int device) {
	*value = attribute < 10 ? 1 << 16 : attribute + device; // the first are limits of launches
	return OK;
}

// What package event needs beside that to open a device.

static int init(unsigned flags) { return OK; }
static int cudaVersion(int *v) { *v = 13000; return OK; }
static int hipVersion(int *v) { *v = 70051831; return OK; }
static int deviceGetCount(int *n) { *n = 1; return OK; }
static int deviceGet(int *d, int ordinal) { *d = ordinal; return OK; }
static int deviceText(char *out, int size, int d) { strncpy(out, "idle", (size_t)size); return OK; }
static int deviceUuid(void *out, int d) { memset(out, 7, 16); return OK; }
static int deviceTotalMem(size_t *out, int d) { *out = 1 << 30; return OK; }
static int primaryRetain(handle *c, int d) { *c = primary; return OK; }
int ctxGetCurrent(handle *c) { calls[CURRENT]++; *c = current; return OK; }
int ctxSetCurrent(handle c) { calls[SET_CURRENT]++; current = c; return OK; }
static int getDevice(int *d) { calls[CURRENT]++; *d = 0; return OK; }
static int setDevice(int d) { calls[SET_CURRENT]++; return OK; }
static int priorities(int *least, int *greatest) { *least = 0; *greatest = -5; return OK; }
static int streamCreate(handle *s, unsigned flags, int p) { *s = last += 16; return OK; }
int streamCapturing(handle s, int *status) { calls[CAPTURING]++; *status = 0; return OK; }
static int onHandle(handle h) { return OK; }
static int exchangeMode(int *mode) { return OK; }

// What package compute needs for a launch: memory at the two addresses that launchKernel expects, and
// one kernel with its four parameters. Attributes of devices and functions are all the same, and
// large enough.

static int memAlloc(handle *at, size_t n) {
	static handle next;
	*at = 0xa0 + (next++ & 1) * 16;
	return OK;
}
static int memAllocAsync(handle *at, size_t n, handle stream) { return memAlloc(at, n); }
static int freeAsync(handle at, handle stream) { return OK; }
static int poolOf(handle *pool, int d) { *pool = 0xd0; return OK; }
static int poolAttribute(handle pool, int attribute, void *value) { return OK; }
static int moduleLoad(handle *m, const void *image) { *m = 0xe0; return OK; }
static int moduleLoadEx(handle *m, const void *image, unsigned n, int *options, void **values) {
	*m = 0xe0;
	return OK;
}
static int moduleFunction(handle *f, handle m, const char *name) { *f = 0xf0; return OK; }
static int functionAttribute(int *value, int attribute, handle f) { *value = 1024; return OK; }
static int parameter(handle f, size_t i, size_t *at, size_t *size) {
	static const size_t offsets[] = {0, 8, 16, 20}, sizes[] = {8, 8, 4, 4};
	if (i >= 4)
		return INVALID_VALUE;
	*at = offsets[i];
	*size = sizes[i];
	return OK;
}

uintptr_t symbol(const char *name) {
	static const struct { const char *name; void *f; } all[] = {
		{"cuInit", init},
		{"cuDriverGetVersion", cudaVersion},
		{"cuDeviceGetCount", deviceGetCount},
		{"cuDeviceGet", deviceGet},
		{"cuDeviceGetName", deviceText},
		{"cuDeviceGetPCIBusId", deviceText},
		{"cuDeviceGetUuid", deviceUuid},
		{"cuDeviceGetUuid_v2", deviceUuid},
		{"cuDeviceTotalMem_v2", deviceTotalMem},
		{"cuDeviceGetAttribute", deviceGetAttribute},
		{"cuDevicePrimaryCtxRetain", primaryRetain},
		{"cuCtxGetCurrent", ctxGetCurrent},
		{"cuCtxSetCurrent", ctxSetCurrent},
		{"cuCtxGetStreamPriorityRange", priorities},
		{"cuStreamCreateWithPriority", streamCreate},
		{"cuStreamDestroy_v2", onHandle},
		{"cuStreamIsCapturing", streamCapturing},
		{"cuStreamQuery", onHandle},
		{"cuStreamSynchronize", onHandle},
		{"cuStreamWaitEvent", streamWaitEvent},
		{"cuThreadExchangeStreamCaptureMode", exchangeMode},
		{"cuEventCreate", eventCreate},
		{"cuEventDestroy_v2", eventDestroy},
		{"cuEventRecord", eventRecord},
		{"cuEventQuery", eventQuery},
		{"cuEventSynchronize", onHandle},
		{"cuEventElapsedTime", eventElapsed},
		{"cuEventElapsedTime_v2", eventElapsed},
		{"cuLaunchKernel", launchKernel},
		{"cuMemAlloc_v2", memAlloc},
		{"cuMemAllocAsync", memAllocAsync},
		{"cuMemFree_v2", onHandle},
		{"cuMemFreeAsync", freeAsync},
		{"cuDeviceGetDefaultMemPool", poolOf},
		{"cuMemPoolSetAttribute", poolAttribute},
		{"cuModuleLoadData", moduleLoad},
		{"cuModuleLoadDataEx", moduleLoadEx},
		{"cuModuleUnload", onHandle},
		{"cuModuleGetFunction", moduleFunction},
		{"cuFuncGetAttribute", functionAttribute},
		{"cuFuncGetParamInfo", parameter},

		{"hipInit", init},
		{"hipRuntimeGetVersion", hipVersion},
		{"hipGetDeviceCount", deviceGetCount},
		{"hipDeviceGetName", deviceText},
		{"hipDeviceGetPCIBusId", deviceText},
		{"hipDeviceGetUuid", deviceUuid},
		{"hipDeviceTotalMem", deviceTotalMem},
		{"hipDeviceGetAttribute", deviceGetAttribute},
		{"hipGetDevice", getDevice},
		{"hipSetDevice", setDevice},
		{"hipDeviceGetStreamPriorityRange", priorities},
		{"hipStreamCreateWithPriority", streamCreate},
		{"hipStreamDestroy", onHandle},
		{"hipStreamIsCapturing", streamCapturing},
		{"hipStreamQuery", onHandle},
		{"hipStreamWaitEvent", streamWaitEvent},
		{"hipThreadExchangeStreamCaptureMode", exchangeMode},
		{"hipEventCreateWithFlags", eventCreate},
		{"hipEventDestroy", eventDestroy},
		{"hipEventRecord", eventRecord},
		{"hipEventQuery", eventQuery},
		{"hipEventElapsedTime", eventElapsed},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name))
			return (uintptr_t)all[i].f;
	return 0;
}

static int64_t clockNow(clockid_t id) {
	struct timespec t;
	return clock_gettime(id, &t) ? -1 : t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t wallClock(void) { return clockNow(CLOCK_MONOTONIC); }
int64_t threadClock(void) { return clockNow(CLOCK_THREAD_CPUTIME_ID); }
int64_t processClock(void) { return clockNow(CLOCK_PROCESS_CPUTIME_ID); }
