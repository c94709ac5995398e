// Package ccall calls C functions through their address. It is the only call path of cudrv and hip,
// and the only place with assembly.
//
// A call takes one of three forms, by what the C prototype needs:
//
//   - [Regs]: up to six integer or pointer arguments and a result of at most 32 bits.
//     Nearly every function of both APIs.
//   - [Words]: the same with up to sixteen arguments.
//   - [Frame]: floating-point arguments, structs by value, results wider than 32 bits,
//     struct results.
//
// A list of [Step] is several calls in one crossing: [Run] makes them one after another, on one
// thread, up to the first that fails. A guard skips a step depending on the result or the output of
// an earlier one, which is enough for "get current, set if it differs, call, restore".
//
// Regs and Words are on the caller's stack: they are read before C is entered and never written
// back, so a callback may grow and move that stack while C runs. Memory that C writes to must not
// be on the stack: out parameters go into a pooled [Out], results of a Frame into the Frame, which
// is pooled as well. A list is read between calls, while callbacks may move the stack, so it is in
// the heap, and the caller keeps its memory. Pointers from the user go through [Ptr], which moves
// what they point to into the heap.
//
// On linux/amd64 and linux/arm64 a call enters through runtime.cgocall, as cgo's own calls do, and
// a trampoline of ours loads the registers. On other targets the same functions go through purego.
// Both work with CGO_ENABLED 0 and 1; without cgo, purego provides the C side of the runtime.
//
// All functions are safe for concurrent use. A call blocks its OS thread but no other goroutine, as
// a cgo call does.
package ccall
