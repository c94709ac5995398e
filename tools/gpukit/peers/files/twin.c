/*
 * The operations of the GPU kit in C: what the driver itself takes, beside which Go and Python are
 * measured. It opens the driver's library at run time, so it needs no vendor's headers and links
 * nothing of a vendor's:
 *
 *	cc -O2 -o twin twin.c -ldl
 *	./twin -device cuda:0 -kernels kernels.ptx -out twin.json -time 60
 *
 * It exits with 0, with 1 if a call failed or a result was wrong, and with 3 if the device is not
 * available. The reason is the last line of stderr. What a device can't do is left out, and named
 * on stdout.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FINE = 0, FAILED = 1, NOT_POSSIBLE = 3 };
enum { GRACE = 5 }; /* seconds beyond its time until the program ends itself */

/* Results and flags that both vendors have in common. */
enum { NOT_FOUND = 500, NOT_READY = 600, NOT_SUPPORTED = 801 };
enum { NON_BLOCKING = 1, DISABLE_TIMING = 2, THREAD_LOCAL = 1 };

typedef void *handle;
typedef uintptr_t address;

/* The driver's functions. Those of both vendors have the same parameters. */
static struct {
	int (*init)(unsigned);
	int (*streamCreate)(handle *, unsigned);
	int (*streamDestroy)(handle);
	int (*streamSynchronize)(handle);
	int (*streamWaitEvent)(handle, handle, unsigned);
	int (*eventCreate)(handle *, unsigned);
	int (*eventDestroy)(handle);
	int (*eventRecord)(handle, handle);
	int (*eventQuery)(handle);
	int (*eventSynchronize)(handle);
	int (*eventElapsedTime)(float *, handle, handle);
	int (*moduleLoadData)(handle *, const void *);
	int (*moduleGetFunction)(handle *, handle, const char *);
	int (*moduleUnload)(handle);
	int (*launchKernel)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
	                    unsigned, handle, void **, void **);
	int (*memAlloc)(address *, size_t);
	int (*memFree)(address);
	int (*memAllocAsync)(address *, size_t, handle);
	int (*memFreeAsync)(address, handle);
	int (*memHostAlloc)(void **, size_t, unsigned);
	int (*memFreeHost)(void *);
	int (*copyIn)(address, const void *, size_t, handle);
	int (*copyOut)(void *, address, size_t, handle);
	int (*streamBeginCapture)(handle, int);
	int (*streamEndCapture)(handle, handle *);
	int (*graphInstantiate)(handle *, handle, unsigned long long);
	int (*graphLaunch)(handle, handle);
	int (*graphExecDestroy)(handle);
	int (*graphDestroy)(handle);
} gpu;

/* Their names: NVIDIA's, AMD's, and whether the program can do without. */
static const struct {
	const char *cuda, *hip;
	int optional;
	void *to;
} symbols[] = {
	{"cuInit", "hipInit", 0, &gpu.init},
	{"cuStreamCreate", "hipStreamCreateWithFlags", 0, &gpu.streamCreate},
	{"cuStreamDestroy_v2", "hipStreamDestroy", 0, &gpu.streamDestroy},
	{"cuStreamSynchronize", "hipStreamSynchronize", 0, &gpu.streamSynchronize},
	{"cuStreamWaitEvent", "hipStreamWaitEvent", 0, &gpu.streamWaitEvent},
	{"cuEventCreate", "hipEventCreateWithFlags", 0, &gpu.eventCreate},
	{"cuEventDestroy_v2", "hipEventDestroy", 0, &gpu.eventDestroy},
	{"cuEventRecord", "hipEventRecord", 0, &gpu.eventRecord},
	{"cuEventQuery", "hipEventQuery", 0, &gpu.eventQuery},
	{"cuEventSynchronize", "hipEventSynchronize", 0, &gpu.eventSynchronize},
	{"cuEventElapsedTime", "hipEventElapsedTime", 0, &gpu.eventElapsedTime},
	{"cuModuleLoadData", "hipModuleLoadData", 0, &gpu.moduleLoadData},
	{"cuModuleGetFunction", "hipModuleGetFunction", 0, &gpu.moduleGetFunction},
	{"cuModuleUnload", "hipModuleUnload", 0, &gpu.moduleUnload},
	{"cuLaunchKernel", "hipModuleLaunchKernel", 0, &gpu.launchKernel},
	{"cuMemAlloc_v2", "hipMalloc", 0, &gpu.memAlloc},
	{"cuMemFree_v2", "hipFree", 0, &gpu.memFree},
	{"cuMemAllocAsync", "hipMallocAsync", 1, &gpu.memAllocAsync},
	{"cuMemFreeAsync", "hipFreeAsync", 1, &gpu.memFreeAsync},
	{"cuMemHostAlloc", "hipHostMalloc", 0, &gpu.memHostAlloc},
	{"cuMemFreeHost", "hipHostFree", 0, &gpu.memFreeHost},
	{"cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", 0, &gpu.copyIn},
	{"cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", 0, &gpu.copyOut},
	{"cuStreamBeginCapture_v2", "hipStreamBeginCapture", 1, &gpu.streamBeginCapture},
	{"cuStreamEndCapture", "hipStreamEndCapture", 1, &gpu.streamEndCapture},
	{"cuGraphInstantiateWithFlags", "hipGraphInstantiateWithFlags", 1, &gpu.graphInstantiate},
	{"cuGraphLaunch", "hipGraphLaunch", 1, &gpu.graphLaunch},
	{"cuGraphExecDestroy", "hipGraphExecDestroy", 1, &gpu.graphExecDestroy},
	{"cuGraphDestroy", "hipGraphDestroy", 1, &gpu.graphDestroy},
};

