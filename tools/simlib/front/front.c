// The front of a simulated driver: see the comment of package main.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct symbol {
	const char *name;
	const char *base; // without the version of its ABI
	int since;
	int text; // returns an address
	void *stub;
};

#include "table.h"

#define EXPORT __attribute__((visibility("default")))

// Codes of both APIs.
enum { SUCCESS = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3, NOT_FOUND = 500, NOT_SUPPORTED = 801, UNKNOWN = 999 };

// The simulator's functions; 0 for those that it lacks.
static void *targets[COUNT];

// Whether the thread has called before.
static _Thread_local char known __attribute__((tls_model("initial-exec")));

static unsigned lacking[COUNT]; // calls of functions that the simulator lacks
static void *(*find)(const char *vendor, const char *symbol);
static void (*report)(const char *vendor, const char *name, unsigned calls);
static void (*finish)(void);
static void (*enter)(void);
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int open, forked;

static int not_supported(void) { return NOT_SUPPORTED; }
static int not_initialized(void) { return NOT_INITIALIZED; }
static int unknown(void) { return UNKNOWN; }
static void *no_text(void) { return NULL; }

// A thread's stack for signals, where the program has taken away the one that the thread had.
enum { SIGNAL_STACK = 64 << 10 };
static pthread_key_t stacks;
static pthread_once_t stacks_once = PTHREAD_ONCE_INIT;

struct signal_stack {
	int rounds; // of destructors in which it was kept
	stack_t stack;
};

// drop_stack frees the stack of a thread that ends. It waits for the second round of destructors: in
// the first, Go lets the thread go, and may still get a signal.
static void drop_stack(void *of) {
	struct signal_stack *own = of;
	stack_t now, none = {.ss_flags = SS_DISABLE};
	if (own->rounds++ == 0) {
		pthread_setspecific(stacks, own);
		return;
	}
	if (!sigaltstack(NULL, &now) && now.ss_sp == own->stack.ss_sp)
		sigaltstack(&none, NULL);
	munmap(own->stack.ss_sp, SIGNAL_STACK);
	free(own);
}

static void make_stacks(void) { pthread_key_create(&stacks, drop_stack); }

// guard gives the thread a stack for signals if it has none. Go made sure of one at the thread's
// first call, and ends the process when it interrupts a thread of its own that has none. Programs
// take it away: Python's faulthandler does at its end, and Rust's threads do at theirs.
static void guard(void) {
	stack_t now;
	if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
		return;
	pthread_once(&stacks_once, make_stacks);
	struct signal_stack *own = pthread_getspecific(stacks);
	if (!own) {
		void *at = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			return;
		if (!(own = calloc(1, sizeof *own))) {
			munmap(at, SIGNAL_STACK);
			return;
		}
		own->stack.ss_sp = at;
		own->stack.ss_size = SIGNAL_STACK;
		pthread_setspecific(stacks, own);
	}
	sigaltstack(&own->stack, NULL);
}

// The Go runtime has only one thread in a child that was forked, and so does not work.
static void in_child(void) { forked = 1; }

static void at_exit(void) {
	if (forked)
		return;
	guard();
	for (int i = 0; i < COUNT; i++)
		if (lacking[i])
			report(VENDOR, symbols[i].name, lacking[i]);
	finish();
}

// Where this library is, found when it is loaded: later a relative path may mean another file.
static char *self;

__attribute__((constructor)) static void locate(void) {
	Dl_info info;
	if (dladdr(symbols, &info))
		self = realpath(info.dli_fname, NULL);
}

