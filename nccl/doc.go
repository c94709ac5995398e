// Package nccl binds NCCL, NVIDIA's library of collective communication between GPUs, without cgo:
// every function, type and constant of nccl.h. It is generated from the headers of all minor
// releases since 2.13. NCCL exists for Linux only.
//
// # Names
//
// A C name loses its prefix and takes Go's case: ncclAllReduce is [AllReduce], ncclComm_t is
// [Comm], ncclFloat32 is [Float32], ncclInvalidArgument is [ErrInvalidArgument]. Each doc comment
// contains the exact C name. A Go name always means the same exported symbol. Each function has a
// second symbol, pncclAllReduce, here [PAllReduce], for profilers that replace the first.
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]: compare with
// errors.Is. The exception is "in progress", which is not a failure: functions of a communicator
// that does not block return it as [ErrInProgress] itself, and then [CommGetAsyncError] says how it
// goes on. [GetLastError] has the library's own words for the last error.
//
// Settings are structs that begin with their size and version and whose members are not zero if
// they are not set: begin with [NewConfig], [NewCollConfig], [NewEncryptionConfig] or [NewSimInfo].
//
// Streams and events are those of the CUDA runtime or driver: nccl.Stream(stream) converts one of
// package cudrv. Buffers are memory of the GPU.
//
// # Groups and threads
//
// A group is the calling thread's: lock the goroutine to its thread from [GroupStart] to
// [GroupEnd], with [runtime.LockOSThread]. The device is the thread's current one, so a thread that
// makes the communicators of several GPUs selects each, and must do so in a group: calls wait for
// each other. What a call in a group returns through a pointer that it takes, as [CommSplit] does,
// is written at the end of the group.
//
// # Loading
//
// Importing the package does nothing. The first call opens the library ([Load] describes the
// search), and each function is looked up at its first call. Without a library, calls return
// [ErrLibraryNotFound], as a [*LibraryError] with every path that was tried. A function that an
// older library lacks returns [ErrSymbolNotFound]. See [Has], [Since] and [LibraryVersion]. The
// library's symbols stay its own, so that RCCL, which has the same ones, may be in the same
// process: see package rccl.
//
// Handles are numbers that the garbage collector does not track: destroy what you make.
package nccl
