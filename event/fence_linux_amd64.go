//go:build !race

package event

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Of membarrier(2).
const (
	sysMembarrier              = 324
	membarrierQuery            = 0
	membarrierPrivateExpedited = 1 << 3
	membarrierRegister         = 1 << 4
)

// kernelFences is set once the kernel fences all threads of the process on request.
var kernelFences atomic.Bool

// askKernel has the kernel prepare for that, which takes it some milliseconds, and reports whether
// it can.
var askKernel = sync.OnceValue(func() bool {
	const needed = membarrierPrivateExpedited | membarrierRegister
	can, _, errno := syscall.RawSyscall(sysMembarrier, membarrierQuery, 0, 0)
	if errno != 0 || can&needed != needed {
		return false
	}
	_, _, errno = syscall.Syscall(sysMembarrier, membarrierRegister, 0, 0)
	kernelFences.Store(errno == 0)
	return errno == 0
})

// prepareFence is called when there is a device, and waits for nothing.
func prepareFence() { go askKernel() }

// fence is a memory fence for the caller and for all goroutines that publish.
func fence() {
	if askKernel() { // otherwise publish has fences
		_, _, _ = syscall.RawSyscall(sysMembarrier, membarrierPrivateExpedited, 0, 0)
	}
}

// publish stores the record and releases the lock. What the caller wrote before is visible to who
// sees the record: amd64 does not reorder stores.
func (l *recordLock) publish(r record) {
	if kernelFences.Load() {
		*(*record)(unsafe.Pointer(&l.word)) = r
		return
	}
	l.word.Store(uint64(r))
}
