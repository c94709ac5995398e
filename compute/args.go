package compute

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/image"
)

// isBuffer is implemented by all buffers.
type isBuffer interface {
	element() reflect.Type
	part() *span
}

func (b *Buffer[T]) element() reflect.Type { return reflect.TypeFor[T]() }

// part returns the memory; nil for a nil buffer and for the zero value.
func (b *Buffer[T]) part() *span {
	if b.isNil() {
		return nil
	}
	return &b.span
}

// noescape returns the same arguments, hidden from the compiler's escape analysis. Without it the
// compiler puts each argument of a launch into the heap, since the methods of isBuffer might keep
// theirs. It is safe because no code keeps an argument, or its address, after Launch returns.
// Values are copied into the launch's frame or, for the host, into memory of their own. Of a buffer
// only its block is kept, which is in the heap. All of this happens on the caller's goroutine, and
// if its stack moves, the slice that this function returns moves along.
func noescape(args []any) []any {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(args)))
	return unsafe.Slice(*(**any)(unsafe.Pointer(&p)), len(args))
}

// put checks the arguments of a launch and adds them to a frame. It retains the buffers among them
// and notes the stream in them, which is nil for a launch in a graph. The caller ends that with
// releaseBuffers, after an error too.
func (k *Kernel) put(op string, s *event.Stream, f *backend.Frame, args []any) (retained []any,
	err error) {
	if k.known && len(args) != len(k.params) {
		return nil, refusal(op, k, ErrArgument, "%d arguments; the kernel takes %d", len(args),
			len(k.params))
	}
	for i, arg := range args {
		if buffer, ok := arg.(isBuffer); ok {
			err = k.putBuffer(op, s, f, i, buffer)
		} else if why := k.param(i).put(f, arg); why != "" {
			err = refusal(op, k, ErrArgument, "argument %d: %s", i, why)
		}
		if err != nil {
			return args[:i], err
		}
	}
	if most := uintptr(k.limits.ParameterBytes); most != 0 && f.Bytes() > most && !k.known {
		return args, refusal(op, k, ErrArgument, "%d bytes of arguments; the device takes up to %d",
			f.Bytes(), most)
	}
	return args, nil
}

// putBuffer is put for one buffer.
func (k *Kernel) putBuffer(op string, s *event.Stream, f *backend.Frame, i int, b isBuffer) error {
	if why := k.param(i).takesBuffer(b); why != "" {
		return refusal(op, k, ErrArgument, "argument %d: %s", i, why)
	}
	r := b.part()
	if r == nil || r.block.device != k.device {
		return k.wrongBuffer(op, i, r)
	}
	life := r.block.life()
	if !life.retain() {
		return r.block.closedError(op)
	}
	if s != nil {
		life.users.note(s)
	}
	f.AddWord(uint64(r.block.address + r.offset))
	return nil
}

func releaseBuffers(retained []any) {
	for _, arg := range retained {
		if b, ok := arg.(isBuffer); ok {
			b.part().block.release()
		}
	}
}

// put adds an argument to a frame, if it is no buffer. It returns why the parameter does not take
// the argument; "" if it does.
func (p *param) put(f *backend.Frame, arg any) (why string) {
	switch v := arg.(type) {
	case nil:
		return "nil; pass DevicePointer(0) for a null pointer"
	case int32:
		return putNumber(p, f, v)
	case uint32:
		return putNumber(p, f, v)
	case int64:
		return putNumber(p, f, v)
	case uint64:
		return putNumber(p, f, v)
	case float32:
		return putNumber(p, f, v)
	case float64:
		return putNumber(p, f, v)
	case DevicePointer, cudrv.Deviceptr, hip.Deviceptr:
		if why = p.agrees(reflect.TypeOf(arg), true); why == "" {
			address, _ := addressOf(arg)
			f.AddWord(uint64(address))
		}
		return why
	}
	if why = p.takes(reflect.TypeOf(arg)); why == "" {
		f.AddValue(reflect.ValueOf(arg))
	}
	return why
}