static const char *device = "cuda:0", *out, *kernels;
static int amd, ordinal, mostRuns;
static double limit = 60; /* seconds */
static const char *volatile doing = "the beginning";

static void end(int code, const char *format, ...) {
	va_list all;
	va_start(all, format);
	fputs("twin: ", stderr);
	vfprintf(stderr, format, all);
	fputc('\n', stderr);
	va_end(all);
	exit(code);
}

/* must ends the program if a call has failed. */
static void must(int code, const char *what) {
	if (code)
		end(FAILED, "%s: %s: %s returned %d", device, doing, what, code);
}
#define MUST(call) must((call), #call)

static void wrong(const char *what) { end(FAILED, "%s: %s: %s", device, doing, what); }

static double clockNow(clockid_t id) {
	struct timespec t;
	clock_gettime(id, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}
static double now(void) { return clockNow(CLOCK_MONOTONIC); }

/* Loading. */

static void *openAny(const char *variable, const char *const *names) {
	const char *chosen = getenv(variable);
	if (chosen && *chosen)
		return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
	for (; *names; names++) {
		void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
	}
	return NULL;
}

static const char *const cudaNames[] = {"libcuda.so.1", "libcuda.so", NULL};
static const char *const hipNames[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                       "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so", NULL};
static const char *const rtcNames[] = {"libhiprtc.so", "libhiprtc.so.7", "libhiprtc.so.6",
                                       "libhiprtc.so.5", "/opt/rocm/lib/libhiprtc.so", NULL};

static void *symbol(void *library, const char *name, int optional) {
	void *f = dlsym(library, name);
	if (!f && !optional)
		end(NOT_POSSIBLE, "the driver's library has no %s", name);
	return f;
}

/* begin loads the driver and makes the device current on this thread. */
static void begin(void) {
	void *library = amd ? openAny("GPUEVENT_HIP_LIBRARY", hipNames)
	                    : openAny("GPUEVENT_CUDA_LIBRARY", cudaNames);
	if (!library)
		end(NOT_POSSIBLE, "%s", dlerror());
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		const char *name = amd ? symbols[i].hip : symbols[i].cuda;
		void *f = symbol(library, name, symbols[i].optional);
		memcpy(symbols[i].to, &f, sizeof f);
	}
	int code = gpu.init(0);
	if (code)
		end(NOT_POSSIBLE, "the driver finds no device: it returned %d", code);
	if (amd) {
		int (*setDevice)(int) = symbol(library, "hipSetDevice", 0);
		if ((code = setDevice(ordinal)))
			end(NOT_POSSIBLE, "%s is not available: hipSetDevice returned %d", device, code);
		return;
	}
	int (*get)(int *, int) = symbol(library, "cuDeviceGet", 0);
	int (*retain)(handle *, int) = symbol(library, "cuDevicePrimaryCtxRetain", 0);
	int (*setCurrent)(handle) = symbol(library, "cuCtxSetCurrent", 0);
	int d;
	handle context;
	if ((code = get(&d, ordinal)))
		end(NOT_POSSIBLE, "%s is not available: cuDeviceGet returned %d", device, code);
	if ((code = retain(&context, d)))
		end(NOT_POSSIBLE, "%s has no context: cuDevicePrimaryCtxRetain returned %d", device, code);
	MUST(setCurrent(context));
}

