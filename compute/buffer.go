package compute

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// Buffer is an array of T in a device's memory. T is a number, a bool, a struct or array of these,
// or a complex number; it holds no Go pointers. Create one with [Alloc] or [AllocOn], and close it
// when it is no longer needed. All methods are safe for concurrent use; the order of the work on
// the memory is that of the streams. Methods of a nil Buffer, or of its zero value, return [ErrNil]
// or zero values.
type Buffer[T any] struct {
	span             // the first field: Kernel.Launch reads it without knowing T
	root  *Buffer[T] // of a slice: keeps the buffer alive; nil for the buffer itself
	whole runtime.Cleanup
}

// span is a part of a block.
type span struct {
	block  *block
	offset uintptr // in bytes
	n      int     // elements
}

// Alloc allocates n elements in the order of the stream: work enqueued on it later can use the
// memory at once, and Close frees it after all work enqueued before. Other streams must wait for
// the stream before they use the memory, as [event.Stream.WaitStream] makes them. Where the driver
// has no memory pools, the memory is allocated and freed outside of the stream's order, and Close
// frees it when the work is done.
//
// A buffer of 0 elements takes one byte. The contents are undefined. The memory belongs to the
// stream's device.
func Alloc[T any](s *event.Stream, n int) (*Buffer[T], error) {
	const op = "Alloc"
	if s == nil || s.Device() == nil {
		return nil, refusal(op, named("stream <nil>"), event.ErrNilStream,
			"pass a stream; the default stream is Device.DefaultStream()")
	}
	d, err := deviceOf(op, s.Device())
	if err != nil {
		return nil, err
	}
	return alloc[T](op, d, s, n)
}

// AllocOn allocates n elements that any stream of the device can use at once. It is slower than
// [Alloc], since drivers may wait for other work.
func AllocOn[T any](d *event.Device, n int) (*Buffer[T], error) {
	const op = "AllocOn"
	x, err := deviceOf(op, d)
	if err != nil {
		return nil, err
	}
	return alloc[T](op, x, nil, n)
}

