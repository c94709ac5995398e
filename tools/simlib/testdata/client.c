// A C program that knows nothing of the simulator: what a client of the CUDA driver does with events. It opens the
// library by name, and prints what came, a line per step.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int CUresult;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef unsigned long long CUdeviceptr;
typedef struct { char reserved[64]; } CUipcEventHandle;

static void *library;

static void *need(const char *name) {
	void *f = dlsym(library, name);
	if (!f) {
		printf("no %s\n", name);
		exit(1);
	}
	return f;
}

// DO declares a function of the driver where it is used, and calls it.
#define DO(name, types, args)                                                    \
	do {                                                                         \
		CUresult(*f) types = (CUresult(*) types)need(#name);                     \
		CUresult r = f args;                                                     \
		if (r) {                                                                 \
			printf("%s:%d: " #name " = %d\n", __FILE__, __LINE__, r);            \
			exit(1);                                                             \
		}                                                                        \
	} while (0)

static CUresult query(CUevent e) {
	CUresult (*f)(CUevent) = (CUresult(*)(CUevent))need("cuEventQuery");
	return f(e);
}

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry busy(.param .u64 ns) { ret; }\n"
	".visible .entry fill(.param .u32 n, .param .u32 value, .param .u64 out) { ret; }\n";

static CUcontext context;
static CUstream stream;
static CUfunction busy, fill;

static void work(unsigned long long ns) {
	void *args[] = {&ns};
	DO(cuLaunchKernel,
	   (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **),
	   (busy, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL));
}

static void devices(void) {
	int version, count, major, minor;
	char name[64];
	CUdevice device;
	DO(cuDriverGetVersion, (int *), (&version));
	DO(cuInit, (unsigned), (0));
	DO(cuDeviceGetCount, (int *), (&count));
	DO(cuDeviceGet, (CUdevice *, int), (&device, 0));
	DO(cuDeviceGetName, (char *, int, CUdevice), (name, sizeof name, device));
	DO(cuDeviceGetAttribute, (int *, int, CUdevice), (&major, 75, device));
	DO(cuDeviceGetAttribute, (int *, int, CUdevice), (&minor, 76, device));
	DO(cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice), (&context, device));
	DO(cuCtxSetCurrent, (CUcontext), (context));
	DO(cuStreamCreate, (CUstream *, unsigned), (&stream, 1));
	printf("devices: %d.%d, %d of %d.%d, %s\n", version / 1000, version % 1000 / 10, count, major, minor, name);
}

static void modules(void) {
	CUmodule module;
	DO(cuModuleLoadData, (CUmodule *, const void *), (&module, ptx));
	DO(cuModuleGetFunction, (CUfunction *, CUmodule, const char *), (&busy, module, "busy"));
	DO(cuModuleGetFunction, (CUfunction *, CUmodule, const char *), (&fill, module, "fill"));
	puts("modules: loaded");
}

static void events(void) {
	CUevent start, end;
	float ms;
	DO(cuEventCreate, (CUevent *, unsigned), (&start, 0));
	DO(cuEventCreate, (CUevent *, unsigned), (&end, 0));
	DO(cuEventRecord, (CUevent, CUstream), (start, stream));
	work(200 * 1000 * 1000);
	DO(cuEventRecord, (CUevent, CUstream), (end, stream));
	CUresult pending = query(end);
	DO(cuEventSynchronize, (CUevent), (end));
	DO(cuEventElapsedTime, (float *, CUevent, CUevent), (&ms, start, end));
	printf("events: %d, then %d, %s\n", pending, query(end), ms >= 200 && ms < 20000 ? "200 ms or more" : "a wrong time");
	DO(cuEventDestroy_v2, (CUevent), (start));
	DO(cuEventDestroy_v2, (CUevent), (end));
}

static void memory(void) {
	enum { N = 1000 };
	CUdeviceptr at;
	unsigned in[N], out[N], n = N, value = 7;
	for (int i = 0; i < N; i++)
		in[i] = i;
	DO(cuMemAlloc_v2, (CUdeviceptr *, size_t), (&at, sizeof in));
	DO(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t), (at, in, sizeof in));
	DO(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t), (out, at, sizeof out));
	int same = !memcmp(in, out, sizeof in);
	void *args[] = {&n, &value, &at};
	DO(cuLaunchKernel,
	   (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **),
	   (fill, 8, 1, 1, 128, 1, 1, 0, stream, args, NULL));
	DO(cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream), (out, at, sizeof out, stream));
	DO(cuStreamSynchronize, (CUstream), (stream));
	int filled = 1;
	for (int i = 0; i < N; i++)
		filled &= out[i] == 7;
	DO(cuMemFree_v2, (CUdeviceptr), (at));
	printf("memory: %s, %s\n", same ? "copied" : "not copied", filled ? "filled" : "not filled");
}

