package kernel

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"unsafe"
)

// Resolver returns the device memory from address to the end of its allocation. It is not asked
// about null.
type Resolver func(address uintptr) ([]byte, error)

// Pack copies parameters as a driver takes them from kernelParams, an array of pointers to values,
// into one buffer by C's rules.
func (f *Func) Pack(values []unsafe.Pointer) ([]byte, error) {
	if len(values) != len(f.params) {
		return nil, f.wrongCount(len(values), "pointers")
	}
	packed := make([]byte, f.size)
	for i := range f.params {
		p := &f.params[i]
		if values[i] == nil {
			return nil, &ArgumentError{Kernel: f.name, Param: i, Want: p.Type,
				Reason: "the pointer to its value is null"}
		}
		copy(packed[p.Offset:], unsafe.Slice((*byte)(values[i]), p.Size))
	}
	return packed, nil
}

// BindPacked binds parameters that are packed by C's rules: at the offsets of Params, from Pack or
// from a launch with CU_LAUNCH_PARAM_BUFFER_POINTER. Addresses become slices through resolve, which
// errors wrap. Bytes behind the last parameter are ignored.
func (f *Func) BindPacked(packed []byte, resolve Resolver) (*Bound, error) {
	if len(packed) < f.size {
		return nil, &ArgumentError{Kernel: f.name, Param: -1,
			Reason: fmt.Sprintf("got %d bytes of parameters, the kernel takes %d", len(packed), f.size)}
	}
	b := f.bound()
	for i := range f.params {
		p := &f.params[i]
		value := packed[p.Offset:][:p.Size]
		if p.Kind != Buffer {
			b.setBytes(i, value)
			continue
		}
		address := binary.NativeEndian.Uint64(value)
		if err := b.setAddress(i, address, resolve); err != nil {
			return nil, &ArgumentError{Kernel: f.name, Param: i, Want: p.Type,
				Reason: fmt.Sprintf("address %#x: %v", address, err), Err: err}
		}
	}
	return b, nil
}

// BindPointers binds parameters as a driver takes them from kernelParams: Pack and BindPacked.
func (f *Func) BindPointers(values []unsafe.Pointer, resolve Resolver) (*Bound, error) {
	packed, err := f.Pack(values)
	if err != nil {
		return nil, err
	}
	return f.BindPacked(packed, resolve)
}

// setBytes sets argument i, which holds no Go pointer, to the value that bytes holds.
func (b *Bound) setBytes(i int, value []byte) {
	if place := b.args[i+1]; place.Kind() == reflect.Bool { // C's may be any number, Go's 0 or 1
		place.SetBool(value[0] != 0)
		return
	}
	copy(unsafe.Slice((*byte)(b.place(i)), len(value)), value)
}

// sliceHeader is a slice of any type.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// setAddress sets argument i to the slice that starts at an address of device memory.
func (b *Bound) setAddress(i int, address uint64, resolve Resolver) error {
	if address == 0 {
		return nil
	}
	if uint64(uintptr(address)) != address {
		return fmt.Errorf("%w: more than this host's pointers hold", ErrIllegalAddress)
	}
	memory, err := resolve(uintptr(address))
	if err != nil {
		return err
	}
	elem := b.kernel.params[i].Elem
	data := unsafe.Pointer(unsafe.SliceData(memory))
	align := uintptr(elem.Align())
	if uintptr(address)%align != 0 || uintptr(data)%align != 0 {
		return fmt.Errorf("%w: %v needs a multiple of %d", ErrMisaligned, elem, align)
	}
	n := len(memory) / int(elem.Size())
	*(*sliceHeader)(b.place(i)) = sliceHeader{data, n, n}
	return nil
}
