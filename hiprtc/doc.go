// Package hiprtc binds hipRTC, AMD's compiler of HIP C++ at run time, without cgo: every function,
// type and constant of hip/hiprtc.h. It is generated from the headers of several releases since
// ROCm 5.2. Compiling needs neither a GPU nor a driver.
//
// # Names
//
// A C name loses its prefix and takes Go's case: hiprtcCompileProgram is [CompileProgram],
// HIPRTC_ERROR_COMPILATION is [ErrCompilation]. Each doc comment contains the exact C name. A Go
// name always means the same exported symbol.
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]: compare with
// errors.Is. The reason why a source does not compile is in the program's [Log].
//
// C takes lists of options and of headers as arrays of texts, which [Strings] makes. Functions that
// write code, such as [GetCode], take the memory for as many bytes as another function says;
// [Output] calls both. [LinkOptions] makes the lists of options that a linker takes.
//
// # Architectures
//
// Always name an architecture, --offload-arch=gfx942, if need be with its features
// (gfx942:sramecc+:xnack-): otherwise the library looks for a GPU. Libraries before ROCm 7 end the
// process at a name that they do not know. So [CompileProgram] asks the compiler first and returns
// [ErrArchitecture]; [Architectures] lists what there is.
//
// # Loading
//
// Importing the package does nothing. The first call opens the library ([Load] describes the
// search), and each function is looked up at its first call. Without a library, calls return
// [ErrLibraryNotFound], as a [*LibraryError] with every path that was tried. A function that an
// older library lacks returns [ErrSymbolNotFound]. See [Has] and [Since]. [Version] does not tell
// releases apart.
//
// hipRTC opens the compiler itself, comgr, and crashes where it is missing. So it is opened first,
// and a library without it is refused.
//
// # Threads
//
// Functions are safe for concurrent use, on different programs; the compiler works on one at a
// time. A call occupies its OS thread until it is done.
//
// Handles are numbers that the garbage collector does not track: destroy each program and linker.
package hiprtc
