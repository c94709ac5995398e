package backend

import (
	"math"
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// AllocOn allocates from the device's default pool.
func (h *hipDevice) AllocOn(s driver.Object, bytes uintptr) (address uintptr, err error) {
	if err := h.keep(); err != nil {
		return 0, err
	}
	err = h.inside("hipMallocAsync", func() error {
		at, err := hip.MallocAsync(bytes, hip.Stream(s.Word))
		address = uintptr(at)
		return err
	})
	if err != nil && address != 0 {
		err = driver.Undone(err, func() error { return h.FreeOn(s, address) })
		address = 0
	}
	return address, err
}

func (h *hipDevice) FreeOn(s driver.Object, address uintptr) error {
	return h.inside("hipFreeAsync", func() error {
		return hip.FreeAsync(ccall.Pointer(address), hip.Stream(s.Word))
	})
}

// keep has the pool keep freed memory, once, as for CUDA.
func (h *hipDevice) keep() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.keeping {
		return nil
	}
	err := h.inPool(func(pool hip.MemPool) error {
		threshold := uint64(math.MaxUint64)
		return hipFailed("hipMemPoolSetAttribute", hip.MemPoolSetAttribute(pool,
			hip.MemPoolAttrReleaseThreshold, unsafe.Pointer(&threshold)))
	})
	h.keeping = err == nil
	return err
}

// inPool runs f with the device's default pool.
func (h *hipDevice) inPool(f func(hip.MemPool) error) error {
	return h.Enter(func() error {
		pool, err := hip.DeviceGetDefaultMemPool(h.device)
		if err != nil {
			return hipFailed("hipDeviceGetDefaultMemPool", err)
		}
		return f(pool)
	})
}

// Trim gives back what the pool keeps.
func (h *hipDevice) Trim() error {
	limits, err := h.Limits()
	if err != nil || !limits.Pools {
		return err
	}
	return h.inPool(func(pool hip.MemPool) error {
		return hipFailed("hipMemPoolTrimTo", hip.MemPoolTrimTo(pool, 0))
	})
}
