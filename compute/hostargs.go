package compute

import (
	"reflect"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// hostArgs returns copies of arguments as a Go kernel takes them: the kernel runs when the
// launch's own are gone.
func (k *Kernel) hostArgs(op string, to []any, g *signature, args []any) ([]any, error) {
	for i := range args {
		a := &g.args[i]
		switch {
		case pointers[a.t]:
			memory, err := k.hostMemory(op, i, addressOf(args[i]))
			if err != nil {
				return to, err
			}
			to = append(to, memory)
		case a.size == 0:
			r := (*span)(box(&args[i]).data)
			elem := args[i].(isBuffer).element()
			at := unsafe.Pointer(unsafe.SliceData(r.block.host[r.offset:]))
			to = append(to, reflect.SliceAt(elem, at, r.n).Interface())
		default:
			copied := reflect.New(a.t)
			copied.Elem().Set(reflect.ValueOf(args[i]))
			to = append(to, copied.Elem().Interface())
		}
	}
	return to, nil
}

// addressOf returns an argument of one of the types in pointers.
func addressOf(arg any) uintptr {
	switch p := arg.(type) {
	case DevicePointer:
		return uintptr(p)
	case cudrv.Deviceptr:
		return uintptr(p)
	case hip.Deviceptr:
		return uintptr(p)
	}
	return 0
}

// hostMemory returns the memory from an address to the end of its buffer as the slice that the Go
// kernel takes for argument i; nil for a null pointer.
func (k *Kernel) hostMemory(op string, i int, address uintptr) (any, error) {
	p := &k.params[i]
	if address == 0 {
		return reflect.Zero(p.goes).Interface(), nil
	}
	memory := k.device.backend.(*backend.Host).Rest(address)
	if memory == nil {
		return nil, refusal(op, k, ErrArgument, "argument %d: no buffer of %v has address %#x", i,
			k.device.event, address)
	}
	if address%uintptr(p.elem.Align()) != 0 {
		return nil, refusal(op, k, ErrArgument, "argument %d: address %#x is no multiple of %d, the "+
			"alignment of %v", i, address, p.elem.Align(), p.elem)
	}
	n := len(memory) / int(p.elem.Size())
	return reflect.SliceAt(p.elem, unsafe.Pointer(unsafe.SliceData(memory)), n).Interface(), nil
}
