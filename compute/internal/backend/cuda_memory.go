package backend

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (c *cudaDevice) Alloc(bytes uintptr) (address uintptr, err error) {
	err = c.unsafely("cuMemAlloc", func() error {
		at, err := cudrv.MemAlloc(bytes)
		address = uintptr(at)
		return err
	})
	if err != nil && address != 0 {
		err = driver.Undone(err, func() error { return c.Free(address) })
		address = 0
	}
	return address, err
}

func (c *cudaDevice) Free(address uintptr) error {
	return c.end(c.unsafely, "cuMemFree", func() error {
		return cudrv.MemFree(cudrv.Deviceptr(address))
	})
}

// AllocPinned allocates memory that all contexts take for pinned.
func (c *cudaDevice) AllocPinned(bytes uintptr) (p unsafe.Pointer, err error) {
	err = c.unsafely("cuMemHostAlloc", func() error {
		p, err = cudrv.MemHostAlloc(bytes, cudrv.MemhostallocPortable)
		return err
	})
	if err != nil && p != nil {
		err = driver.Undone(err, func() error { return c.FreePinned(p) })
		p = nil
	}
	return p, err
}

func (c *cudaDevice) FreePinned(p unsafe.Pointer) error {
	return c.end(c.unsafely, "cuMemFreeHost", func() error { return cudrv.MemFreeHost(p) })
}
