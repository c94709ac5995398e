//go:build linux && !android && (amd64 || arm64)

package ccall

import (
	"runtime"
	"unsafe"
)

// listTrampoline is set by the assembly.
var listTrampoline uintptr

// listArgs is what the trampoline reads before it makes the first call.
type listArgs struct {
	first *Step
	n     uintptr
}

func run(steps []Step) bool {
	first := unsafe.Pointer(unsafe.SliceData(steps))
	Ptr(first) // the steps live in the heap; their header is read before C is entered
	a := listArgs{(*Step)(first), uintptr(len(steps))}
	failed := cgocall(listTrampoline, unsafe.Pointer(&a))
	runtime.KeepAlive(steps)
	return failed == 0
}
