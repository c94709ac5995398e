/*
 * A driver for tests of twin.c: NVIDIA's functions and AMD's, whose work is nothing but time. A
 * kernel called busy takes as many nanoseconds as its parameter says, everything else none; streams
 * run in order; memory is the host's. FAKE_FAIL names a function that returns 999 from its tenth
 * call on, FAKE_LACKS one that is not supported, FAKE_SPOILS makes copies wrong, FAKE_NONE finds no
 * device, FAKE_HANGS makes synchronizing a stream hang.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct { double idle; } queue;
typedef struct { double at; int recorded; } mark;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int is(const char *variable, const char *name) {
	const char *value = getenv(variable);
	return value && !strcmp(value, name);
}

/* result is what a call of a function returns where it could succeed. */
static int result(const char *name, int *calls) {
	++*calls;
	if (is("FAKE_LACKS", name))
		return 801;
	return is("FAKE_FAIL", name) && *calls >= 10 ? 999 : 0;
}

/* F defines a function under both vendors' names. */
#define F(cuda, hip, parameters, arguments, body) \
	int cuda parameters { \
		static int calls; \
		int r = result(#cuda, &calls); \
		if (r) \
			return r; \
		body \
	} \
	int hip parameters { return cuda arguments; }

static double end(queue *q) { return q->idle > now() ? q->idle : now(); }
static void await(double at) {
	while (now() < at)
		usleep(20);
}

F(cuInit, hipInit, (unsigned f), (f), { (void)f; return getenv("FAKE_NONE") ? 100 : 0; })
int cuDeviceGet(int *d, int n) { *d = n; return n > 1 ? 101 : 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = c; return d < 0; }
int cuCtxSetCurrent(void *c) { return !c; }
int hipSetDevice(int n) { return n > 1 ? 101 : 0; }
F(cuStreamCreate, hipStreamCreateWithFlags, (void **s, unsigned f), (s, f),
  { (void)f; return (*s = calloc(1, sizeof(queue))) ? 0 : 2; })
F(cuStreamDestroy_v2, hipStreamDestroy, (void *s), (s), { free(s); return 0; })
F(cuStreamSynchronize, hipStreamSynchronize, (queue *s), (s),
  { await(getenv("FAKE_HANGS") ? 1e30 : s->idle); return 0; })
F(cuEventCreate, hipEventCreateWithFlags, (void **e, unsigned f), (e, f),
  { (void)f; return (*e = calloc(1, sizeof(mark))) ? 0 : 2; })
F(cuEventDestroy_v2, hipEventDestroy, (void *e), (e), { free(e); return 0; })
F(cuEventRecord, hipEventRecord, (mark *e, queue *s), (e, s),
  { e->at = end(s); e->recorded = 1; return 0; })
F(cuEventQuery, hipEventQuery, (mark *e), (e), { return now() < e->at ? 600 : 0; })
F(cuEventSynchronize, hipEventSynchronize, (mark *e), (e), { await(e->at); return 0; })
F(cuEventElapsedTime, hipEventElapsedTime, (float *ms, mark *a, mark *b), (ms, a, b),
  { *ms = (float)((b->at - a->at) / 1e6); return a->recorded && b->recorded ? 0 : 400; })
F(cuStreamWaitEvent, hipStreamWaitEvent, (queue *s, mark *e, unsigned f), (s, e, f),
  { (void)f; s->idle = e->at > s->idle ? e->at : s->idle; return 0; })
F(cuModuleLoadData, hipModuleLoadData, (void **m, const char *image), (m, image),
  { *m = m; return strstr(image, "busy") ? 0 : 200; })
F(cuModuleUnload, hipModuleUnload, (void *m), (m), { (void)m; return 0; })
F(cuModuleGetFunction, hipModuleGetFunction, (void **f, void *m, const char *name), (f, m, name),
  { (void)m; *f = (void *)(strcmp(name, "busy") ? 1l : 2l); return 0; })
F(cuLaunchKernel, hipModuleLaunchKernel,
  (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
   unsigned shared, queue *s, uint64_t **p, void **x),
  (f, gx, gy, gz, bx, by, bz, shared, s, p, x), {
	  if (f == (void *)2l)
		  s->idle = end(s) + *p[0];
	  return gx * gy * gz * bx * by * bz != 1 || shared || x;
  })
F(cuMemAlloc_v2, hipMalloc, (void **p, size_t n), (p, n), { return (*p = malloc(n)) ? 0 : 2; })
F(cuMemFree_v2, hipFree, (void *p), (p), { free(p); return 0; })
F(cuMemAllocAsync, hipMallocAsync, (void **p, size_t n, void *s), (p, n, s),
  { (void)s; return (*p = malloc(n)) ? 0 : 2; })
F(cuMemFreeAsync, hipFreeAsync, (void *p, void *s), (p, s), { (void)s; free(p); return 0; })
F(cuMemHostAlloc, hipHostMalloc, (void **p, size_t n, unsigned f), (p, n, f),
  { (void)f; return (*p = malloc(n)) ? 0 : 2; })
F(cuMemFreeHost, hipHostFree, (void *p), (p), { free(p); return 0; })
F(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync, (void *to, const void *from, size_t n, void *s),
  (to, from, n, s), { (void)s; memcpy(to, from, n); return 0; })
F(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync, (char *to, const char *from, size_t n, void *s),
  (to, from, n, s), {
	  (void)s;
	  memcpy(to, from, n);
	  to[n - 1] ^= getenv("FAKE_SPOILS") != NULL;
	  return 0;
  })
F(cuStreamBeginCapture_v2, hipStreamBeginCapture, (void *s, int mode), (s, mode),
  { (void)s; return mode != 1; })
F(cuStreamEndCapture, hipStreamEndCapture, (void *s, void **g), (s, g),
  { (void)s; *g = g; return 0; })
F(cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags,
  (void **x, void *g, unsigned long long f), (x, g, f), { *x = g; return f != 0; })
F(cuGraphLaunch, hipGraphLaunch, (void *x, void *s), (x, s), { (void)x; (void)s; return 0; })
F(cuGraphExecDestroy, hipGraphExecDestroy, (void *x), (x), { (void)x; return 0; })
F(cuGraphDestroy, hipGraphDestroy, (void *g), (g), { (void)g; return 0; })

/* A compiler whose image is the text. */
int hiprtcCreateProgram(void **p, const char *text, const char *name, int n, const char **headers,
                        const char **names) {
	(void)name, (void)n, (void)headers, (void)names;
	*p = (void *)(uintptr_t)text;
	return 0;
}
int hiprtcCompileProgram(void *p, int n, const char **options) {
	(void)p, (void)options;
	return n;
}
int hiprtcGetCodeSize(void *p, size_t *n) {
	*n = strlen(p) + 1;
	return 0;
}
int hiprtcGetCode(void *p, char *code) {
	strcpy(code, p);
	return 0;
}
