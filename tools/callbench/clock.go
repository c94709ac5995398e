package main

/*
#include <stdint.h>
#include <time.h>

static int64_t clockNow(clockid_t id) {
	struct timespec t;
	return clock_gettime(id, &t) ? -1 : t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t wallClock(void) { return clockNow(CLOCK_MONOTONIC); }
static int64_t threadClock(void) { return clockNow(CLOCK_THREAD_CPUTIME_ID); }
static int64_t processClock(void) { return clockNow(CLOCK_PROCESS_CPUTIME_ID); }
*/
import "C"

// clocks are what is read before and after a round, in nanoseconds.
type clocks struct {
	wall    int64
	thread  int64 // CPU time of the calling thread
	process int64 // CPU time of the process, with its garbage collection
}

func readClocks() clocks {
	return clocks{int64(C.wallClock()), int64(C.threadClock()), int64(C.processClock())}
}

func (c clocks) since(before clocks) clocks {
	return clocks{c.wall - before.wall, c.thread - before.thread, c.process - before.process}
}
