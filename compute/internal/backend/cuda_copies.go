package backend

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (c *cudaDevice) CopyIn(s driver.Object, to uintptr, from unsafe.Pointer, bytes uintptr) error {
	return c.inside("cuMemcpyHtoDAsync", func() error {
		return cudrv.MemcpyHtoDAsync(cudrv.Deviceptr(to), from, bytes, cudrv.Stream(s.Word))
	})
}

func (c *cudaDevice) CopyOut(s driver.Object, to unsafe.Pointer, from, bytes uintptr) error {
	return c.inside("cuMemcpyDtoHAsync", func() error {
		return cudrv.MemcpyDtoHAsync(to, cudrv.Deviceptr(from), bytes, cudrv.Stream(s.Word))
	})
}

func (c *cudaDevice) Copy(s driver.Object, to, from, bytes uintptr) error {
	return c.inside("cuMemcpyDtoDAsync", func() error {
		return cudrv.MemcpyDtoDAsync(cudrv.Deviceptr(to), cudrv.Deviceptr(from), bytes,
			cudrv.Stream(s.Word))
	})
}

// Fill writes values of 1, 2 or 4 bytes.
func (c *cudaDevice) Fill(s driver.Object, at uintptr, value uint32, size, count uintptr) error {
	to, stream := cudrv.Deviceptr(at), cudrv.Stream(s.Word)
	switch size {
	case 1:
		return c.inside("cuMemsetD8Async", func() error {
			return cudrv.MemsetD8Async(to, uint8(value), count, stream)
		})
	case 2:
		return c.inside("cuMemsetD16Async", func() error {
			return cudrv.MemsetD16Async(to, uint16(value), count, stream)
		})
	case 4:
		return c.inside("cuMemsetD32Async", func() error {
			return cudrv.MemsetD32Async(to, value, count, stream)
		})
	}
	return badFill(size)
}

// badFill returns the refusal for values that no driver fills memory with.
func badFill(size uintptr) error {
	return unsupported("a fill writes values of 1, 2 or 4 bytes, not of %d; use a kernel", size)
}
