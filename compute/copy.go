package compute

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// CopyFrom enqueues a copy of a Go slice, which must be as long as the buffer; copy a part with
// [Buffer.Slice]. The slice may be changed when CopyFrom returns. That may take until the stream's
// earlier work is done: pageable memory is staged. [Buffer.CopyFromPinned] never waits.
func (b *Buffer[T]) CopyFrom(s *event.Stream, from []T) error {
	const op = "Buffer.CopyFrom"
	if err := b.open(op); err != nil {
		return err
	}
	if err := b.sameLength(op, len(from)); err != nil || len(from) == 0 {
		return err
	}
	return b.copyFrom(op, s, from, usePinned)
}

// copyFrom copies a slice of the same length. remedy is what to do in a capture.
func (b *Buffer[T]) copyFrom(op string, s *event.Stream, from []T, remedy string) error {
	err := b.block.transfer(op, s, remedy, func(native driver.Object, d *device) error {
		return d.backend.CopyIn(native, b.at(), unsafe.Pointer(&from[0]), b.size())
	})
	runtime.KeepAlive(from)
	runtime.KeepAlive(b)
	return err
}

// CopyTo copies the buffer to a Go slice, which must be as long, after the stream's earlier work.
// It returns when the data is there, and occupies a thread until then. [Buffer.CopyToPinned]
// returns at once.
func (b *Buffer[T]) CopyTo(s *event.Stream, to []T) error {
	const op = "Buffer.CopyTo"
	if err := b.open(op); err != nil {
		return err
	}
	if err := b.sameLength(op, len(to)); err != nil || len(to) == 0 {
		return err
	}
	err := b.block.transfer(op, s, usePinned, func(native driver.Object, d *device) error {
		return d.backend.CopyOut(native, unsafe.Pointer(&to[0]), b.at(), b.size())
	})
	runtime.KeepAlive(to)
	runtime.KeepAlive(b)
	return err
}

// From allocates a buffer on a stream and copies a Go slice to it: [Alloc] and [Buffer.CopyFrom].
func From[T any](s *event.Stream, values []T) (*Buffer[T], error) {
	b, err := Alloc[T](s, len(values))
	if err != nil {
		return nil, err
	}
	if err := b.CopyFrom(s, values); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// Read returns a copy of the buffer, as of the stream's earlier work: [Buffer.CopyTo] a new slice.
func (b *Buffer[T]) Read(s *event.Stream) ([]T, error) {
	values := make([]T, b.Len())
	if err := b.CopyTo(s, values); err != nil {
		return nil, err
	}
	return values, nil
}

// CopyFromPinned enqueues a copy of pinned memory, which must be as long as the buffer. It returns
// at once; don't change the memory before the stream has passed the copy.
func (b *Buffer[T]) CopyFromPinned(s *event.Stream, from *Pinned[T]) error {
	const op = "Buffer.CopyFromPinned"
	if err := b.pinnedFits(op, from); err != nil || b.n == 0 {
		return err
	}
	defer runtime.KeepAlive(b)
	return b.block.transfer(op, s, inGraphs, func(native driver.Object, d *device) error {
		return from.block.using(op, s, native, func(p unsafe.Pointer) error {
			return d.backend.CopyIn(native, b.at(), unsafe.Add(p, from.offset()), b.size())
		})
	})
}

// CopyToPinned enqueues a copy to pinned memory, which must be as long as the buffer. It returns at
// once; the data is there when the stream has passed the copy.
func (b *Buffer[T]) CopyToPinned(s *event.Stream, to *Pinned[T]) error {
	const op = "Buffer.CopyToPinned"
	if err := b.pinnedFits(op, to); err != nil || b.n == 0 {
		return err
	}
	defer runtime.KeepAlive(b)
	return b.block.transfer(op, s, inGraphs, func(native driver.Object, d *device) error {
		return to.block.using(op, s, native, func(p unsafe.Pointer) error {
			return d.backend.CopyOut(native, unsafe.Add(p, to.offset()), b.at(), b.size())
		})
	})
}

// What to do instead of a transfer in a capture; inGraphs if it can be part of a graph.
const (
	usePinned = "each launch of the graph would copy again: use Pinned"
	inGraphs  = ""
)

// transfer makes a call that copies between the host and the block.
func (b *block) transfer(op string, s *event.Stream, remedy string,
	call func(driver.Object, *device) error) error {
	d := b.device
	native, err := d.use(op, s)
	if err != nil {
		return err
	}
	defer streamOf(s).Release()
	if remedy != inGraphs {
		if err := d.notCaptured(op, s, remedy); err != nil {
			return err
		}
	}
	if !b.life().retain() {
		return b.closedError(op)
	}
	defer b.release()
	b.life().users.note(s)
	if err := call(native, d); err != nil {
		return failed(op, s, err)
	}
	return d.noteCapture(op, s, native, b.held())
}

// at returns the address of the first element, and size the bytes of all.
func (b *Buffer[T]) at() uintptr   { return b.block.address + b.offset }
func (b *Buffer[T]) size() uintptr { return uintptr(b.n) * unsafe.Sizeof(*new(T)) }

// sameLength refuses a copy of another length.
func (b *Buffer[T]) sameLength(op string, n int) error {
	if n != b.n {
		return refusal(op, b, ErrBounds,
			"%d elements for a buffer of %d: copy a part with Buffer.Slice", n, b.n)
	}
	return nil
}

// pinnedFits refuses what is nil, closed or of another length.
func (b *Buffer[T]) pinnedFits(op string, p *Pinned[T]) error {
	if err := b.open(op); err != nil {
		return err
	}
	if err := p.open(op); err != nil {
		return err
	}
	return b.sameLength(op, p.Len())
}