static int called;

static void host(void *data) { __atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST); }

static void capture(void) {
	CUgraph graph;
	CUgraphExec exec;
	CUstream side;
	CUevent fork, join;
	DO(cuStreamCreate, (CUstream *, unsigned), (&side, 1));
	DO(cuEventCreate, (CUevent *, unsigned), (&fork, 2));
	DO(cuEventCreate, (CUevent *, unsigned), (&join, 2));
	DO(cuStreamBeginCapture_v2, (CUstream, int), (stream, 0));
	DO(cuEventRecord, (CUevent, CUstream), (fork, stream));
	DO(cuStreamWaitEvent, (CUstream, CUevent, unsigned), (side, fork, 0));
	DO(cuLaunchHostFunc, (CUstream, void (*)(void *), void *), (side, host, &called));
	DO(cuLaunchHostFunc, (CUstream, void (*)(void *), void *), (stream, host, &called));
	DO(cuEventRecord, (CUevent, CUstream), (join, side));
	DO(cuStreamWaitEvent, (CUstream, CUevent, unsigned), (stream, join, 0));
	DO(cuStreamEndCapture, (CUstream, CUgraph *), (stream, &graph));
	DO(cuGraphInstantiateWithFlags, (CUgraphExec *, CUgraph, unsigned long long), (&exec, graph, 0));
	for (int i = 0; i < 3; i++)
		DO(cuGraphLaunch, (CUgraphExec, CUstream), (exec, stream));
	DO(cuStreamSynchronize, (CUstream), (stream));
	DO(cuGraphExecDestroy, (CUgraphExec), (exec));
	DO(cuGraphDestroy, (CUgraph), (graph));
	DO(cuEventDestroy_v2, (CUevent), (fork));
	DO(cuEventDestroy_v2, (CUevent), (join));
	DO(cuStreamDestroy_v2, (CUstream), (side));
	printf("capture: %d host functions\n", called);
}

// A thread begins without a context; one that never called before must be able to end.
static void *thread(void *out) {
	CUcontext now = context;
	DO(cuCtxGetCurrent, (CUcontext *), (&now));
	if (!now)
		++*(int *)out;
	DO(cuCtxSetCurrent, (CUcontext), (context));
	CUevent e;
	DO(cuEventCreate, (CUevent *, unsigned), (&e, 0));
	DO(cuEventRecord, (CUevent, CUstream), (e, stream));
	DO(cuEventSynchronize, (CUevent), (e));
	DO(cuEventDestroy_v2, (CUevent), (e));
	return NULL;
}

static void threads(void) {
	int without = 0;
	for (int i = 0; i < 100; i++) {
		pthread_t t;
		pthread_create(&t, NULL, thread, &without);
		pthread_join(t, NULL);
	}
	printf("threads: %d without a context\n", without);
}

