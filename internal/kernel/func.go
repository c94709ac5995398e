package kernel

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// Func is a kernel that was checked. It never changes; goroutines may share it.
type Func struct {
	name   string
	call   reflect.Value
	params []Param
	frame  reflect.Type // a struct with one field per parameter
	size   int          // of all parameters, packed by C's rules
	binds  bool         // call takes the parameters, and returns the function of a block
}

// Of checks that fn is a kernel: a function of a *Block and of parameters as the package describes
// them, without results, or a function of the parameters that returns a func(*Block). The block may
// be of another type with the same fields. The error is a *SignatureError.
func Of(fn any) (*Func, error) {
	v := reflect.ValueOf(fn)
	if !v.IsValid() {
		return nil, &SignatureError{Param: -1, Reason: "a kernel is a function, got nil"}
	}
	t := v.Type()
	if t.Kind() != reflect.Func {
		return nil, &SignatureError{Param: -1, Type: t,
			Reason: fmt.Sprintf("a kernel is a function, got %v", t)}
	}
	if v.IsNil() {
		return nil, &SignatureError{Param: -1, Type: t, Reason: fmt.Sprintf("nil %v", t)}
	}
	f := &Func{name: nameOf(v), call: v, binds: binds(t)}
	if bad := f.shape(t); bad != nil {
		return nil, &SignatureError{Kernel: f.name, Param: -1, Type: t, Reason: bad.reason,
			Remedy: bad.remedy}
	}
	if err := f.parse(t); err != nil {
		return nil, err
	}
	return f, nil
}

// Named returns the kernel under another name, as failures and errors will show it.
func (f *Func) Named(name string) *Func {
	g := *f
	g.name = name
	return &g
}

// Name returns the name of the Go function with its package, or what Named was given.
func (f *Func) Name() string { return f.name }

// Params describes the parameters behind the block.
func (f *Func) Params() []Param { return slices.Clone(f.params) }

// Len returns the number of parameters behind the block.
func (f *Func) Len() int { return len(f.params) }

// Size returns the number of bytes that the parameters take when they are packed by C's rules.
func (f *Func) Size() int { return f.size }

// shape checks what is not a matter of one parameter.
func (f *Func) shape(t reflect.Type) *unfit {
	switch {
	case f.binds && !t.IsVariadic():
		return nil
	case t.NumIn() == 0 || !isBlock(t.In(0)):
		return &unfit{fmt.Sprintf("the first parameter must be *Block, got %v", t),
			"add it: func(b *Block, ...)"}
	case t.NumOut() != 0:
		return &unfit{fmt.Sprintf("a kernel has no results, got %v", t), "write results to a slice"}
	case t.IsVariadic():
		return &unfit{fmt.Sprintf("a kernel has a fixed number of parameters, got %v", t),
			"use a slice"}
	}
	return nil
}

// parse describes the parameters.
func (f *Func) parse(t reflect.Type) error {
	first := 1
	if f.binds {
		first = 0
	}
	fields := make([]reflect.StructField, 0, t.NumIn())
	end := uintptr(0)
	for i := first; i < t.NumIn(); i++ {
		p, bad := param(t.In(i))
		if bad != nil {
			return &SignatureError{Kernel: f.name, Param: i - first, Type: t.In(i), Reason: bad.reason,
				Remedy: bad.remedy}
		}
		end = up(end, uintptr(p.Align))
		p.Offset = int(end)
		end += uintptr(p.Size)
		f.params = append(f.params, p)
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("P%d", i), Type: p.Type})
	}
	f.size = int(end)
	f.frame = reflect.StructOf(fields)
	return nil
}

// param describes a parameter of type t, without its offset.
func param(t reflect.Type) (Param, *unfit) {
	if t.Kind() == reflect.Slice {
		bad := element(t.Elem())
		return Param{Type: t, Elem: t.Elem(), Kind: Buffer, Size: pointerSize, Align: pointerSize}, bad
	}
	size, align, bad := layout(t)
	p := Param{Type: t, Kind: Integer, Size: int(size), Align: int(align)}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		p.Kind = Float
	case reflect.Struct, reflect.Array:
		p.Kind = Bytes
	}
	return p, bad
}

// nameOf returns the name of a function without the path of its package.
func nameOf(v reflect.Value) string {
	f := runtime.FuncForPC(v.Pointer())
	if f == nil {
		return "func"
	}
	name := f.Name()
	path := name
	if i := strings.IndexByte(path, '['); i >= 0 { // type arguments have paths too
		path = path[:i]
	}
	return name[strings.LastIndexByte(path, '/')+1:]
}
