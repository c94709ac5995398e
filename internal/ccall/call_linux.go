//go:build linux && !android && (amd64 || arm64)

package ccall

import (
	"unsafe"

	_ "github.com/ebitengine/purego" // provides the C side of runtime/cgo without cgo
)

// cgocall enters C on the thread's system stack, as a cgo call does, and returns the low 32 bits of
// fn's result.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// The addresses of the trampolines, set by the assembly.
var regsTrampoline, wordsTrampoline, frameTrampoline uintptr

// Call calls r.Fn and returns the low 32 bits of its result. The caller keeps every object alive
// whose address is in r.A.
func (r *Regs) Call() int32 { return cgocall(regsTrampoline, unsafe.Pointer(r)) }

// Call calls w.Fn and returns the low 32 bits of its result. The caller keeps every object alive
// whose address is in w.A.
func (w *Words) Call() int32 { return cgocall(wordsTrampoline, unsafe.Pointer(w)) }

func (f *Frame) enter() { cgocall(frameTrampoline, unsafe.Pointer(f)) }
