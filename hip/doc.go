// Package hip binds the whole HIP runtime API of AMD's ROCm, without cgo: every function, type and
// constant of hip_runtime_api.h and what it includes. It is generated from the headers of several
// releases since ROCm 5.2.
//
// # Names
//
// A C name loses its prefix and takes Go's case: hipEventCreate is [EventCreate], hipEvent_t is
// [Event], hipEventDisableTiming is [EventDisableTiming], hipErrorNotReady is [ErrNotReady]. Each
// doc comment contains the exact C name, so a search for it finds the Go name. A Go name always
// means the same exported symbol. [GetDeviceProperties] and [ChooseDevice] are the symbols of ROCm
// 6 (hipGetDevicePropertiesR0600): the plain C symbols still use the smaller struct of ROCm 5 and
// would leave most of the new one unset.
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]:
//
//	ev, err := hip.EventCreateWithFlags(hip.EventDisableTiming)
//	if errors.Is(err, hip.ErrInvalidValue) { … }
//
// So compare with errors.Is, not with ==. The exception is "not ready" ([EventQuery],
// [StreamQuery]), which is not a failure: it is returned as [ErrNotReady] itself, and a loop that
// polls may compare with ==. Repeated errors allocate nothing.
//
// The bindings pass arguments to C unchecked, and this runtime checks few handles. A destroyed
// event or stream crashes the process, as it does in C. Package event, built on top, guards against
// that.
//
// # Loading
//
// Importing the package does nothing. The first call opens the library ([Load] describes the
// search), and each function is looked up at its first call. Without a library, calls return
// [ErrLibraryNotFound], as a [*LibraryError] with every path that was tried. A function that an
// older runtime lacks returns [ErrSymbolNotFound], which names the releases between which it was
// introduced. See [Has], [Since], [RuntimeVersion].
//
// # Threads and devices
//
// HIP keeps the current device per OS thread, device 0 in a new one, and goroutines move between
// threads. Call functions whose doc says that they use the current device inside [Device.Do], which
// locks the goroutine to its thread, selects the device and restores the previous one. Unless a doc
// comment says otherwise, functions are safe for concurrent use. A call that blocks in C blocks its
// OS thread. Each call returns its own error. [GetLastError] is per thread, so only a goroutine
// that is locked to its thread can use it.
//
// # Memory
//
// Handles are numbers that the garbage collector does not track: destroy what you create. Go memory
// whose address is passed stays alive and in place during the call. Where the runtime keeps an
// address after the call, the doc comment says for how long: pin that memory with a
// [runtime.Pinner].
//
// That includes memory behind a nested pointer: the array that the kernelParams of
// [ModuleLaunchKernel] points to, and the variables that the array points to, may be local. It does
// not include addresses in uintptr words or in unions, which the garbage collector does not see.
// [LaunchExtra], [JITOptions] and [LibraryOptions] build the lists of words that C takes, and keep
// alive what these point to.
package hip
