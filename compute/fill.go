package compute

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Fill enqueues setting all elements to v. Elements of 1, 2 or 4 bytes, and zeros of any type, take
// one operation of the device, others about log2 of the length.
func (b *Buffer[T]) Fill(s *event.Stream, v T) error {
	const op = "Buffer.Fill"
	if err := b.open(op); err != nil || b.n == 0 {
		return err
	}
	size := unsafe.Sizeof(v)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&v)), size)
	value, width := uint32(raw[0]), uintptr(1)
	switch {
	case repeats(raw):
	case size == 2:
		value, width = uint32(*(*uint16)(unsafe.Pointer(&v))), 2
	case size == 4:
		value, width = *(*uint32)(unsafe.Pointer(&v)), 4
	default:
		return b.fillByCopies(op, s, v)
	}
	defer runtime.KeepAlive(b)
	return b.onStream(op, s, func(native driver.Object, d *device) error {
		return d.backend.Fill(native, b.at(), value, width, b.size()/width)
	})
}

// Zero enqueues setting all bytes to 0.
func (b *Buffer[T]) Zero(s *event.Stream) error {
	var zero T
	return b.Fill(s, zero)
}

// onStream makes a call that enqueues work on the buffer.
func (b *Buffer[T]) onStream(op string, s *event.Stream,
	call func(driver.Object, *device) error) error {
	return between(op, s, b.block.device, b.block, b.block, call)
}

// fillByCopies sets the first element, and then copies what is set to the elements after it.
func (b *Buffer[T]) fillByCopies(op string, s *event.Stream, v T) error {
	first, err := b.Slice(0, 1)
	if err != nil {
		return err
	}
	size := unsafe.Sizeof(v)
	remedy := fmt.Sprintf("a value of %d bytes is copied from Go: fill before the capture, or launch "+
		"a kernel that does", size)
	if err := first.copyFrom(op, s, []T{v}, remedy); err != nil {
		return err
	}
	return b.onStream(op, s, func(native driver.Object, d *device) error {
		for done := 1; done < b.n; {
			n := min(done, b.n-done)
			to := b.at() + uintptr(done)*size
			if err := d.backend.Copy(native, to, b.at(), uintptr(n)*size); err != nil {
				return err
			}
			done += n
		}
		return nil
	})
}

// repeats reports whether all bytes are the same.
func repeats(raw []byte) bool {
	for _, c := range raw {
		if c != raw[0] {
			return false
		}
	}
	return true
}
