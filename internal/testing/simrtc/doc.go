// Package simrtc simulates NVRTC and hipRTC for tests on simulated GPUs: libraries of Go functions
// that read C++ just well enough to find the kernels in it, and make images which have these
// kernels and no code.
//
// What they know of C++: comments and texts, brackets that match, functions marked __global__ with
// their launch bounds, and parameters that are pointers or numbers. Parameters of other types are
// taken from the kernel's Go function. There is no preprocessor, headers and macros are not read,
// and a kernel's symbol is its name, as if it stood in extern "C"; that of a template's instance
// is [Symbol].
package simrtc