static char *readAll(const char *path) {
	FILE *f = fopen(path, "rb");
	if (!f)
		end(FAILED, "%s can't be opened", path);
	char *text = NULL;
	size_t size = 0, room = 0, n;
	do {
		if (room - size < 4096) {
			room += 1 << 16;
			if (!(text = realloc(text, room)))
				end(FAILED, "too little memory");
		}
		n = fread(text + size, 1, room - size - 1, f);
		size += n;
	} while (n);
	fclose(f);
	text[size] = 0;
	return text;
}

/* compiled has hipRTC compile a text for the current device. NULL says that it is not there. */
static char *compiled(const char *text) {
	void *library = openAny("GPUEVENT_HIPRTC_LIBRARY", rtcNames);
	if (!library)
		return NULL;
	int (*create)(handle *, const char *, const char *, int, const char **, const char **) =
		symbol(library, "hiprtcCreateProgram", 0);
	int (*compile)(handle, int, const char **) = symbol(library, "hiprtcCompileProgram", 0);
	int (*codeSize)(handle, size_t *) = symbol(library, "hiprtcGetCodeSize", 0);
	int (*code)(handle, char *) = symbol(library, "hiprtcGetCode", 0);
	handle program;
	size_t size;
	MUST(create(&program, text, "kernels.hip", 0, NULL, NULL));
	MUST(compile(program, 0, NULL));
	MUST(codeSize(program, &size));
	char *image = malloc(size);
	if (!image)
		end(FAILED, "too little memory");
	MUST(code(program, image));
	return image;
}

/* What the operations use. */

static handle stream, second, module, empty0, empty4, empty8, spinning, exec;
static handle event[2];
static double ticksPerNS = 1;
static double hold; /* nanoseconds that what is pending stays so */
static address memory;
static char *in, *back;
static size_t bytes;
static uint64_t seed;
static const double shortestHold = 20e6, longestHold = 160e6;

