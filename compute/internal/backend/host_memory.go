package backend

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// errAddress is its code for memory that was never allocated.
var errAddress = errors.New("no memory of the device")

// alignment of the device's memory, as GPUs have it.
const alignment = 256

// allocate returns memory whose address is a multiple of align.
func allocate(bytes, align uintptr) (b []byte, err error) {
	defer func() {
		if v := recover(); v != nil { // make panics if there is not that much
			err = &driver.Error{Call: "make", Class: ErrOutOfMemory,
				Code: fmt.Errorf("%d bytes: %v", bytes, v)}
		}
	}()
	b = make([]byte, bytes+align-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % align
	return b[skip : skip+bytes : skip+bytes], nil
}

func (h *Host) Alloc(bytes uintptr) (uintptr, error) {
	b, err := allocate(bytes, alignment)
	if err != nil {
		return 0, err
	}
	return h.memory.add(b), nil
}

// Free forgets memory. Work in the queues keeps what it uses.
func (h *Host) Free(address uintptr) error {
	if !h.memory.remove(address) {
		return &driver.Error{Call: "free", Code: fmt.Errorf("%w at %#x", errAddress, address)}
	}
	return nil
}

func (h *Host) AllocOn(_ driver.Object, bytes uintptr) (uintptr, error) { return h.Alloc(bytes) }
func (h *Host) FreeOn(_ driver.Object, address uintptr) error           { return h.Free(address) }

// Memory returns memory of the device; nil if there is none.
func (h *Host) Memory(address, bytes uintptr) []byte { return h.memory.find(address, bytes) }

func (h *Host) Trim() error {
	runtime.GC()
	return nil
}

func (h *Host) AllocPinned(bytes uintptr) (unsafe.Pointer, error) {
	b, err := allocate(bytes, 64)
	if err != nil {
		return nil, err
	}
	h.pinned.add(b)
	return unsafe.Pointer(unsafe.SliceData(b)), nil
}

func (h *Host) FreePinned(p unsafe.Pointer) error {
	h.pinned.remove(uintptr(p))
	return nil
}

// host returns host memory for a copy; pinned reports whether it is ours and may be used when the
// copy runs.
func (h *Host) host(p unsafe.Pointer, bytes uintptr) (b []byte, pinned bool) {
	if b := h.pinned.find(uintptr(p), bytes); b != nil {
		return b, true
	}
	return unsafe.Slice((*byte)(p), bytes), false
}

// device returns memory of the device for a copy.
func (h *Host) device(address, bytes uintptr) ([]byte, error) {
	if b := h.memory.find(address, bytes); b != nil {
		return b, nil
	}
	return nil, &driver.Error{Call: "copy", Code: fmt.Errorf("%w at %#x", errAddress, address)}
}

// CopyIn copies pageable memory twice, so that the caller may change it at once.
func (h *Host) CopyIn(s driver.Object, to uintptr, from unsafe.Pointer, bytes uintptr) error {
	dst, err := h.device(to, bytes)
	if err != nil {
		return err
	}
	src, pinned := h.host(from, bytes)
	if !pinned {
		src = append([]byte(nil), src...)
	}
	return h.do(s, "copy", func() error { copy(dst, src); return nil })
}

// CopyOut waits for a copy to pageable memory.
func (h *Host) CopyOut(s driver.Object, to unsafe.Pointer, from uintptr, bytes uintptr) error {
	src, err := h.device(from, bytes)
	if err != nil {
		return err
	}
	dst, pinned := h.host(to, bytes)
	if err := h.do(s, "copy", func() error { copy(dst, src); return nil }); err != nil || pinned {
		return err
	}
	return h.driver.SyncStream(s)
}

func (h *Host) Copy(s driver.Object, to, from, bytes uintptr) error {
	dst, err := h.device(to, bytes)
	if err != nil {
		return err
	}
	src, err := h.device(from, bytes)
	if err != nil {
		return err
	}
	return h.do(s, "copy", func() error { copy(dst, src); return nil })
}

func (h *Host) Fill(s driver.Object, at uintptr, value uint32, size, count uintptr) error {
	dst, err := h.device(at, size*count)
	if err != nil {
		return err
	}
	return h.do(s, "fill", func() error {
		for i := range dst {
			dst[i] = byte(value >> (8 * (uintptr(i) % size)))
		}
		return nil
	})
}

// CopyPeer copies between two host devices: tests have more than one.
func (h *Host) CopyPeer(s driver.Object, to uintptr, toDevice Backend, from uintptr,
	fromDevice Backend, bytes uintptr) error {
	dst, err := toDevice.(*Host).device(to, bytes)
	if err != nil {
		return err
	}
	src, err := fromDevice.(*Host).device(from, bytes)
	if err != nil {
		return err
	}
	return h.do(s, "copy", func() error { copy(dst, src); return nil })
}

func (h *Host) CanPeer(Backend) (bool, error) { return true, nil }
func (h *Host) Peer(Backend) error            { return nil }
