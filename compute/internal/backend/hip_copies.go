package backend

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (h *hipDevice) CopyIn(s driver.Object, to uintptr, from unsafe.Pointer, bytes uintptr) error {
	return h.inside("hipMemcpyHtoDAsync", func() error {
		return hip.MemcpyHtoDAsync(ccall.Pointer(to), from, bytes, hip.Stream(s.Word))
	})
}

func (h *hipDevice) CopyOut(s driver.Object, to unsafe.Pointer, from, bytes uintptr) error {
	return h.inside("hipMemcpyDtoHAsync", func() error {
		return hip.MemcpyDtoHAsync(to, ccall.Pointer(from), bytes, hip.Stream(s.Word))
	})
}

func (h *hipDevice) Copy(s driver.Object, to, from, bytes uintptr) error {
	return h.inside("hipMemcpyDtoDAsync", func() error {
		return hip.MemcpyDtoDAsync(ccall.Pointer(to), ccall.Pointer(from), bytes,
			hip.Stream(s.Word))
	})
}

// Fill writes values of 1, 2 or 4 bytes.
func (h *hipDevice) Fill(s driver.Object, at uintptr, value uint32, size, count uintptr) error {
	to, stream := ccall.Pointer(at), hip.Stream(s.Word)
	switch size {
	case 1:
		return h.inside("hipMemsetD8Async", func() error {
			return hip.MemsetD8Async(to, uint8(value), count, stream)
		})
	case 2:
		return h.inside("hipMemsetD16Async", func() error {
			return hip.MemsetD16Async(to, uint16(value), count, stream)
		})
	case 4:
		return h.inside("hipMemsetD32Async", func() error {
			return hip.MemsetD32Async(to, int32(value), count, stream)
		})
	}
	return badFill(size)
}