static void launch(handle f, void **params) {
	MUST(gpu.launchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

static void spin(double ns) {
	uint64_t ticks = (uint64_t)(ns * ticksPerNS);
	void *params[] = {&ticks};
	launch(spinning, params);
}

static void drain(void) {
	MUST(gpu.streamSynchronize(stream));
	MUST(gpu.streamSynchronize(second));
}

static double elapsedNS(void) {
	float ms;
	MUST(gpu.eventElapsedTime(&ms, event[0], event[1]));
	if (ms < -0.01 || ms > 10000)
		wrong("an elapsed time that can't be");
	return ms * 1e6;
}

/* loadKernels returns 0 if the device can't have any. */
static int loadKernels(void) {
	char *text = readAll(kernels);
	const char *image = amd ? compiled(text) : text;
	if (!image)
		return 0;
	MUST(gpu.moduleLoadData(&module, image));
	MUST(gpu.moduleGetFunction(&empty0, module, "empty0"));
	MUST(gpu.moduleGetFunction(&empty4, module, "empty4"));
	MUST(gpu.moduleGetFunction(&empty8, module, "empty8"));
	MUST(gpu.moduleGetFunction(&spinning, module, "busy"));
	return 1;
}

/* calibrate finds how many ticks of the kernel that lasts make a nanosecond. */
static void calibrate(void) {
	const double ticks = 1e6;
	for (int i = 0; i < 2; i++) { /* the first run may load the code */
		MUST(gpu.eventRecord(event[0], stream));
		spin(ticks);
		MUST(gpu.eventRecord(event[1], stream));
		drain();
	}
	double took = elapsedNS();
	if (took < 1e5 || took > 1e9)
		wrong("the device's timer does not work as expected");
	ticksPerNS = ticks / took;
}

/*
 * Operations. before prepares a run, body makes n operations, after waits and checks. An operation
 * that measures itself has sample. outlasted is set if what was to be pending was done.
 */
static int outlasted;

static void newEvents(unsigned flags) {
	for (int i = 0; i < 2; i++)
		MUST(gpu.eventCreate(&event[i], flags));
}
static void oldEvents(void) {
	for (int i = 0; i < 2; i++)
		MUST(gpu.eventDestroy(event[i]));
}
static void untimed(void) { newEvents(DISABLE_TIMING); }
static void timed(void) { newEvents(0); }

static void record(int n) {
	while (n--)
		MUST(gpu.eventRecord(event[0], stream));
}
static void drainDone(void) {
	drain();
	if (gpu.eventQuery(event[0]))
		wrong("an event is not done behind a synchronize");
}
static void recordBoth(void) {
	MUST(gpu.eventRecord(event[0], stream));
	MUST(gpu.eventRecord(event[1], stream));
	drain();
}
static void queryDone(int n) {
	while (n--)
		MUST(gpu.eventQuery(event[0]));
}
static void holdUp(void) {
	spin(hold);
	MUST(gpu.eventRecord(event[0], stream));
}
static void queryPending(int n) {
	while (n--) {
		int code = gpu.eventQuery(event[0]);
		if (code == 0) {
			outlasted = 1;
			return;
		}
		if (code != NOT_READY)
			MUST(code);
	}
}
static void elapsed(int n) {
	while (n--)
		elapsedNS();
}
static void streamWait(int n) {
	while (n--)
		MUST(gpu.streamWaitEvent(second, event[0], 0));
}
static void mustBePending(void) {
	queryPending(1);
	drain();
}
static void createRecordClose(int n) {
	while (n--) {
		handle e;
		MUST(gpu.eventCreate(&e, DISABLE_TIMING));
		MUST(gpu.eventRecord(e, stream));
		MUST(gpu.eventDestroy(e));
	}
}
static void syncEmpty(int n) {
	while (n--)
		MUST(gpu.streamSynchronize(stream));
}
static void twoRecords(int n) {
	while (n--) {
		MUST(gpu.eventRecord(event[0], stream));
		MUST(gpu.eventRecord(event[1], stream));
	}
}

static address buffer[4];
static void newBuffers(void) {
	for (int i = 0; i < 4; i++)
		MUST(gpu.memAlloc(&buffer[i], 64));
}
static void oldBuffers(void) {
	for (int i = 0; i < 4; i++)
		MUST(gpu.memFree(buffer[i]));
}
static void launch0(int n) {
	while (n--)
		launch(empty0, NULL);
}
static void launch4(int n) {
	while (n--) {
		int32_t count = 1000;
		float factor = 2.5f;
		void *params[] = {&buffer[0], &buffer[1], &count, &factor};
		launch(empty4, params);
	}
}
static void launch8(int n) {
	while (n--) {
		int32_t count = 1000, more = 7;
		float factor = 2.5f, shift = -1;
		void *params[] = {&buffer[0], &buffer[1], &buffer[2], &buffer[3],
		                  &count, &more, &factor, &shift};
		launch(empty8, params);
	}
}

static void newGraph(void) {
	handle graph;
	MUST(gpu.streamBeginCapture(stream, THREAD_LOCAL));
	launch0(10);
	MUST(gpu.streamEndCapture(stream, &graph));
	MUST(gpu.graphInstantiate(&exec, graph, 0));
	MUST(gpu.graphDestroy(graph));
}
static void oldGraph(void) { MUST(gpu.graphExecDestroy(exec)); }
static void graphLaunch(int n) {
	while (n--)
		MUST(gpu.graphLaunch(exec, stream));
}

enum { ALLOC_BYTES = 1 << 20 };
static void allocFree(int n) {
	while (n--) {
		address p;
		MUST(gpu.memAlloc(&p, ALLOC_BYTES));
		MUST(gpu.memFree(p));
	}
}
static void allocFreeOrdered(int n) {
	while (n--) {
		address p;
		MUST(gpu.memAllocAsync(&p, ALLOC_BYTES, stream));
		MUST(gpu.memFreeAsync(p, stream));
	}
}

static void newPinned(void) {
	MUST(gpu.memAlloc(&memory, bytes));
	MUST(gpu.memHostAlloc((void **)&in, bytes, 0));
	MUST(gpu.memHostAlloc((void **)&back, bytes, 0));
}
static void oldPinned(void) {
	MUST(gpu.memFree(memory));
	MUST(gpu.memFreeHost(in));
	MUST(gpu.memFreeHost(back));
}
static void newPageable(void) {
	MUST(gpu.memAlloc(&memory, bytes));
	in = malloc(bytes);
	back = malloc(bytes);
	if (!in || !back)
		end(FAILED, "too little memory");
}
static void oldPageable(void) {
	MUST(gpu.memFree(memory));
	free(in);
	free(back);
}
static uint64_t following(uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }
static void fillIn(void) {
	uint64_t x = ++seed, *to = (uint64_t *)in;
	for (size_t i = 0; i < bytes / 8; i++)
		to[i] = x = following(x);
	memset(back, 0, bytes);
}
static void checkBack(void) {
	uint64_t x = seed, *from = (uint64_t *)back;
	for (size_t i = 0; i < bytes / 8; i++)
		if (from[i] != (x = following(x)))
			wrong("what was copied there and back is not the same");
}
static void copyBoth(int n) {
	while (n--) {
		MUST(gpu.copyIn(memory, in, bytes, stream));
		MUST(gpu.copyOut(back, memory, bytes, stream));
		MUST(gpu.streamSynchronize(stream));
	}
}

static double workNS;
static double wake(void) {
	double began = now();
	MUST(gpu.eventRecord(event[0], stream));
	spin(workNS);
	MUST(gpu.eventRecord(event[1], stream));
	MUST(gpu.eventSynchronize(event[1]));
	return now() - began - elapsedNS();
}

enum { KERNELS = 1, POOLS = 2, GRAPHS = 4 }; /* what an operation needs */

static const struct operation {
	const char *name;
	int perRun, runs, warm, needs;
	void (*make)(void), (*before)(void), (*body)(int), (*after)(void), (*unmake)(void);
	double (*sample)(void);
	double size; /* bytes of a copy, or nanoseconds of work */
} operations[] = {
	/* the plan, as plan.go has it */
	{"record", 200, 31, 20, 0, untimed, drain, record, drainDone, oldEvents, NULL, 0},
	{"query done", 1000, 31, 20, 0, untimed, recordBoth, queryDone, NULL, oldEvents, NULL, 0},
	{"query pending", 200, 15, 5, KERNELS, untimed, holdUp, queryPending, drain, oldEvents, NULL, 0},
	{"elapsed", 1000, 31, 20, 0, timed, recordBoth, elapsed, NULL, oldEvents, NULL, 0},
	{"stream wait", 200, 15, 5, KERNELS, untimed, holdUp, streamWait, mustBePending, oldEvents,
	 NULL, 0},
	{"create+record+close", 100, 31, 20, 0, NULL, NULL, createRecordClose, drain, NULL, NULL, 0},
	{"sync empty stream", 200, 31, 20, 0, NULL, drain, syncEmpty, NULL, NULL, NULL, 0},
	{"two records", 100, 31, 20, 0, timed, NULL, twoRecords, drain, oldEvents, NULL, 0},
	{"launch 0 arguments", 200, 31, 20, KERNELS, NULL, NULL, launch0, drain, NULL, NULL, 0},
	{"launch 4 arguments", 200, 31, 20, KERNELS, newBuffers, NULL, launch4, drain, oldBuffers,
	 NULL, 0},
	{"launch 8 arguments", 200, 31, 20, KERNELS, newBuffers, NULL, launch8, drain, oldBuffers,
	 NULL, 0},
	{"graph launch 10 nodes", 40, 31, 5, KERNELS | GRAPHS, newGraph, NULL, graphLaunch, drain,
	 oldGraph, NULL, 0},
	{"alloc+free", 20, 31, 3, 0, NULL, drain, allocFree, NULL, NULL, NULL, 0},
	{"alloc+free in stream order", 50, 31, 5, POOLS, NULL, drain, allocFreeOrdered, drain, NULL,
	 NULL, 0},
	{"copy 4 KiB pinned", 50, 31, 1, 0, newPinned, fillIn, copyBoth, checkBack, oldPinned, NULL,
	 4 << 10},
	{"copy 4 KiB pageable", 50, 31, 1, 0, newPageable, fillIn, copyBoth, checkBack, oldPageable,
	 NULL, 4 << 10},
	{"copy 1 MiB pinned", 5, 31, 1, 0, newPinned, fillIn, copyBoth, checkBack, oldPinned, NULL,
	 1 << 20},
	{"copy 1 MiB pageable", 5, 31, 1, 0, newPageable, fillIn, copyBoth, checkBack, oldPageable,
	 NULL, 1 << 20},
	{"copy 64 MiB pinned", 1, 15, 1, 0, newPinned, fillIn, copyBoth, checkBack, oldPinned, NULL,
	 64 << 20},
	{"copy 64 MiB pageable", 1, 15, 1, 0, newPageable, fillIn, copyBoth, checkBack, oldPageable,
	 NULL, 64 << 20},
	{"wake-up after 0.05 ms", 1, 300, 0, KERNELS, timed, drain, NULL, NULL, oldEvents, wake, 50e3},
	{"wake-up after 0.5 ms", 1, 200, 0, KERNELS, timed, drain, NULL, NULL, oldEvents, wake, 500e3},
	{"wake-up after 5 ms", 1, 60, 0, KERNELS, timed, drain, NULL, NULL, oldEvents, wake, 5e6},
	/* the end of the plan */
};
enum { OPERATIONS = sizeof operations / sizeof *operations, FEWEST = 3, MOST_RUNS = 300 };

static void call(void (*f)(void)) {
	if (f)
		f();
}

/* measureOnce makes a run; behind longer work if it took longer than what was to be pending. */
static void measureOnce(const struct operation *o, double *wall, double *cpu) {
	for (hold = shortestHold; hold <= longestHold; hold *= 2) {
		outlasted = 0;
		call(o->before);
		if (o->warm)
			o->body(o->warm);
		double c = clockNow(CLOCK_PROCESS_CPUTIME_ID), t = now();
		if (o->sample) {
			*wall = o->sample();
		} else {
			o->body(o->perRun);
			*wall = (now() - t) / o->perRun;
		}
		*cpu = (clockNow(CLOCK_PROCESS_CPUTIME_ID) - c) / o->perRun;
		call(o->after);
		if (!outlasted)
			return;
	}
	wrong("what was to be pending was done too early, four times");
}

static int byValue(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static FILE *results;
static int figures;

static void figure(const struct operation *o, double *wall, double *cpu, int n) {
	qsort(wall, n, sizeof *wall, byValue);
	qsort(cpu, n, sizeof *cpu, byValue);
	double median = wall[n / 2];
	fprintf(results, "%s\n\t{\"device\": \"%s\", \"operation\": \"%s\", \"way\": \"C\", "
	        "\"median_ns\": %.1f, \"best_ns\": %.1f, ", figures++ ? "," : "", device, o->name,
	        median, wall[0]);
	if (n >= 50)
		fprintf(results, "\"p99_ns\": %.1f, ", wall[(int)(0.99 * n)]);
	fprintf(results, "\"cpu_ns\": %.1f, \"runs\": %d, \"per_run\": %d", cpu[n / 2], n, o->perRun);
	if (o->size && !o->sample)
		fprintf(results, ", \"note\": \"%.2f GB/s, both directions\"", 2 * o->size / median);
	fputs("}", results);
	printf("%-8s %-28s C %12.1f ns, best %12.1f, %d x %d\n", device, o->name, median, wall[0], n,
	       o->perRun);
}

/* measure makes the runs of an operation, for at most some nanoseconds. */
static void measure(const struct operation *o, double most) {
	static double wall[MOST_RUNS], cpu[MOST_RUNS];
	double stop = now() + most;
	int n = 0, runs = mostRuns && mostRuns < o->runs ? mostRuns : o->runs;
	bytes = o->sample ? 0 : (size_t)o->size;
	workNS = o->sample ? o->size : 0;
	call(o->make);
	while (n < runs && (n == 0 || now() < stop)) {
		measureOnce(o, &wall[n], &cpu[n]);
		n++;
	}
	call(o->unmake);
	if (n < FEWEST && n < runs)
		printf("left out on %s: %s: %d runs took all of its time\n", device, o->name, n);
	else
		figure(o, wall, cpu, n);
}

/* lacking says why the device can't make an operation; NULL if it can. */
static const char *lacking(const struct operation *o) {
	if (o->needs & KERNELS && !module)
		return "no kernels: hipRTC is not installed";
	if (o->needs & GRAPHS && (!gpu.streamBeginCapture || !gpu.streamEndCapture ||
	                          !gpu.graphInstantiate || !gpu.graphLaunch ||
	                          !gpu.graphExecDestroy || !gpu.graphDestroy))
		return "the driver has no graphs";
	if (o->needs & POOLS) {
		address p;
		if (!gpu.memAllocAsync || !gpu.memFreeAsync)
			return "the driver has no memory pools";
		int code = gpu.memAllocAsync(&p, ALLOC_BYTES, stream);
		if (code == NOT_SUPPORTED || code == NOT_FOUND)
			return "the device has no memory pools";
		MUST(code);
		MUST(gpu.memFreeAsync(p, stream));
		drain();
	}
	return NULL;
}

/* seconds reads a time: "90", "90s", "1m30s". */
static double seconds(const char *text) {
	double sum = 0;
	while (*text) {
		char *rest;
		double n = strtod(text, &rest);
		if (rest == text || n < 0)
			return -1;
		text = rest;
		if (!strncmp(text, "ms", 2)) {
			sum += n / 1000;
			text += 2;
		} else if (*text == 'h' || *text == 'm' || *text == 's') {
			sum += n * (*text == 'h' ? 3600 : *text == 'm' ? 60 : 1);
			text++;
		} else if (!*text) {
			sum += n;
		} else {
			return -1;
		}
	}
	return sum;
}

static void flags(int n, char **args) {
	for (int i = 1; i < n; i += 2) {
		const char *name = args[i], *value = i + 1 < n ? args[i + 1] : NULL;
		if (!value)
			end(FAILED, "%s needs a value", name);
		if (!strcmp(name, "-device"))
			device = value;
		else if (!strcmp(name, "-out"))
			out = value;
		else if (!strcmp(name, "-kernels"))
			kernels = value;
		else if (!strcmp(name, "-time"))
			limit = seconds(value);
		else if (!strcmp(name, "-runs"))
			mostRuns = atoi(value);
		else
			end(FAILED, "%s is no flag", name);
	}
	amd = !strncmp(device, "hip:", 4);
	if (!amd && strncmp(device, "cuda:", 5))
		end(NOT_POSSIBLE, "%s is no device of a C driver", device);
	ordinal = atoi(strchr(device, ':') + 1);
	if (!kernels)
		end(FAILED, "-kernels FILE is missing");
	if (limit <= 0 || mostRuns < 0)
		end(FAILED, "-time must be positive, and -runs not negative");
}

/* tooLate ends a process that hangs in a call of the driver. */
static void tooLate(int signal) {
	static const char text[] = "twin: a call did not end in time\n";
	(void)signal;
	if (write(2, text, sizeof text - 1) < 0)
		_exit(FAILED);
	_exit(FAILED);
}

int main(int n, char **args) {
	flags(n, args);
	signal(SIGALRM, tooLate);
	alarm((unsigned)limit + GRACE);
	double stop = now() + limit * 1e9;
	begin();
	char part[4096];
	if (out) {
		if (snprintf(part, sizeof part, "%s.part", out) >= (int)sizeof part)
			end(FAILED, "the path of -out is too long");
		if (!(results = fopen(part, "w")))
			end(FAILED, "%s can't be written", part);
	} else if (!(results = fopen("/dev/null", "w"))) {
		end(FAILED, "/dev/null can't be written");
	}
	fputs("[", results);
	doing = "the kernels";
	MUST(gpu.streamCreate(&stream, NON_BLOCKING));
	MUST(gpu.streamCreate(&second, NON_BLOCKING));
	timed();
	if (loadKernels())
		calibrate();
	else
		printf("%s has no kernels: hipRTC is not installed\n", device);
	oldEvents();
	for (int i = 0; i < OPERATIONS; i++) {
		doing = operations[i].name;
		const char *why = lacking(&operations[i]);
		if (why)
			printf("left out on %s: %s: %s\n", device, doing, why);
		else
			measure(&operations[i], (stop - now()) / (OPERATIONS - i));
	}
	doing = "the end";
	fputs("\n]\n", results);
	if (fclose(results) || (out && rename(part, out)))
		end(FAILED, "the figures can't be written");
	if (module)
		MUST(gpu.moduleUnload(module));
	MUST(gpu.streamDestroy(stream));
	MUST(gpu.streamDestroy(second));
	return FINE;
}
