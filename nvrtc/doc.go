// Package nvrtc binds NVRTC, NVIDIA's compiler of CUDA C++ at run time, without cgo: every
// function, type and constant of nvrtc.h. It is generated from the headers of all minor releases
// since CUDA 11.7. Compiling needs neither a GPU nor a driver.
//
// # Names
//
// A C name loses its prefix and takes Go's case: nvrtcCompileProgram is [CompileProgram],
// NVRTC_ERROR_COMPILATION is [ErrCompilation]. Each doc comment contains the exact C name. A Go
// name always means the same exported symbol.
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]: compare with
// errors.Is. The reason why a source does not compile is in the program's [Log].
//
// C takes lists of options and of headers as arrays of texts, which [Strings] makes. Functions that
// write code, such as [GetPTX], take the memory for as many bytes as another function says;
// [Output] calls both.
//
// # Loading
//
// Importing the package does nothing. The first call opens the library ([Load] describes the
// search), and each function is looked up at its first call. The library is part of the CUDA
// toolkit, not of the driver. Without it, calls return [ErrLibraryNotFound], as a [*LibraryError]
// with every path that was tried. A function that an older library lacks returns
// [ErrSymbolNotFound]. See [Has] and [Since].
//
// Compiling opens a second file by itself, libnvrtc-builtins of the same release, which lies beside
// the library. Without it [CompileProgram] returns [ErrBuiltinOperationFailure], and the log names
// the file. On Windows the folder must be on the search path of DLLs.
//
// # Results of a compilation
//
// With --gpu-architecture=sm_80 a program has PTX and code for that architecture (cubin). With
// compute_80 it has PTX only, which a driver compiles when it loads it, and refuses if the toolkit
// is newer than the driver. So prefer sm_ architectures if the GPU is known.
//
// # Threads
//
// Functions are safe for concurrent use, on different programs; the compiler works on one at a
// time. A call occupies its OS thread until it is done. A [FlowCallback] may run on another thread.
//
// Handles are numbers that the garbage collector does not track: destroy each program.
package nvrtc
