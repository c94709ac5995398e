package backend

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (h *hipDevice) Alloc(bytes uintptr) (address uintptr, err error) {
	err = h.unsafely("hipMalloc", func() error {
		at, err := hip.Malloc(bytes)
		address = uintptr(at)
		return err
	})
	if err != nil && address != 0 {
		err = driver.Undone(err, func() error { return h.Free(address) })
		address = 0
	}
	return address, err
}

func (h *hipDevice) Free(address uintptr) error {
	return h.end(h.unsafely, "hipFree", func() error { return hip.Free(ccall.Pointer(address)) })
}

// AllocPinned allocates memory that all devices reach.
func (h *hipDevice) AllocPinned(bytes uintptr) (p unsafe.Pointer, err error) {
	err = h.unsafely("hipHostMalloc", func() error {
		p, err = hip.HostMalloc(bytes, hip.HostMallocPortable)
		return err
	})
	if err != nil && p != nil {
		err = driver.Undone(err, func() error { return h.FreePinned(p) })
		p = nil
	}
	return p, err
}

func (h *hipDevice) FreePinned(p unsafe.Pointer) error {
	return h.end(h.unsafely, "hipHostFree", func() error { return hip.HostFree(p) })
}
