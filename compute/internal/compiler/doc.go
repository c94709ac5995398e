// Package compiler compiles kernels from source with NVRTC or hipRTC. It needs neither a GPU nor a
// driver.
//
// It chooses the kind of image by what the library can make for the target, sets the language to
// C++17 on both, waits for its turn, and gives up when the context ends. What Go can check is
// refused before a library sees it, because some releases of hipRTC end the process on bad input.
//
// Some input ends the process whatever Go checks: clang has pragmas that make it crash on purpose.
// Compile source from strangers in a process of its own.
package compiler
