// Package cudrv is the whole CUDA driver API for Go, without cgo: every function, type and constant of cuda.h and cudaProfiler.h, from
// CUDA 11.8 on, generated from the headers of every release since.
//
// # Names
//
// A C name loses its prefix and takes Go's case: cuEventCreate is [EventCreate], CUevent is [Event], CU_EVENT_BLOCKING_SYNC is
// [EventBlockingSync], CUDA_ERROR_NOT_READY is [ErrNotReady]. The exact C name stands in each doc comment, so searching for it finds the Go
// one. A Go name means one exported symbol for ever. The macros of the header, which make cuCtxCreate mean another function in each
// major release, have no place here: new ABI versions stand beside the old ones ([CtxCreate], [CtxCreateV3], [CtxCreateV4]).
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]:
//
//	ev, err := cudrv.EventCreate(cudrv.EventDisableTiming)
//	if errors.Is(err, cudrv.ErrInvalidContext) { … }
//
// So == with a code does not hold, but for one: what is not ready ([EventQuery], [StreamQuery]) is
// no failure, and comes as [ErrNotReady] itself. A loop that polls may compare with ==. Neither of
// the two allocates when it is repeated.
//
// The bindings are exact: they pass on what they are given. A destroyed handle or a wild pointer does here what it does in C.
// Package event, built on top, guards against both.
//
// # Loading
//
// Importing the package does nothing. The first call opens the driver's library ([Load] tells where it is looked for), and each
// function is looked up at its own first call. Without a driver that call returns an error that is
// [ErrLibraryNotFound], a [*LibraryError] with every path tried; a function that an older driver
// lacks returns [ErrSymbolNotFound], which names the release that introduced it. See [Has], [Since],
// [DriverVersion].
//
// # Threads and contexts
//
// CUDA keeps the current context per OS thread, and goroutines move between threads. Functions whose doc says that they need a current context
// are to be called inside [Context.Do], which holds the thread, makes the context current and restores the previous one.
// Unless a doc comment says otherwise, functions are safe for concurrent use. A call that blocks in C blocks its OS thread.
//
// # Memory
//
// Handles are numbers; the garbage collector does not know them, and what creates one says what destroys it. Go memory whose address
// is passed stays alive and in place for the length of the call. Where the driver keeps an address after the call, the doc comment says until
// when: hold that memory with a [runtime.Pinner].
//
// That holds for what a pointer leads to as well: the array that the kernelParams of [LaunchKernel]
// points to, and the variables that the array points to, may be local ones. It does not hold for
// addresses in words, which the collector does not see, nor for those in unions. [LaunchExtra],
// [JITOptions] and [LibraryOptions] make the lists of words that C wants, and hold what is in them.
package cudrv
