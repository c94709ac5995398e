//go:build !windows

package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/host"
)

// byValue is a struct of 64 bytes behind one argument: the System V ABI passes it on the stack.
func byValue(fr *frame) *[host.DescriptorSize]byte {
	return (*[host.DescriptorSize]byte)(unsafe.Pointer(fr.stack))
}
