package backend

import (
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// errAddress is its code for memory that was never allocated.
var errAddress = errors.New("no memory of the device")

// alignment of the device's memory, as GPUs have it.
const alignment = 256

// large is the size from which memory is only allocated after a look at how much there is.
const large = 16 << 20

// allocate returns memory whose address is a multiple of align. A Go program that allocates more
// than there is ends and can't recover, so the amount is compared with the free memory first.
func (h *Host) allocate(bytes, align uintptr) (b []byte, err error) {
	if bytes >= large {
		_, free, err := h.driver.Memory()
		if err == nil && uint64(bytes) > free {
			return nil, tooMuch(bytes, fmt.Errorf("%d bytes are free", free))
		}
		if err := reserve(bytes + align); err != nil {
			return nil, tooMuch(bytes, err)
		}
	}
	defer func() {
		if v := recover(); v != nil { // make panics if there is not that much
			err = tooMuch(bytes, fmt.Errorf("%v", v))
		}
	}()
	b = make([]byte, bytes+align-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % align
	return b[skip : skip+bytes : skip+bytes], nil
}

// tooMuch returns the error for an allocation that does not fit the machine.
func tooMuch(bytes uintptr, why error) error {
	return &driver.Error{Call: "make", Class: ErrOutOfMemory,
		Code: fmt.Errorf("%d bytes: %w", bytes, why)}
}

func (h *Host) Alloc(bytes uintptr) (uintptr, error) {
	b, err := h.allocate(bytes, alignment)
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

// Rest returns the memory of the device from an address to its end; nil if there is none.
func (h *Host) Rest(address uintptr) []byte { return h.memory.rest(address) }

// Memory returns memory of the device; nil if there is none.
func (h *Host) Memory(address, bytes uintptr) []byte { return h.memory.find(address, bytes) }

// Trim returns the memory of buffers that nothing uses to the system, where a later allocation
// finds it free.
func (h *Host) Trim() error {
	debug.FreeOSMemory()
	return nil
}

func (h *Host) AllocPinned(bytes uintptr) (unsafe.Pointer, error) {
	b, err := h.allocate(bytes, 64)
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

// CopyIn waits for a copy of pageable memory if nothing else is queued. Otherwise it copies the
// memory first, so that the caller may change it at once.
func (h *Host) CopyIn(s driver.Object, to uintptr, from unsafe.Pointer, bytes uintptr) error {
	dst, err := h.device(to, bytes)
	if err != nil {
		return err
	}
	src, pinned := h.host(from, bytes)
	if pinned {
		return h.do(s, "copy", func() error { copy(dst, src); return nil })
	}
	idle, err := h.driver.QueryStream(s)
	if idle = idle && err == nil; !idle {
		src = append([]byte(nil), src...)
	}
	if err := h.do(s, "copy", func() error { copy(dst, src); return nil }); err != nil || !idle {
		return err
	}
	return h.driver.SyncStream(s)
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
		fill(dst, value, int(size))
		return nil
	})
}

// fill writes values of 1, 2 or 4 bytes: a few in a loop, and the rest as copies of these.
func fill(dst []byte, value uint32, size int) {
	if value == 0 {
		clear(dst)
		return
	}
	const first, most = 64, 64 << 10 // what is copied stays in the processor's cache
	for i := range dst[:min(first, len(dst))] {
		dst[i] = byte(value >> (8 * (i % size)))
	}
	for n := first; n < len(dst); {
		n += copy(dst[n:], dst[:min(n, most)])
	}
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
