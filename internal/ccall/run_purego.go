//go:build (windows || (darwin && !ios)) && (amd64 || arm64)

package ccall

import (
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// run crosses once for each call here, but also on one thread.
func run(steps []Step) bool {
	Ptr(unsafe.Pointer(unsafe.SliceData(steps)))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return runEach(steps, func(s *Step) int32 {
		r1, _, _ := purego.SyscallN(s.Fn, s.A[:max(s.N, MaxRegs)]...)
		return int32(r1)
	})
}
