// Package cudrv binds the whole CUDA driver API, without cgo: every function, type and constant of
// cuda.h and cudaProfiler.h. It is generated from the headers of every release since CUDA 11.6.
//
// # Names
//
// A C name loses its prefix and takes Go's case: cuEventCreate is [EventCreate], CUevent is
// [Event], CU_EVENT_BLOCKING_SYNC is [EventBlockingSync], CUDA_ERROR_NOT_READY is [ErrNotReady].
// Each doc comment contains the exact C name, so a search for it finds the Go name. A Go name
// always means the same exported symbol. In C, macros make cuCtxCreate mean another function in
// each major release. Go has all ABI versions side by side instead: [CtxCreate], [CtxCreateV3],
// [CtxCreateV4].
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]:
//
//	ev, err := cudrv.EventCreate(cudrv.EventDisableTiming)
//	if errors.Is(err, cudrv.ErrInvalidContext) { … }
//
// So compare with errors.Is, not with ==. The exception is "not ready" ([EventQuery],
// [StreamQuery]), which is not a failure: it is returned as [ErrNotReady] itself, and a loop that
// polls may compare with ==. Repeated errors allocate nothing.
//
// The bindings pass arguments to C unchecked. A destroyed handle or an invalid pointer does the
// same as in C. Package event, built on top, guards against both.
//
// # Loading
//
// Importing the package does nothing. The first call opens the driver's library ([Load] describes
// the search), and each function is looked up at its first call. Without a driver, calls return
// [ErrLibraryNotFound], as a [*LibraryError] with every path that was tried. A function that an
// older driver lacks returns [ErrSymbolNotFound], which names the release that introduced it. See
// [Has], [Since], [DriverVersion].
//
// # Threads and contexts
//
// CUDA keeps the current context per OS thread, and goroutines move between threads. Call functions
// whose doc says that they need a current context inside [Context.Do], which locks the goroutine to
// its thread, makes the context current and restores the previous one. Unless a doc comment says
// otherwise, functions are safe for concurrent use. A call that blocks in C blocks its OS thread.
//
// # Memory
//
// Handles are numbers that the garbage collector does not track: destroy what you create. Go memory
// whose address is passed stays alive and in place during the call. Where the driver keeps an
// address after the call, the doc comment says for how long: pin that memory with a
// [runtime.Pinner].
//
// That includes memory behind a nested pointer: the array that the kernelParams of [LaunchKernel]
// points to, and the variables that the array points to, may be local. It does not include
// addresses in uintptr words or in unions, which the garbage collector does not see. [LaunchExtra],
// [JITOptions] and [LibraryOptions] build the lists of words that C takes, and keep alive what
// these point to.
package cudrv
