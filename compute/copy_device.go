package compute

import (
	"errors"
	"runtime"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// CopyFromBuffer enqueues a copy of another buffer, which must be as long. The two may lie on
// different devices; the stream belongs to either. Work on the source enqueued on other streams
// must be waited for first, as with [event.Stream.WaitEvent].
//
// Between two devices of one vendor the copy goes directly where the devices can reach each other,
// and otherwise as the driver does it, through the host. Between devices of two vendors, or a GPU
// and the host device, it goes through the host's memory, and CopyFromBuffer returns when it is
// done.
func (b *Buffer[T]) CopyFromBuffer(s *event.Stream, from *Buffer[T]) error {
	const op = "Buffer.CopyFromBuffer"
	if err := b.open(op); err != nil {
		return err
	}
	if err := from.open(op); err != nil {
		return err
	}
	if err := b.sameLength(op, from.n); err != nil || b.n == 0 {
		return err
	}
	defer runtime.KeepAlive(b)
	defer runtime.KeepAlive(from)
	to, source := b.block.device, from.block.device
	switch {
	case to == source:
		if overlap(b.at(), from.at(), b.size()) {
			return refusal(op, b, ErrBounds, "the two slices overlap: copy through a third buffer")
		}
		return between(op, s, to, b.block, from.block, func(native driver.Object, d *device) error {
			return d.backend.Copy(native, b.at(), from.at(), b.size())
		})
	case to.event.Backend() != source.event.Backend():
		return b.throughHost(op, s, from)
	}
	d := to
	if s != nil && s.Device() == source.event {
		d = source
	}
	return between(op, s, d, b.block, from.block, func(native driver.Object, d *device) error {
		d.reach(to, source)
		return d.backend.CopyPeer(native, b.at(), to.backend, from.at(), source.backend, b.size())
	})
}

// between makes a call that copies from one block to another on a stream of d.
func between(op string, s *event.Stream, d *device, to, from *block,
	call func(driver.Object, *device) error) error {
	native, err := d.use(op, s)
	if err != nil {
		return err
	}
	defer streamOf(s).Release()
	for _, b := range []*block{to, from} {
		if !b.life().retain() {
			return b.closedError(op)
		}
		defer b.release()
		b.life().users.note(s)
	}
	if err := call(native, d); err != nil {
		return failed(op, s, err)
	}
	return d.noteCapture(op, s, native, to.held(), from.held())
}

// overlap reports whether two ranges of the same length overlap.
func overlap(a, b, bytes uintptr) bool { return a < b+bytes && b < a+bytes }

// reach lets a device read another's memory, if it can. Copies between devices work without, so a
// failure is kept and not returned.
func (d *device) reach(to, from *device) {
	other := from
	if d == from {
		other = to
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, tried := d.peers[other]; tried {
		return
	}
	if d.peers == nil {
		d.peers = map[*device]error{}
	}
	can, err := d.backend.CanPeer(other.backend)
	if can && err == nil {
		err = d.backend.Peer(other.backend)
	}
	d.peers[other] = err
}

// throughHost copies by way of Go memory, and returns when the copy is done.
func (b *Buffer[T]) throughHost(op string, s *event.Stream, from *Buffer[T]) error {
	temporary := make([]T, b.n)
	if s == nil || s.Device() != from.Device() {
		// The stream is the destination's: what it waits for may be the source's work.
		if _, err := b.block.device.use(op, s); err != nil {
			return err
		}
		defer streamOf(s).Release()
		if err := s.Wait(forever); err != nil {
			return err
		}
		if err := onOwnStream(from.block, func(own *event.Stream) error {
			return from.CopyTo(own, temporary)
		}); err != nil {
			return err
		}
		return b.CopyFrom(s, temporary)
	}
	if err := from.CopyTo(s, temporary); err != nil {
		return err
	}
	return onOwnStream(b.block, func(own *event.Stream) error {
		if err := b.CopyFrom(own, temporary); err != nil {
			return err
		}
		return own.Wait(forever)
	})
}

// onOwnStream calls f with a stream of its own, after the work enqueued on the block so far.
func onOwnStream(b *block, f func(*event.Stream) error) error {
	own, err := b.device.event.NewStream()
	if err != nil {
		return err
	}
	if err = b.life().users.before(own); err == nil {
		err = f(own)
	}
	return errors.Join(err, own.Close())
}