// putNumber is put for the types that most kernels take.
func putNumber[T int32 | uint32 | int64 | uint64 | float32 | float64](p *param, f *backend.Frame,
	v T) (why string) {
	if why = p.agrees(reflect.TypeFor[T](), false); why == "" {
		f.Add(unsafe.Pointer(&v), unsafe.Sizeof(v))
	}
	return why
}

// addressOf returns an argument that is an address.
func addressOf(arg any) (address uintptr, ok bool) {
	switch p := arg.(type) {
	case DevicePointer:
		return uintptr(p), true
	case cudrv.Deviceptr:
		return uintptr(p), true
	case hip.Deviceptr:
		return uintptr(p), true
	}
	return 0, false
}

// param returns a parameter; nil if it is not known.
func (k *Kernel) param(i int) *param {
	if !k.known {
		return nil
	}
	return &k.params[i]
}

// takesBuffer returns why a parameter does not take a buffer; "" if it does, or is not known.
func (p *param) takesBuffer(b isBuffer) string {
	switch {
	case p == nil:
	case p.goes != nil && p.elem != b.element():
		return fmt.Sprintf("a buffer of %v; the kernel takes %v", b.element(), p.goes)
	case p.goes == nil && (p.size != 8 || p.kind != image.Any && p.kind != image.Pointer &&
		p.kind != image.Word):
		return fmt.Sprintf("a buffer of %v; the kernel takes %s", b.element(), p.describe())
	}
	return ""
}

// takes returns why a parameter does not take a value of a type; "" if it does.
func (p *param) takes(t reflect.Type) string {
	if err := fit(t); err != nil {
		if why := ofGo(t); why != "" {
			return why
		}
		return err.Error()
	}
	return p.agrees(t, false)
}

// agrees is takes for a type that fits device memory, or is an address.
func (p *param) agrees(t reflect.Type, isPointer bool) string {
	switch {
	case p == nil:
		return ""
	case p.goes != nil:
		if p.goes != t && (!isPointer || p.elem == nil) {
			return fmt.Sprintf("%v; the kernel takes %v", t, p.goes)
		}
		return ""
	case p.size != t.Size():
		return fmt.Sprintf("%v has %d bytes; the kernel takes %s", t, t.Size(), p.describe())
	case !p.kindTakes(t.Kind(), isPointer):
		return fmt.Sprintf("%v; the kernel takes %s", t, p.describe())
	}
	return ""
}

// isPinned is implemented by all pinned memory.
type isPinned interface{ elementPinned() reflect.Type }

func (p *Pinned[T]) elementPinned() reflect.Type { return reflect.TypeFor[T]() }

// ofGo returns what to pass instead of memory of Go or of the host; "" for other types.
func ofGo(t reflect.Type) string {
	pinned := reflect.TypeFor[isPinned]()
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[isBuffer]()):
		return fmt.Sprintf("%v is no value that can be copied; pass the *Buffer that Alloc returned", t)
	case t.Implements(pinned), reflect.PointerTo(t).Implements(pinned):
		return fmt.Sprintf("%v is memory of the host; copy it with Buffer.CopyFromPinned, and pass the "+
			"buffer", t)
	case t.Kind() == reflect.Slice:
		return fmt.Sprintf("%v is memory of Go; copy it to the device with compute.From, and pass the "+
			"buffer", t)
	case t.Kind() == reflect.Pointer:
		return fmt.Sprintf("%v is a Go pointer; copy what it points to with compute.From, and pass the "+
			"buffer", t)
	}
	return ""
}

// kindTakes reports whether a parameter's kind, as far as it is known, agrees with an argument's.
func (p *param) kindTakes(k reflect.Kind, isPointer bool) bool {
	isFloat := k == reflect.Float32 || k == reflect.Float64
	isStruct := k == reflect.Struct || k == reflect.Array || k == reflect.Complex64 ||
		k == reflect.Complex128
	switch p.kind {
	case image.Pointer:
		return isPointer
	case image.Word:
		return !isFloat && !isStruct
	case image.Integer:
		return !isFloat && !isStruct && !isPointer
	case image.Float:
		return isFloat
	case image.Bytes:
		return isStruct || k == reflect.Uint16 // a half has no Go type
	}
	return true
}
