#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// A CUDA driver and a HIP runtime of one device whose work is nothing but time: an event is done at
// a moment that is settled when it is recorded. Nothing is notified then: callers query, or wait in
// a synchronize, which spins, or sleeps if the event was created so. Streams run in order.
typedef struct { int64_t idle; } queue;
typedef struct { int64_t done; int sleeps; } mark;

static int64_t length; // of the work before the next record
static int64_t latest; // the last record's end
static queue standard; // the default stream

int64_t wakeNow(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void wakeSetLength(int64_t ns) { length = ns; }
int64_t wakeLatest(void) { return latest; }

static int zero(void) { return 0; }
static int setOne(int *v) { *v = 1; return 0; }
static int setNone(int *v) { *v = 0; return 0; }
static int cudaVersion(int *v) { *v = 13000; return 0; }
static int hipVersion(int *v) { *v = 70300000; return 0; }
static int getDevice(int *d, int ordinal) { *d = ordinal; return 0; }
static int getText(char *out, int size, int d) { strncpy(out, "time", (size_t)size); return 0; }
static int getUuid(void *out, int d) { memset(out, 5, 16); return 0; }
static int getMemory(size_t *out, int d) { *out = 1 << 30; return 0; }
static int getAttribute(int *out, int attribute, int d) { *out = 0; return 0; }
static int getContext(handle *c) { *c = 0xc1; return 0; }
static int retainContext(handle *c, int d) { *c = 0xc1; return 0; }
static int getPriorities(int *least, int *greatest) { *least = 0; *greatest = -5; return 0; }

static int makeStream(handle *s, unsigned flags, int priority) {
	return (*s = (handle)calloc(1, sizeof(queue))) ? 0 : 2;
}

static int makeEvent(handle *e, unsigned flags) {
	mark *m = calloc(1, sizeof *m);
	if (m)
		m->sleeps = flags & 1;
	return (*e = (handle)m) ? 0 : 2;
}

static int destroy(handle h) { free((void *)h); return 0; }

static int record(handle e, handle s) {
	queue *q = s > 2 ? (queue *)s : &standard;
	int64_t now = wakeNow(), from = __atomic_load_n(&q->idle, __ATOMIC_SEQ_CST);
	int64_t done = (from > now ? from : now) + length;
	__atomic_store_n(&q->idle, done, __ATOMIC_SEQ_CST);
	__atomic_store_n(&((mark *)e)->done, done, __ATOMIC_SEQ_CST);
	latest = done;
	return 0;
}

static int query(handle e) {
	return wakeNow() < __atomic_load_n(&((mark *)e)->done, __ATOMIC_SEQ_CST) ? 600 : 0;
}

static int queryStream(handle s) {
	queue *q = s > 2 ? (queue *)s : &standard;
	return wakeNow() < __atomic_load_n(&q->idle, __ATOMIC_SEQ_CST) ? 600 : 0;
}

static void until(int64_t at, int sleeps) {
	struct timespec t = {at / 1000000000LL, at % 1000000000LL};
	while (wakeNow() < at)
		if (sleeps)
			clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int synchronize(handle e) {
	mark *m = (mark *)e;
	until(__atomic_load_n(&m->done, __ATOMIC_SEQ_CST), m->sleeps);
	return 0;
}

static int synchronizeStream(handle s) {
	queue *q = s > 2 ? (queue *)s : &standard;
	until(__atomic_load_n(&q->idle, __ATOMIC_SEQ_CST), 0);
	return 0;
}

uintptr_t wakeSymbol(const char *name) {
	static const struct { const char *name; void *f; } all[] = {
		{"cuInit", zero}, {"cuDriverGetVersion", cudaVersion}, {"cuDeviceGetCount", setOne},
		{"cuDeviceGet", getDevice}, {"cuDeviceGetName", getText}, {"cuDeviceGetPCIBusId", getText},
		{"cuDeviceGetUuid", getUuid}, {"cuDeviceGetUuid_v2", getUuid},
		{"cuDeviceTotalMem_v2", getMemory}, {"cuDeviceGetAttribute", getAttribute},
		{"cuDevicePrimaryCtxRetain", retainContext}, {"cuCtxGetCurrent", getContext},
		{"cuCtxSetCurrent", zero}, {"cuCtxGetStreamPriorityRange", getPriorities},
		{"cuStreamCreateWithPriority", makeStream}, {"cuStreamDestroy_v2", destroy},
		{"cuStreamQuery", queryStream}, {"cuStreamSynchronize", synchronizeStream},
		{"cuEventCreate", makeEvent}, {"cuEventDestroy_v2", destroy}, {"cuEventRecord", record},
		{"cuEventQuery", query}, {"cuEventSynchronize", synchronize},
		{"cuThreadExchangeStreamCaptureMode", zero},
		{"hipInit", zero}, {"hipRuntimeGetVersion", hipVersion}, {"hipGetDeviceCount", setOne},
		{"hipDeviceGetName", getText}, {"hipDeviceGetPCIBusId", getText},
		{"hipDeviceGetUuid", getUuid}, {"hipDeviceTotalMem", getMemory},
		{"hipDeviceGetAttribute", getAttribute}, {"hipGetDevice", setNone}, {"hipSetDevice", zero},
		{"hipDeviceGetStreamPriorityRange", getPriorities},
		{"hipStreamCreateWithPriority", makeStream}, {"hipStreamDestroy", destroy},
		{"hipStreamQuery", queryStream}, {"hipStreamSynchronize", synchronizeStream},
		{"hipEventCreateWithFlags", makeEvent}, {"hipEventDestroy", destroy},
		{"hipEventRecord", record}, {"hipEventQuery", query}, {"hipEventSynchronize", synchronize},
		{"hipThreadExchangeStreamCaptureMode", zero},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name))
			return (uintptr_t)all[i].f;
	return 0;
}
