// A driver of one device that does next to nothing, so that the call itself is what is timed. Both
// vendors' functions have these prototypes, codes included, so that one set of C functions serves
// under the names of both.
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t handle; // opaque: a number to Go, as in the bindings

enum { OK = 0, INVALID_VALUE = 1, INVALID_HANDLE = 400, NOT_READY = 600 };

// Calls are counted, so that a way which makes another number of calls than it says is found. Each
// thread has counters of its own: package event destroys what it kept on another one.
enum {
	RECORD, QUERY, ELAPSED, WAIT, CREATE, DESTROY, LAUNCH, CAPTURING, CURRENT, SET_CURRENT, KINDS
};
uint64_t called(int kind);

int eventCreate(handle *event, unsigned flags);
int eventDestroy(handle event);
int eventRecord(handle event, handle stream);
int eventQuery(handle event);
int eventElapsed(float *ms, handle start, handle end);
int streamWaitEvent(handle stream, handle event, unsigned flags);
int launchKernel(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, handle stream, void **params, void **extra);
int ctxGetCurrent(handle *context);
int ctxSetCurrent(handle context);
int streamCapturing(handle stream, int *status);
int deviceGetAttribute(int *value, int attribute, int device); // not counted: for many threads

// What the driver answers to queries: not ready, or done.
void setPending(int pending);
// The context that is current on the calling thread: the device's, or none.
void setInside(int inside);
// The address of a function under a vendor's name; 0 if the driver lacks it.
uintptr_t symbol(const char *name);

// The loops in C. They return how many turns they made before a call failed.
unsigned long loopRecord(unsigned long n, handle event, handle stream);
unsigned long loopQuery(unsigned long n, handle event, int want);
unsigned long loopRecordQuery(unsigned long n, handle event, handle stream);
unsigned long loopElapsed(unsigned long n, handle start, handle end);
unsigned long loopWait(unsigned long n, handle stream, handle event);
unsigned long loopCreateDestroy(unsigned long n, unsigned flags);
unsigned long loopCreateRecordDestroy(unsigned long n, unsigned flags, handle stream);
unsigned long loopLaunch(unsigned long n);
unsigned long loopLaunch4(unsigned long n);

// A CUDA driver and a HIP runtime of one device whose work is nothing but time: its functions, the
// length of the work before the next record, the end of the last record, and the clock of both.
uintptr_t wakeSymbol(const char *name);
void wakeSetLength(int64_t ns);
int64_t wakeLatest(void);
int64_t wakeNow(void);

// Clocks, in nanoseconds.
int64_t wallClock(void);
int64_t threadClock(void);  // CPU time of the calling thread
int64_t processClock(void); // CPU time of the process
