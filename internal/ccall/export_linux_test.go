//go:build linux && !android && (amd64 || arm64)

package ccall

import "unsafe"

// Trampolines are the addresses of the C functions that calls go through.
func Trampolines() map[string]uintptr {
	return map[string]uintptr{
		"words": wordsTrampoline, "frame": frameTrampoline, "list": listTrampoline}
}

// ListArgs is the argument of the trampoline for lists.
func ListArgs(steps []Step) unsafe.Pointer {
	return unsafe.Pointer(&listArgs{unsafe.SliceData(steps), uintptr(len(steps))})
}
