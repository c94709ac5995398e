package kernel

import (
	"sync/atomic"
	"unsafe"
)

// AtomicAdd adds v to *p and returns what *p was, as atomicAdd does in C: no other AtomicAdd and no
// operation of sync/atomic on *p, by any block, comes between.
func AtomicAdd[T ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64](p *T, v T) T {
	if unsafe.Sizeof(v) == 4 {
		word := (*uint32)(unsafe.Pointer(p))
		for {
			old := atomic.LoadUint32(word)
			was := *(*T)(unsafe.Pointer(&old))
			sum := was + v
			if atomic.CompareAndSwapUint32(word, old, *(*uint32)(unsafe.Pointer(&sum))) {
				return was
			}
		}
	}
	word := (*uint64)(unsafe.Pointer(p))
	for {
		old := atomic.LoadUint64(word)
		was := *(*T)(unsafe.Pointer(&old))
		sum := was + v
		if atomic.CompareAndSwapUint64(word, old, *(*uint64)(unsafe.Pointer(&sum))) {
			return was
		}
	}
}
