package compute

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Pinned is an array of T in host memory that a device copies from and to by itself: such copies
// are truly asynchronous, and faster. The memory is locked in RAM and costly to allocate, so
// allocate it once and use it again. All methods are safe for concurrent use, access to the
// elements is up to the caller. Methods of a nil Pinned, or of its zero value, return [ErrNil] or
// zero values.
type Pinned[T any] struct {
	block *pinned
	begin uintptr // in bytes
	data  []T
	root  *Pinned[T] // of a slice; nil for the memory itself
	whole runtime.Cleanup
}

// pinned is pinned memory of any type.
type pinned struct {
	device  *device
	address unsafe.Pointer
	label   string

	lifetime
}

// AllocPinned allocates n elements, all zero. Every device of the same vendor can use the memory.
func AllocPinned[T any](d *event.Device, n int) (*Pinned[T], error) {
	const op = "AllocPinned"
	x, err := deviceOf(op, d)
	if err != nil {
		return nil, err
	}
	size, err := sizeOf[T](op, d)
	if err != nil {
		return nil, err
	}
	t := reflect.TypeFor[T]()
	bytes, err := total(op, x, n, size, t)
	if err != nil {
		return nil, err
	}
	at, err := x.backend.AllocPinned(bytes)
	if err != nil {
		return nil, x.short(op, bytes, err)
	}
	b := &pinned{device: x, address: at, label: fmt.Sprintf("%v pinned memory %#x", d, uintptr(at))}
	x.account.add(b, &b.lifetime,
		Allocation{Name: b.label, Type: t, Bytes: uint64(bytes), Pinned: true})
	p := &Pinned[T]{block: b, data: unsafe.Slice((*T)(at), n)}
	clear(p.data)
	p.whole = runtime.AddCleanup(p, (*pinned).closeAsync, b)
	return p, nil
}

// Data returns the elements. The slice is valid until Close, and only while the Pinned is
// reachable: the garbage collector does not see that the slice uses its memory.
func (p *Pinned[T]) Data() []T {
	if p.isNil() || p.block.isClosed() {
		return nil
	}
	return p.data
}

// Len returns the number of elements.
func (p *Pinned[T]) Len() int {
	if p == nil {
		return 0
	}
	return len(p.data)
}

// Slice returns elements i up to j, without j, which share the memory. Closing a slice closes
// nothing.
func (p *Pinned[T]) Slice(i, j int) (*Pinned[T], error) {
	const op = "Pinned.Slice"
	if err := p.open(op); err != nil {
		return nil, err
	}
	if i < 0 || j < i || j > len(p.data) {
		return nil, refusal(op, p, ErrBounds, "elements %d to %d of %d", i, j, len(p.data))
	}
	root := p.root
	if root == nil {
		root = p
	}
	begin := p.begin + uintptr(i)*unsafe.Sizeof(*new(T))
	return &Pinned[T]{block: p.block, begin: begin, data: p.data[i:j:j], root: root}, nil
}

// String returns the device's name, "pinned memory" and the address.
func (p *Pinned[T]) String() string {
	if p.isNil() {
		return "pinned memory <nil>"
	}
	return p.block.label
}

// Close frees the memory when the copies enqueued on it are done. It returns at once. Don't use the
// elements afterwards. Later calls do nothing.
func (p *Pinned[T]) Close() error {
	if p.isNil() || p.root != nil {
		return nil
	}
	p.whole.Stop()
	return p.block.close("Pinned.Close")
}

func (p *Pinned[T]) offset() uintptr { return p.begin }

// isNil reports whether the memory is nil or its zero value, which no function returns.
func (p *Pinned[T]) isNil() bool { return p == nil || p.block == nil }

// open refuses what is nil or closed.
func (p *Pinned[T]) open(op string) error {
	if p.isNil() {
		return refusal(op, named("pinned memory <nil>"), ErrNil,
			"allocate it with compute.AllocPinned")
	}
	if p.block.isClosed() {
		return p.block.closedError(op)
	}
	return nil
}

func (b *pinned) String() string { return b.label }

func (b *pinned) closedError(op string) error {
	return refusal(op, b, event.ErrClosed, "allocate new pinned memory")
}

// using makes a call that copies on a stream in use.
func (b *pinned) using(op string, s *event.Stream, native driver.Object,
	call func(unsafe.Pointer) error) error {
	if !b.retain() {
		return b.closedError(op)
	}
	defer b.release()
	b.users.note(s)
	if err := call(b.address); err != nil {
		return err
	}
	return b.device.noteCapture(op, s, native, b)
}

// close ends the memory when no call and no graph uses it.
func (b *pinned) close(op string) error {
	if !b.lifetime.close() {
		return nil // the last use ends it
	}
	return b.device.relaxed(func() error { return b.end(op) })
}

func (b *pinned) closeAsync() {
	if !b.isClosed() {
		b.device.account.lost()
		b.device.background(func() { report(b.close("Pinned")) })
	}
}

// release ends a use that retain began.
func (b *pinned) release() {
	if b.lifetime.release() {
		b.device.background(func() { report(b.end("Pinned.Close")) })
	}
}

// end frees the memory when the work of its users is done.
func (b *pinned) end(op string) error {
	return b.device.whenDone(b.users.take(), func() error {
		defer b.device.account.end(b)
		return failed(op, b, b.device.destroy(func() error {
			return b.device.backend.FreePinned(b.address)
		}))
	})
}
