//go:build !(linux && !android && (amd64 || arm64))

package sim

import (
	"runtime"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

const frameRegs = 6

// newCallback makes a C function with more parameters than any function has: those that C does not
// pass are ignored.
func newCallback(fn *function) uintptr {
	if runtime.GOARCH == "amd64" && runtime.GOOS != "windows" {
		return ccall.NewCallback(func(a, b, c, d, e, f, w0, w1, w2, w3, w4, w5, w6, w7 uintptr) uintptr {
			stack := [byValueWords]uintptr{w0, w1, w2, w3, w4, w5, w6, w7}
			return fn.impl(&frame{args: [frameRegs]uintptr{a, b, c, d, e, f}, stack: &stack})
		})
	}
	return ccall.NewCallback(func(a, b, c, d, e, f uintptr) uintptr {
		return fn.impl(&frame{args: [frameRegs]uintptr{a, b, c, d, e, f}})
	})
}
