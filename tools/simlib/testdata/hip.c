// A program that is linked with -lamdhip64 and opens the library once more by its name without a
// version, as some packages do. It measures a copy and launches nothing.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hipGetDeviceCount(int *);
int hipRuntimeGetVersion(int *);
int hipMalloc(void **, size_t);
int hipFree(void *);
int hipMemcpy(void *, const void *, size_t, int);
int hipStreamCreate(void **);
int hipStreamSynchronize(void *);
int hipStreamDestroy(void *);
int hipEventCreate(void **);
int hipEventRecord(void *, void *);
int hipEventElapsedTime(float *, void *, void *);
int hipEventDestroy(void *);
const char *hipGetErrorName(int);

static void check(int code, int line) {
	if (code) {
		printf("line %d: %s\n", line, hipGetErrorName(code));
		exit(1);
	}
}
#define CHECK(call) check(call, __LINE__)

int main(void) {
	int devices, version, data[256], back[256];
	void *at, *stream, *start, *end;
	float ms;
	CHECK(hipGetDeviceCount(&devices));
	CHECK(hipRuntimeGetVersion(&version));
	printf("%d devices, version %d\n", devices, version);
	for (int i = 0; i < 256; i++)
		data[i] = i;
	CHECK(hipMalloc(&at, sizeof data));
	CHECK(hipStreamCreate(&stream));
	CHECK(hipEventCreate(&start));
	CHECK(hipEventCreate(&end));
	CHECK(hipEventRecord(start, stream));
	CHECK(hipMemcpy(at, data, sizeof data, 1));
	CHECK(hipMemcpy(back, at, sizeof back, 2));
	CHECK(hipEventRecord(end, stream));
	CHECK(hipStreamSynchronize(stream));
	CHECK(hipEventElapsedTime(&ms, start, end));
	printf("copy: %s, time: %s\n", memcmp(data, back, sizeof data) ? "wrong" : "right",
	       ms >= 0 && ms < 1000 ? "right" : "wrong");
	CHECK(hipEventDestroy(start));
	CHECK(hipEventDestroy(end));
	CHECK(hipStreamDestroy(stream));
	CHECK(hipFree(at));
	void *library = dlopen("libamdhip64.so", RTLD_NOW);
	printf("by name: %s\n", library && dlsym(library, "hipMalloc") == (void *)hipMalloc ? "the same" : "another");
	return 0;
}