// The importer is this program, started anew with the handle. The event's record waits for a word of memory.
static void export_event(const char *self) {
	CUevent e;
	CUipcEventHandle h;
	char text[129], command[4096], line[256];
	unsigned *gate;
	DO(cuMemAllocHost_v2, (void **, size_t), ((void **)&gate, sizeof *gate));
	*gate = 0;
	DO(cuEventCreate, (CUevent *, unsigned), (&e, 2 | 4));
	DO(cuIpcGetEventHandle, (CUipcEventHandle *, CUevent), (&h, e));
	for (int i = 0; i < 64; i++)
		sprintf(text + 2 * i, "%02x", (unsigned char)h.reserved[i]);
	DO(cuStreamWaitValue32, (CUstream, CUdeviceptr, unsigned, unsigned), (stream, (CUdeviceptr)gate, 1, 1));
	DO(cuEventRecord, (CUevent, CUstream), (e, stream));
	const char *runner = getenv("CLIENT_RUNNER"); // what to put before the command, for example an emulator
	snprintf(command, sizeof command, "%s %s import %s", runner ? runner : "", self, text);
	fflush(stdout);
	FILE *child = popen(command, "r");
	while (fgets(line, sizeof line, child)) {
		printf("importer: %s", line);
		if (strstr(line, "pending"))
			__atomic_store_n(gate, 1, __ATOMIC_SEQ_CST);
	}
	printf("ipc: the importer ended with %d\n", WEXITSTATUS(pclose(child)));
	DO(cuEventDestroy_v2, (CUevent), (e));
	DO(cuMemFreeHost, (void *), (gate));
}

static void import_event(const char *text) {
	CUevent e;
	CUipcEventHandle h;
	for (int i = 0; i < 64; i++) {
		unsigned byte;
		sscanf(text + 2 * i, "%2x", &byte);
		h.reserved[i] = byte;
	}
	DO(cuIpcOpenEventHandle, (CUevent *, CUipcEventHandle), (&e, h));
	puts(query(e) == 600 ? "pending" : "not pending");
	fflush(stdout);
	DO(cuEventSynchronize, (CUevent), (e));
	puts(query(e) ? "not done" : "done");
	DO(cuEventDestroy_v2, (CUevent), (e));
}

// A child that was forked has no driver.
static void forked(void) {
	fflush(stdout);
	pid_t child = fork();
	if (!child)
		_exit(query(NULL));
	int status;
	waitpid(child, &status, 0);
	printf("fork: %d\n", WEXITSTATUS(status));
}

// Where cuGetProcAddress finds a function: how the search ended, with a library of CUDA 11 the result of the call.
static int find(const char *name, int version, void **address) {
	int status = -1;
	if (!dlsym(library, "cuGetProcAddress_v2")) {
		CUresult (*old)(const char *, void **, int, uint64_t) =
			(CUresult(*)(const char *, void **, int, uint64_t))need("cuGetProcAddress");
		return old(name, address, version, 0);
	}
	DO(cuGetProcAddress_v2, (const char *, void **, int, uint64_t, int *), (name, address, version, 0, &status));
	return status;
}

static void addresses(void) {
	void *address = NULL;
	printf("addresses: %d", find("cuMemAlloc", 2000, &address));
	printf(" %d", find("cuMemAlloc_v2", 12000, &address));
	printf(" %d", find("cuNone", 12000, &address));
	printf(" %d", find("cuLaunchKernelEx", 11050, &address));
	printf(" %d", find("cuLaunchKernelEx", 11060, &address));
	printf(" %d", find("cuInit", 99990, &address));
	printf(" %d", find("cuMemAlloc", 12000, &address));
	printf(", %s\n", address == need("cuMemAlloc_v2") ? "the same" : "another");
}

static void lacking(void) {
	CUresult (*f)(void *, void *) = (CUresult(*)(void *, void *))need("cuArrayCreate_v2");
	printf("lacking: %d\n", f(NULL, NULL));
}

int main(int argc, char **argv) {
	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		puts(dlerror());
		return 1;
	}
	const char *folder = getenv("CLIENT_FOLDER"); // where to go before the first call
	if (folder && chdir(folder)) {
		puts("no such folder");
		return 1;
	}
	if (argc == 3) {
		devices();
		import_event(argv[2]);
		return 0;
	}
	addresses();
	devices();
	modules();
	events();
	memory();
	capture();
	threads();
	export_event(argv[0]);
	lacking();
	forked();
	DO(cuStreamDestroy_v2, (CUstream), (stream));
	DO(cuDevicePrimaryCtxRelease_v2, (CUdevice), (0));
	return 0;
}
