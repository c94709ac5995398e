package backend

import (
	"math"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// AllocOn allocates from the device's default pool.
func (c *cudaDevice) AllocOn(s driver.Object, bytes uintptr) (address uintptr, err error) {
	if err := c.keep(); err != nil {
		return 0, err
	}
	err = c.inside("cuMemAllocAsync", func() error {
		at, err := cudrv.MemAllocAsync(bytes, cudrv.Stream(s.Word))
		address = uintptr(at)
		return err
	})
	if err != nil && address != 0 {
		err = driver.Undone(err, func() error { return c.FreeOn(s, address) })
		address = 0
	}
	return address, err
}

func (c *cudaDevice) FreeOn(s driver.Object, address uintptr) error {
	return c.inside("cuMemFreeAsync", func() error {
		return cudrv.MemFreeAsync(cudrv.Deviceptr(address), cudrv.Stream(s.Word))
	})
}

// keep has the pool keep freed memory, once. It would return all of it to the system whenever
// something waits for the device, which makes the next allocation slow.
func (c *cudaDevice) keep() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keeping {
		return nil
	}
	err := c.inPool(func(pool cudrv.MemoryPool) error {
		threshold := uint64(math.MaxUint64)
		return cudaFailed("cuMemPoolSetAttribute", cudrv.MemPoolSetAttribute(pool,
			cudrv.MempoolAttrReleaseThreshold, unsafe.Pointer(&threshold)))
	})
	c.keeping = err == nil
	return err
}

// inPool runs f with the device's default pool.
func (c *cudaDevice) inPool(f func(cudrv.MemoryPool) error) error {
	return c.Enter(func() error {
		pool, err := cudrv.DeviceGetDefaultMemPool(c.device)
		if err != nil {
			return cudaFailed("cuDeviceGetDefaultMemPool", err)
		}
		return f(pool)
	})
}

// Trim gives back what the pool keeps.
func (c *cudaDevice) Trim() error {
	limits, err := c.Limits()
	if err != nil || !limits.Pools {
		return err
	}
	return c.inPool(func(pool cudrv.MemoryPool) error {
		return cudaFailed("cuMemPoolTrimTo", cudrv.MemPoolTrimTo(pool, 0))
	})
}
