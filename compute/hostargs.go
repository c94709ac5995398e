package compute

import (
	"reflect"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
)

// hostArgs returns copies of arguments as a Go kernel takes them: the kernel runs when the
// launch's own are gone.
func (k *Kernel) hostArgs(op string, to, args []any) ([]any, error) {
	for i, arg := range args {
		address, isAddress := addressOf(arg)
		buffer, isBuffer := arg.(isBuffer)
		switch {
		case isAddress:
			memory, err := k.hostMemory(op, i, address)
			if err != nil {
				return to, err
			}
			to = append(to, memory)
		case isBuffer:
			r := buffer.part()
			at := unsafe.Pointer(unsafe.SliceData(r.block.host[r.offset:]))
			to = append(to, reflect.SliceAt(buffer.element(), at, r.n).Interface())
		default:
			copied := reflect.New(reflect.TypeOf(arg)).Elem()
			copied.Set(reflect.ValueOf(arg))
			to = append(to, copied.Interface())
		}
	}
	return to, nil
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
