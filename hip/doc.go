// Package hip is the whole HIP runtime API of AMD's ROCm for Go, without cgo: every function, type and constant of hip_runtime_api.h and what
// it includes, from ROCm 5.2 on, generated from the headers of several releases since.
//
// # Names
//
// A C name loses its prefix and takes Go's case: hipEventCreate is [EventCreate], hipEvent_t is [Event], hipEventDisableTiming is
// [EventDisableTiming], hipErrorNotReady is [ErrNotReady]. The exact C name stands in each doc comment, so searching for it finds the Go one. A Go
// name means one exported symbol for ever. [GetDeviceProperties] and [ChooseDevice] are the symbols of ROCm 6 (hipGetDevicePropertiesR0600): the
// plain C symbols still have the smaller struct of ROCm 5 and would leave most of the new one unset.
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]:
//
//	ev, err := hip.EventCreateWithFlags(hip.EventDisableTiming)
//	if errors.Is(err, hip.ErrInvalidValue) { … }
//
// So == with a code does not hold, but for one: what is not ready ([EventQuery], [StreamQuery]) is
// no failure, and comes as [ErrNotReady] itself. A loop that polls may compare with ==. Neither of
// the two allocates when it is repeated.
//
// The bindings are exact: they pass on what they are given, and this runtime checks few handles. A destroyed event or stream crashes the
// process here as it does in C. Package event, built on top, guards against that.
//
// # Loading
//
// Importing the package does nothing. The first call opens the library ([Load] tells where it is looked for), and each function is
// looked up at its own first call. Without a library that call returns an error that is
// [ErrLibraryNotFound], a [*LibraryError] with every path tried; a function that an older runtime
// lacks returns [ErrSymbolNotFound], which says between which two releases it came. See [Has],
// [Since], [RuntimeVersion].
//
// # Threads and devices
//
// HIP keeps the current device per OS thread, device 0 in a new one, and goroutines move between threads. Functions whose doc says that
// they use the current device are to be called inside [Device.Do], which holds the thread, selects the device and restores the previous one.
// Unless a doc comment says otherwise, functions are safe for concurrent use. A call that blocks in
// C blocks its OS thread. Each call returns its own error; [GetLastError] is per thread, and of use
// only to a goroutine that is locked to one.
//
// # Memory
//
// Handles are numbers; the garbage collector does not know them, and what creates one says what destroys it. Go memory whose address
// is passed stays alive and in place for the length of the call. Where the runtime keeps an address after the call, the doc comment says until
// when: hold that memory with a [runtime.Pinner].
//
// That holds for what a pointer leads to as well: the array that the kernelParams of
// [ModuleLaunchKernel] points to, and the variables that the array points to, may be local ones. It
// does not hold for addresses in words, which the collector does not see, nor for those in unions.
// [LaunchExtra], [JITOptions] and [LibraryOptions] make the lists of words that C wants, and hold what is in them.
package hip
