package kernel

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Bound is a kernel with its arguments, ready to run. Runs may overlap; none may overlap a Set.
type Bound struct {
	kernel *Func
	frame  reflect.Value   // a struct with one field per argument
	args   []reflect.Value // its fields, behind a place for the block
}

// Bind binds Go values. Each has the exact type of its parameter; nil is a nil slice. The error is
// an *ArgumentError.
func (f *Func) Bind(args ...any) (*Bound, error) {
	if len(args) != len(f.params) {
		return nil, f.wrongCount(len(args), "arguments")
	}
	b := f.bound()
	for i, arg := range args {
		if err := b.Set(i, arg); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Set replaces argument i by a Go value, under the rules of Bind. After an error it is as before.
func (b *Bound) Set(i int, arg any) error {
	f := b.kernel
	if i < 0 || i >= len(f.params) {
		return &ArgumentError{Kernel: f.name, Param: -1,
			Reason: fmt.Sprintf("there is no argument %d, the kernel has %d", i, len(f.params))}
	}
	p, place := &f.params[i], b.args[i+1]
	got := reflect.TypeOf(arg)
	switch {
	case got == p.Type:
		place.Set(reflect.ValueOf(arg))
	case got == nil && p.Kind == Buffer:
		place.SetZero()
	default:
		return &ArgumentError{Kernel: f.name, Param: i, Want: p.Type, Got: got,
			Reason: mismatch(p, got)}
	}
	return nil
}

// Clone returns a copy that can be changed on its own.
func (b *Bound) Clone() *Bound {
	c := b.kernel.bound()
	c.frame.Set(b.frame)
	return c
}

// Func returns the kernel.
func (b *Bound) Func() *Func { return b.kernel }

// bound returns the kernel with arguments that are all zero.
func (f *Func) bound() *Bound {
	b := &Bound{kernel: f, frame: reflect.New(f.frame).Elem(),
		args: make([]reflect.Value, len(f.params)+1)}
	for i := range f.params {
		b.args[i+1] = b.frame.Field(i)
	}
	return b
}

// place returns the address of argument i.
func (b *Bound) place(i int) unsafe.Pointer { return b.args[i+1].Addr().UnsafePointer() }

// mismatch says why a value of type got is no argument for p.
func mismatch(p *Param, got reflect.Type) string {
	switch {
	case got == nil:
		return fmt.Sprintf("got nil; pass a value of type %v", p.Type)
	case p.Kind != Buffer && got.ConvertibleTo(p.Type):
		return fmt.Sprintf("got %v; convert it: %v(...)", got, p.Type)
	}
	return fmt.Sprintf("got %v; pass a value of type %v", got, p.Type)
}

// wrongCount is the error of n things in place of one per parameter.
func (f *Func) wrongCount(n int, what string) error {
	return &ArgumentError{Kernel: f.name, Param: -1,
		Reason: fmt.Sprintf("got %d %s, the kernel has %d parameters", n, what, len(f.params))}
}
