package compute

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/image"
)

// signature is the types of a launch's arguments, which were checked. Most launches of a kernel
// have the same, and then need no other check than that objects are open.
type signature struct{ args []argument }

// argument is the type of an argument, and how it is passed.
type argument struct {
	word unsafe.Pointer // of the type, in an interface
	size uintptr        // of a value; 0 for a buffer and an address
	t    reflect.Type
	// isAddress: the interface holds the address itself, as it does for Go's own pointer types.
	isAddress bool
}

// isBuffer is implemented by all buffers.
type isBuffer interface{ element() reflect.Type }

func (b *Buffer[T]) element() reflect.Type { return reflect.TypeFor[T]() }

// boxed is how the compiler represents an any: a type, and the address of the value or, for a
// pointer, the pointer.
type boxed struct{ word, data unsafe.Pointer }

func box(arg *any) boxed { return *(*boxed)(unsafe.Pointer(arg)) }

// hidden returns the same arguments, hidden from the compiler's escape analysis, so that those of a
// launch need no memory of their own. The caller keeps nothing of them.
func hidden(args []any) []any {
	p := uintptr(unsafe.Pointer(unsafe.SliceData(args)))
	return unsafe.Slice(*(**any)(unsafe.Pointer(&p)), len(args))
}

// matches reports whether arguments have the same types.
func (g *signature) matches(args []any) bool {
	if g == nil || len(args) != len(g.args) {
		return false
	}
	for i := range args {
		if box(&args[i]).word != g.args[i].word {
			return false
		}
	}
	return true
}

// sign checks the number and the types of arguments. It keeps nothing of them.
func (k *Kernel) sign(op string, args []any) (*signature, error) {
	if k.known && len(args) != len(k.params) {
		return nil, refusal(op, k, ErrArgument, "%d arguments; the kernel takes %d", len(args),
			len(k.params))
	}
	g := &signature{args: make([]argument, len(args))}
	bytes := uintptr(0)
	for i, arg := range args {
		a := argument{word: box(&args[i]).word, t: reflect.TypeOf(arg)}
		buffer, _ := arg.(isBuffer)
		why := ""
		switch {
		case arg == nil:
			why = "nil; pass DevicePointer(0) for a null pointer"
		case buffer != nil:
			why = k.param(i).takesBuffer(buffer)
			bytes += 8
		case a.t.Kind() == reflect.UnsafePointer:
			a.isAddress = true
			why = k.param(i).takes(a.t)
			bytes += 8
		default:
			a.size = a.t.Size()
			why = k.param(i).takes(a.t)
			bytes += (a.size + 7) &^ 7
		}
		if why != "" {
			return nil, refusal(op, k, ErrArgument, "argument %d: %s", i, why)
		}
		g.args[i] = a
	}
	if most := uintptr(k.limits.ParameterBytes); most != 0 && bytes > most && !k.known {
		return nil, refusal(op, k, ErrArgument, "%d bytes of arguments; the device takes up to %d",
			bytes, most)
	}
	k.newest.Store(g)
	return g, nil
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
	elem := b.element()
	switch {
	case p == nil:
	case p.goes != nil && p.elem != elem:
		return fmt.Sprintf("a buffer of %v; the kernel takes %v", elem, p.goes)
	case p.goes == nil && (p.size != 8 || p.kind != image.Any && p.kind != image.Pointer &&
		p.kind != image.Word):
		return fmt.Sprintf("a buffer of %v; the kernel takes %s", elem, p.describe())
	}
	return ""
}

// pointers are the types of addresses.
var pointers = map[reflect.Type]bool{
	reflect.TypeFor[DevicePointer]():   true,
	reflect.TypeFor[cudrv.Deviceptr](): true,
	reflect.TypeFor[hip.Deviceptr]():   true,
}

// takes returns why a parameter does not take a value of a type; "" if it does.
func (p *param) takes(t reflect.Type) string {
	isPointer := pointers[t]
	if !isPointer {
		if why := ofGo(t); why != "" {
			return why
		}
		if err := fit(t); err != nil {
			return err.Error()
		}
	}
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
