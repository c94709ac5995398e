// A program that takes its threads' alternate signal stacks away after their first call of the
// library, as Python's faulthandler does at its end, and Rust's threads at theirs.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuModuleLoadData(void **, const void *);

enum { SIZE = 1 << 16, LONG = 8 << 20 };

static char *text; // no image: a comment that takes the library long to read

// give gives the thread a stack, take takes its stack away.
static void *give(void) {
	stack_t own = {.ss_sp = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		       .ss_size = SIZE};
	if (sigaltstack(&own, NULL))
		abort();
	return own.ss_sp;
}

static void take(void *stack) {
	stack_t none = {.ss_flags = SS_DISABLE};
	if (sigaltstack(&none, NULL))
		abort();
	if (stack)
		munmap(stack, SIZE);
}

// use calls the library for long enough that its runtime interrupts the thread.
static void use(void) {
	void *module;
	for (int i = 0; i < 3; i++)
		if (!cuModuleLoadData(&module, text))
			abort();
}

static void *thread(void *with) {
	void *stack = with ? give() : NULL, *context;
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context))
		abort();
	take(stack);
	use();
	take(NULL);
	use();
	return NULL;
}

int main(void) {
	pthread_t threads[4];
	text = malloc(LONG);
	memset(text, '/', LONG);
	text[LONG - 1] = 0;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, thread, i % 2 ? text : NULL))
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	thread(text);
	take(NULL); // so that the library's work at the end of the process finds none
	puts("ok");
	return 0;
}