func alloc[T any](op string, d *device, s *event.Stream, n int) (*Buffer[T], error) {
	size, err := sizeOf[T](op, d.event)
	if err != nil {
		return nil, err
	}
	bytes, err := total(op, d, n, size, reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	b, err := d.allocate(op, s, bytes, reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	x := &Buffer[T]{span: span{block: b, n: n}}
	x.whole = runtime.AddCleanup(x, (*block).closeAsync, b)
	return x, nil
}

// total returns how many bytes n elements take. An address counts at most 63 bits.
func total(op string, d *device, n int, size uintptr, t reflect.Type) (uintptr, error) {
	const most = 1<<(8*unsafe.Sizeof(uintptr(0))-1) - 1
	if n < 0 || uintptr(n) > most/size {
		return 0, refusal(op, d.event, ErrBounds,
			"%d elements of %v (%d bytes each): allocate from 0 to %d", n, t, size, uintptr(most)/size)
	}
	return max(1, uintptr(n)*size), nil // memory without bytes has no address
}

// allocate allocates a block, on a stream or, if s is nil, outside of all. If memory is short, it
// waits for memory that is being freed, and tries once more.
func (d *device) allocate(op string, s *event.Stream, bytes uintptr, t reflect.Type) (
	*block, error) {
	limits, err := d.known()
	if err != nil {
		return nil, failed(op, d.event, err)
	}
	b := &block{device: d, bytes: bytes, inOrder: s != nil && limits.Pools && !d.noPools.Load()}
	var native driver.Object
	if s != nil {
		if native, err = d.use(op, s); err != nil {
			return nil, err
		}
		defer streamOf(s).Release()
		if err := d.notCaptured(op, s, "allocate before the capture"); err != nil {
			return nil, err
		}
		b.users.note(s)
	}
	try := func() (err error) {
		if b.inOrder {
			b.address, err = d.backend.AllocOn(native, bytes)
		} else {
			b.address, err = d.backend.Alloc(bytes)
		}
		return err
	}
	err = try()
	if b.inOrder && isUnsupported(err) { // some drivers have the calls and can't make them
		b.inOrder = false
		d.noPools.Store(true)
		err = try()
	}
	if isShort(err) {
		d.reclaim(s)
		err = try()
	}
	if err != nil {
		for _, o := range b.users.take() {
			o.drop()
		}
		return nil, d.short(op, bytes, err)
	}
	if h, ok := d.backend.(*backend.Host); ok {
		b.host = h.Memory(b.address, bytes)
	}
	b.label = fmt.Sprintf("%v buffer %#x", d.event, b.address)
	d.account.begin(b, t)
	return b, nil
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int {
	if b == nil {
		return 0
	}
	return b.n
}

// Bytes returns the size in bytes.
func (b *Buffer[T]) Bytes() int {
	if b == nil {
		return 0
	}
	return b.n * int(unsafe.Sizeof(*new(T)))
}

// Device returns the device whose memory it is; nil for a nil Buffer.
func (b *Buffer[T]) Device() *event.Device {
	if b.isNil() {
		return nil
	}
	return b.block.device.event
}

// Pointer returns the device's address of the first element, for calls through cudrv and hip. It is
// 0 if the buffer is closed. Keep the buffer open while it is used; Close does not wait for work
// that this package has not enqueued, except on streams that this buffer was used on.
func (b *Buffer[T]) Pointer() DevicePointer {
	if b.isNil() || b.block.life().isClosed() {
		return 0
	}
	return DevicePointer(b.block.address + b.offset)
}

// String returns the device's name, "buffer" and the address: "cuda:0 buffer 0x7f…".
func (b *Buffer[T]) String() string {
	if b.isNil() {
		return "buffer <nil>"
	}
	return b.block.label
}

// Slice returns elements i up to j, without j, as a buffer that shares the memory. Closing a slice
// closes nothing; when the buffer is closed, its slices are too.
func (b *Buffer[T]) Slice(i, j int) (*Buffer[T], error) {
	const op = "Buffer.Slice"
	if err := b.open(op); err != nil {
		return nil, err
	}
	if i < 0 || j < i || j > b.n {
		return nil, refusal(op, b, ErrBounds, "elements %d to %d of %d", i, j, b.n)
	}
	root := b.root
	if root == nil {
		root = b
	}
	size := unsafe.Sizeof(*new(T))
	part := span{b.block, b.offset + uintptr(i)*size, j - i}
	return &Buffer[T]{span: part, root: root}, nil
}

// Close frees the memory when the work enqueued on it so far is done, on all streams that used it
// through this package. It returns at once. Later calls do nothing. Closing during a capture on a
// stream that used the buffer is refused with [event.ErrCaptured].
func (b *Buffer[T]) Close() error {
	const op = "Buffer.Close"
	if b.isNil() || b.root != nil {
		return nil
	}
	if s := b.block.users.capturing(); s != nil && !b.block.isClosed() {
		return refusal(op, b, event.ErrCaptured, "%v is being captured; close after the capture", s)
	}
	b.whole.Stop()
	return b.block.close(op)
}

// isNil reports whether the buffer is nil or its zero value, which no function returns.
func (b *Buffer[T]) isNil() bool { return b == nil || b.block == nil }

// open refuses nil and closed buffers.
func (b *Buffer[T]) open(op string) error {
	if b.isNil() {
		return refusal(op, named("buffer <nil>"), ErrNil, "allocate one with compute.Alloc")
	}
	return b.block.open(op)
}

// DevicePointer is an address in a device's memory, as an argument of a launch and for use with
// cudrv and hip. It keeps nothing alive, and nothing checks it.
type DevicePointer uintptr

// fits has, for each type, why it can't lie in device memory; nil if it can.
var fits sync.Map

// fit returns why a type can't lie in device memory.
func fit(t reflect.Type) error {
	if known, ok := fits.Load(t); ok {
		err, _ := known.(error)
		return err
	}
	err := kernel.Element(t)
	fits.Store(t, err)
	return err
}

// sizeOf returns the size of T, which must fit device memory.
func sizeOf[T any](op string, d *event.Device) (uintptr, error) {
	t := reflect.TypeFor[T]()
	if err := fit(t); err != nil {
		return 0, refusal(op, d, ErrType, "%v", err)
	}
	return unsafe.Sizeof(*new(T)), nil
}