static void *core(void) {
	char path[PATH_MAX];
	if (!self || snprintf(path, sizeof path, "%.*s/../%s", (int)(strrchr(self, '/') - self), self, CORE) >= (int)sizeof path)
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void start(void) {
	void *library = core();
	int (*begin)(const char *, const char *) = NULL;
	if (library) {
		begin = (int (*)(const char *, const char *))dlsym(library, "simlib_begin");
		find = (void *(*)(const char *, const char *))dlsym(library, "simlib_find");
		report = (void (*)(const char *, const char *, unsigned))dlsym(library, "simlib_lacking");
		finish = (void (*)(void))dlsym(library, "simlib_finish");
		enter = (void (*)(void))dlsym(library, "simlib_enter");
	}
	if (!begin || !find || !report || !finish || !enter) {
		const char *why = dlerror();
		fprintf(stderr, "simlib: %s: can't open the simulator: %s\n", VENDOR "-" VERSION, why ? why : CORE);
		return;
	}
	if (!begin(VENDOR, VERSION)) {
		fprintf(stderr, "simlib: another version of %s is in use in this process, or %s is unknown\n", VENDOR, VERSION);
		return;
	}
	for (int i = 0; i < COUNT; i++)
		__atomic_store_n(&targets[i], find(VENDOR, symbols[i].name), __ATOMIC_RELEASE);
	pthread_atfork(NULL, NULL, in_child);
	atexit(at_exit);
	__atomic_store_n(&open, 1, __ATOMIC_RELEASE);
}

// greet makes the thread known to the Go runtime, with all signals blocked. When a thread ends, Go
// gives it the signal mask back that it had then. A program that is itself in Go has blocked its
// signals by that time, and would crash at the next one.
static void greet(void) {
	sigset_t all, was;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	enter();
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	known = 1;
}

// simlib_resolve returns what a function without a target does.
__attribute__((visibility("hidden"))) void *simlib_resolve(int i) {
	if (forked)
		return symbols[i].text ? (void *)no_text : (void *)not_initialized;
	pthread_once(&once, start);
	if (!__atomic_load_n(&open, __ATOMIC_ACQUIRE))
		return symbols[i].text ? (void *)no_text : (void *)unknown;
	if (!known)
		greet();
	else
		guard();
	void *target = __atomic_load_n(&targets[i], __ATOMIC_ACQUIRE);
	if (target)
		return target;
	__atomic_add_fetch(&lacking[i], 1, __ATOMIC_RELAXED);
	return symbols[i].text ? (void *)no_text : (void *)not_supported;
}

#ifdef HAS_cuGetProcAddress

// What cuGetProcAddress_v2 says about its search.
enum { FOUND = 0, NO_SYMBOL = 1, VERSION_TOO_OLD = 2 };

// Functions with a default stream per thread, of which there are none here.
enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 };

// newest finds the newest variant of a function that a version has. Versions are compared as
// unsigned numbers, and may be newer than the driver, as the driver does it.
static const struct symbol *newest(const char *base, unsigned version, int *status) {
	const struct symbol *found = NULL;
	*status = NO_SYMBOL;
	for (const struct symbol *s = symbols; s < symbols + COUNT; s++) {
		if (strcmp(s->base, base))
			continue;
		if ((unsigned)s->since > version) {
			if (!found)
				*status = VERSION_TOO_OLD;
		} else if (!found || s->since >= found->since) {
			found = s;
			*status = FOUND;
		}
	}
	return found;
}

EXPORT int simlib_v1(const char *base, void **out, int version, uint64_t flags) __asm__("cuGetProcAddress");
#ifdef HAS_cuGetProcAddress_v2
EXPORT int simlib_v2(const char *base, void **out, int version, uint64_t flags, int *status) __asm__("cuGetProcAddress_v2");
#else
static
#endif
int simlib_v2(const char *base, void **out, int version, uint64_t flags, int *status) {
	int how;
	if (!base || !out || flags & ~(uint64_t)(LEGACY_STREAM | PER_THREAD_STREAM))
		return INVALID_VALUE;
	const struct symbol *s = newest(base, version, &how);
	*out = s ? s->stub : NULL;
	if (status)
		*status = how;
	return SUCCESS;
}

int simlib_v1(const char *base, void **out, int version, uint64_t flags) {
	void *found;
	int code = simlib_v2(base, &found, version, flags, NULL);
	if (code == SUCCESS && !found)
		return NOT_FOUND;
	if (code == SUCCESS)
		*out = found;
	return code;
}

#endif
