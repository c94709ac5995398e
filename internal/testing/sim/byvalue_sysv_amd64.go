//go:build !windows

package sim

import "unsafe"

// byValue is a struct of 64 bytes behind one argument: the System V ABI passes it on the stack.
func byValue(fr *frame) *descriptor {
	return (*descriptor)(unsafe.Pointer(fr.stack))
}
