//go:build !(linux && !android && (amd64 || arm64))

package sim

import "github.com/gpuevent/gpuevent/internal/ccall"

const frameRegs = 6

// newCallback makes a C function with more parameters than any function has: those that C does not
// pass are ignored.
func newCallback(fn *function) uintptr {
	return ccall.NewCallback(func(a, b, c, d, e, f, w0, w1, w2, w3, w4, w5, w6, w7 uintptr) uintptr {
		stack := [stackWords]uintptr{w0, w1, w2, w3, w4, w5, w6, w7}
		return fn.impl(&frame{args: [frameRegs]uintptr{a, b, c, d, e, f}, stack: &stack})
	})
}
