// The loops in C: a file of its own, so that the compiler can't look into the driver's functions.
#include "driver.h"

unsigned long loopRecord(unsigned long n, handle event, handle stream) {
	for (unsigned long i = 0; i < n; i++)
		if (eventRecord(event, stream) != OK)
			return i;
	return n;
}

unsigned long loopQuery(unsigned long n, handle event, int want) {
	for (unsigned long i = 0; i < n; i++)
		if (eventQuery(event) != want)
			return i;
	return n;
}

unsigned long loopRecordQuery(unsigned long n, handle event, handle stream) {
	for (unsigned long i = 0; i < n; i++)
		if (eventRecord(event, stream) != OK || eventQuery(event) != OK)
			return i;
	return n;
}

unsigned long loopElapsed(unsigned long n, handle start, handle end) {
	for (unsigned long i = 0; i < n; i++) {
		float ms;
		if (eventElapsed(&ms, start, end) != OK || ms != 1.5f)
			return i;
	}
	return n;
}

unsigned long loopWait(unsigned long n, handle stream, handle event) {
	for (unsigned long i = 0; i < n; i++)
		if (streamWaitEvent(stream, event, 0) != OK)
			return i;
	return n;
}

unsigned long loopCreateDestroy(unsigned long n, unsigned flags) {
	for (unsigned long i = 0; i < n; i++) {
		handle event;
		if (eventCreate(&event, flags) != OK || eventDestroy(event) != OK)
			return i;
	}
	return n;
}

unsigned long loopCreateRecordDestroy(unsigned long n, unsigned flags, handle stream) {
	for (unsigned long i = 0; i < n; i++) {
		handle event;
		if (eventCreate(&event, flags) != OK || eventRecord(event, stream) != OK ||
			eventDestroy(event) != OK)
			return i;
	}
	return n;
}

unsigned long loopLaunch(unsigned long n) {
	for (unsigned long i = 0; i < n; i++)
		if (launchKernel(1, 1, 2, 3, 4, 5, 6, 7, 9, NULL, NULL) != OK)
			return i;
	return n;
}

unsigned long loopLaunch4(unsigned long n) {
	for (unsigned long i = 0; i < n; i++) {
		uint64_t a = 0xa0, b = 0xb0;
		int32_t count = 1000;
		float factor = 2.5f;
		void *params[] = {&a, &b, &count, &factor};
		if (launchKernel(1, 1, 2, 3, 4, 5, 6, 7, 9, params, NULL) != OK)
			return i;
	}
	return n;
}
